// A session of either role, from the first byte to the first keys, against a stranger's bytes. The
// input is cut into messages that are framed in the clear, so that mutation reaches the handlers.
#include <new>
#include <sys/mman.h>

#include "core/session.hpp"
#include "core/wire/writer.hpp"
#include "tests/fuzz/input.hpp"

using namespace sshape;

namespace {

class MappedPages final : public Pages {
 public:
  std::byte* map(std::size_t bytes) override {
    return static_cast<std::byte*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  void unmap(std::byte* at, std::size_t bytes) override { ::munmap(at, bytes); }
  void discard(std::byte*, std::size_t) override {}
};

void answer(Session& session, const Event& event, fuzz::Input& input) {
  if (const auto* sign = std::get_if<event::SignExchangeHash>(&event)) {
    const std::byte signature[83] = {};
    session.answer_signature(sign->question, Bytes(signature).first(input.byte() % 84));
  }
  if (const auto* verify = std::get_if<event::VerifyHostKey>(&event))
    session.answer_host_key(verify->question, (input.byte() & 1) != 0 ? HostKeyVerdict::accept : HostKeyVerdict::refuse);
}

bool feed(Session& session, Bytes bytes, Instant now, fuzz::Input& input) {
  while (!bytes.empty()) {
    const MutableBytes space = session.receive_space();
    if (space.empty()) return false;
    const std::size_t n = std::min(space.size(), bytes.size());
    copy_bytes(space, bytes.first(n));
    session.received(n, now);
    bytes = bytes.subspan(n);
    while (true) {
      const Event event = session.next(now);
      if (nothing(event)) break;
      answer(session, event, input);
    }
    session.transmitted(session.transmit_ready(now).size(), now);
  }
  return !session.ended();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MappedPages pages;
  fuzz::Input input(data, size);
  fuzz::Counting random;
  const std::uint8_t choice = input.byte();
  std::byte blob_space[64];
  wire::Writer blob(blob_space);
  const std::byte public_key[32] = {};
  blob.string(std::string_view("ssh-ed25519")).string(Bytes(public_key));
  const Bytes blobs[] = {blob.written()};
  SessionConfig config;
  config.role = (choice & 1) != 0 ? Role::client : Role::server;
  config.transport.host_keys = blobs;
  config.client_auth.user = "u";
  Session session(config, random, pages, 0);

  Instant now = 0;
  if (!feed(session, bytes_of("SSH-2.0-fuzz\r\n"), now, input)) return 0;
  std::byte packet_space[70'000];
  while (!input.empty()) {
    const Bytes payload = input.block();
    if (payload.empty()) continue;
    const std::size_t padding = 4 + (8 - (payload.size() + 9) % 8) % 8;
    wire::Writer packet(packet_space);
    packet.uint32(static_cast<std::uint32_t>(1 + payload.size() + padding)).byte(static_cast<std::uint8_t>(padding));
    packet.raw(payload);
    packet.reserve(padding);
    now += 1'000'000;
    if (!feed(session, packet.written(), now, input)) return 0;
  }
  session.receive_closed(now);
  while (!nothing(session.next(now))) {
  }
  return 0;
}
