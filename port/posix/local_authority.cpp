#include "port/posix/local_authority.hpp"

#include <unistd.h>

#include "port/posix/clock.hpp"
#include "port/posix/log.hpp"
#include "port/posix/process.hpp"

namespace sshape::posix {

namespace {

constexpr Microseconds millisecond = second / 1000;

// A refusal is answered this long after its question came, whatever it took to find out; so nothing
// about the user can be told from the time. `none` and questions about keys, which every good client
// asks, have only the time of a few files to hide.
struct Delay {
  Microseconds least, range;
};
constexpr Delay of_refusal{250 * millisecond, 100 * millisecond};
constexpr Delay of_key_query{40 * millisecond, 20 * millisecond};
constexpr Delay of_none{10 * millisecond, 5 * millisecond};

}  // namespace

void LocalAuthority::ask(const Question& question) {
  switch (question.ask) {
    case Ask::sign: return sign(question);
    case Ask::login: return log_in(question);
    case Ask::start:
      ready_ = children_.start(question, login_.account(), login_.key_options());
      return;
    case Ask::resize: return children_.resize(question.channel, question.size);
    case Ask::signal: return children_.signal(question.channel, question.signal, login_.key_options());
    case Ask::hang_up: return children_.hang_up(question.channel);
  }
}

std::optional<Answer> LocalAuthority::next() {
  if (ready_) return std::exchange(ready_, std::nullopt);
  if (login_due_ && monotonic_now() >= answer_at_) {
    login_due_ = false;
    Answer answer;
    answer.kind = AnswerKind::login;
    answer.id = login_question_;
    answer.verdict = verdict_;
    answer.may_have_pty = login_.key_options().pty;
    answer.forced_command = children_.forced(login_.key_options());
    return answer;
  }
  return children_.next_exited();
}

void LocalAuthority::sign(const Question& question) {
  Answer answer;
  answer.kind = AnswerKind::signature;
  answer.id = question.id;
  wire::Writer signature(signature_);
  const crypto::PrivateKey* const key = keys_.find(question.blob);
  if (key != nullptr && key->sign(question.algorithm, question.exchange_hash, signature) && signature.ok())
    answer.signature = signature.written();
  ready_ = std::move(answer);
}

void LocalAuthority::log_in(const Question& question) {
  const Instant arrived = monotonic_now();
  verdict_ = login_.decide(question);
  login_question_ = question.id;
  login_due_ = true;
  answer_at_ = arrived;
  if (verdict_ == LoginVerdict::refuse) {
    const Delay& delay = question.method == event::Method::none               ? of_none
                         : question.method == event::Method::public_key_query ? of_key_query
                                                                              : of_refusal;
    std::uint32_t dice = 0;
    random_.fill(std::as_writable_bytes(std::span(&dice, 1)));
    answer_at_ += delay.least + dice % delay.range;
  }
  const bool logged_in = verdict_ == LoginVerdict::accept && question.method != event::Method::public_key_query;
  if (!logged_in) return;
  if (!become_for_good(login_.account())) {
    log_warning("Cannot become the user: ending");
    ::_exit(1);
  }
  harden_process();  // a change of user undoes a part of it
}

}  // namespace sshape::posix
