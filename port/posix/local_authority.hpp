// The authority of a server that is one process: it holds the keys and the accounts' rights until
// login, becomes the user for good then, and answers in place.
#pragma once

#include "port/posix/authority.hpp"
#include "port/posix/children.hpp"
#include "port/posix/host_keys.hpp"
#include "port/posix/login.hpp"

namespace sshape::posix {

class LocalAuthority final : public Authority {
 public:
  // All of these outlive it.
  LocalAuthority(Login& login, Children& children, const HostKeys& keys, crypto::Random& random)
      : login_(login), children_(children), keys_(keys), random_(random) {}

  void ask(const Question& question) override;
  std::optional<Answer> next() override;
  int descriptor() const override { return -1; }
  Instant wake_at() const override { return login_due_ ? answer_at_ : never; }

 private:
  void sign(const Question& question);
  void log_in(const Question& question);

  Login& login_;
  Children& children_;
  const HostKeys& keys_;
  crypto::Random& random_;

  std::optional<Answer> ready_;  // to a question that is answered at once: taken before the next is asked
  std::array<std::byte, 1024> signature_;
  bool login_due_ = false;
  QuestionId login_question_ = QuestionId::none;
  LoginVerdict verdict_ = LoginVerdict::refuse;
  Instant answer_at_ = 0;
};

}  // namespace sshape::posix
