// Channels: the peer's messages and the application's calls, both out of the input.
#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "core/connection/connection.hpp"
#include "core/wire/writer.hpp"
#include "tests/fuzz/input.hpp"

using namespace sshape;
using connection::Connection;

namespace {

class MappedPages final : public Pages {
 public:
  std::byte* map(std::size_t bytes) override {
    return static_cast<std::byte*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  void unmap(std::byte* at, std::size_t bytes) override { ::munmap(at, bytes); }
  void discard(std::byte*, std::size_t) override {}
};

using Handler = Expected<Event> (Connection::*)(wire::Reader&);
constexpr Handler handlers[] = {
    &Connection::on_global_request, &Connection::on_request_success, &Connection::on_request_failure,
    &Connection::on_open, &Connection::on_open_confirmation, &Connection::on_open_failure,
    &Connection::on_window_adjust, &Connection::on_data, &Connection::on_extended_data, &Connection::on_eof,
    &Connection::on_close, &Connection::on_request, &Connection::on_channel_success, &Connection::on_channel_failure};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MappedPages pages;
  static std::byte transmit[transmit_region(active::profile)];
  fuzz::Input input(data, size);
  active::Allocator memory(pages);
  transport::Outbox out;
  transport::PacketWriter writer;
  writer.lend(transmit);
  const std::uint8_t first = input.byte();
  Connection peer((first & 1) != 0 ? Role::client : Role::server, {.window = 1u + (first >> 1) * 64u}, memory);
  std::uint32_t question = 0;  // the last one asked

  while (!input.empty()) {
    if (!peer.settle()) std::abort();  // the budget must make this impossible
    const std::uint8_t choice = input.byte();
    const auto channel = static_cast<ChannelId>(input.byte() & 3);
    const Stream stream = (choice & 128) != 0 ? Stream::error : Stream::data;
    const std::size_t amount = input.byte();
    switch (choice % 32) {
      default: {
        wire::Reader message(input.take(amount));
        const auto event = (peer.*handlers[choice % std::size(handlers)])(message);
        if (!event) return 0;
        std::visit([&](const auto& e) { if constexpr (requires { e.question; }) question = static_cast<std::uint32_t>(e.question); }, *event);
        if (const auto* lent = std::get_if<event::ChannelData>(&*event))
          peer.consumed(lent->channel, lent->stream, amount % (lent->data.size() + 1));
        break;
      }
      case 20: peer.answer_open(static_cast<QuestionId>(question - amount % 8)); break;
      case 21: peer.refuse_open(static_cast<QuestionId>(question - amount % 8), OpenFailure::connect_failed, {}); break;
      case 22: peer.answer_request(static_cast<QuestionId>(question - amount % 8), (amount & 1) != 0); break;
      case 23: peer.consumed(channel, stream, amount); break;
      case 24: peer.discard(channel, stream); break;
      case 25:
        peer.source_ready(channel, stream, true);
        if (const auto slot = peer.next_send(writer); !slot.space.empty())
          peer.produced(std::min(amount, slot.space.size()), writer);
        writer.sent(writer.ready().size());
        break;
      case 26: (void)peer.end_of_output(channel); break;
      case 27: (void)peer.close(channel); break;
      case 28: (void)peer.exit_status(channel, 1, out); break;
      case 29: (void)peer.open_session(out); break;
      case 30: (void)peer.request_start(channel, event::Start::exec, "true", true, out); break;
      case 31:
        while (!nothing(peer.pending_event())) {
        }
        break;
    }
    peer.pump(out);
    while (!out.empty()) out.pop();
    if (memory.in_use() > active::Allocator::ceiling()) std::abort();
  }
  return 0;
}
