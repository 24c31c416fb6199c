// Login messages of both roles, and the application's answers to them.
#include <cstdlib>

#include "core/auth/client_auth.hpp"
#include "core/auth/server_auth.hpp"
#include "core/wire/writer.hpp"
#include "tests/fuzz/input.hpp"

using namespace sshape;

namespace {

void serve(fuzz::Input& input) {
  auth::ServerAuth login({.max_failures = 3, .banner = "hello"});
  transport::Outbox out;
  const std::byte session_id[32] = {};
  std::uint32_t question = 0;
  while (!input.empty() && !login.done()) {
    while (!out.empty()) out.pop();
    wire::Reader message(input.block());
    const auto event = login.on_request(message, session_id, static_cast<QuestionId>(++question), out);
    if (!event) return;
    if (!login.pending()) std::abort();  // every request that is no fault is a question
    const auto& request = std::get<event::LoginRequest>(*event);
    const auto verdict = static_cast<LoginVerdict>(input.byte() % 3);
    const auto outcome = login.answer(request.question, verdict, out);
    if (!outcome) return;
    // What cannot succeed does not, whatever the application says.
    if (login.done() && (request.method == event::Method::public_key_bad_signature ||
                         request.method == event::Method::password_unusable ||
                         request.method == event::Method::unsupported || verdict != LoginVerdict::accept))
      std::abort();
  }
}

void log_in(fuzz::Input& input) {
  auth::ClientAuth login({.user = "u"});
  transport::Outbox out;
  std::uint32_t question = 0;
  while (!input.empty() && !login.done()) {
    while (!out.empty()) out.pop();
    const std::uint8_t choice = input.byte();
    const Bytes body = input.block();
    switch (choice % 9) {
      case 0: (void)login.try_none(out); break;
      case 1: (void)login.try_password(text_of(body), out); break;
      case 2: (void)login.try_public_key_query("ssh-ed25519", body, out); break;
      case 3: (void)login.try_public_key("ssh-ed25519", body, {}, static_cast<QuestionId>(++question)); break;
      case 4: (void)login.answer_signature(static_cast<QuestionId>(question), body, out); break;
      default: {
        wire::Reader message(body);
        const auto event = choice % 9 == 5   ? login.on_failure(message)
                           : choice % 9 == 6 ? login.on_success(message)
                           : choice % 9 == 7 ? login.on_banner(message)
                                             : login.on_method_specific_60(message);
        if (!event) return;
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  (input.byte() & 1) != 0 ? serve(input) : log_in(input);
  return 0;
}
