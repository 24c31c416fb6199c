// Whether the client trusts a host's key: what is known, what was decided beforehand, what the user says.
#pragma once

#include <array>

#include "core/crypto/public_key.hpp"
#include "core/events.hpp"
#include "port/posix/console.hpp"
#include "port/posix/known_hosts_file.hpp"
#include "port/posix/programs/client_options.hpp"

namespace sshape::posix {

class HostKeyCheck {
 public:
  HostKeyCheck(const ClientOptions& options, const KnownHostsFiles& known) : options_(options), known_(known) {}

  enum class Step : unsigned char {
    refuse,  // a line says why
    accept,  // written down where that is due
    ask,     // the user, with prompt(); then answer()
  };
  // The session has found the key's type and the signature right.
  Step judge(const event::VerifyHostKey& key);
  Step answer(std::string_view users);
  Step nobody_to_ask();  // instead of answer()

  QuestionId question() const { return question_; }
  ConsoleLine prompt() const;

  // A changed key was taken: no password is told to that host.
  bool withhold_passwords() const { return changed_taken_; }

 private:
  Step unknown();
  Step changed(const KnownHostFinding& found);
  Step remember();
  std::string_view type() const { return crypto::key_type(blob()); }
  Bytes blob() const { return Bytes(blob_).first(blob_size_); }

  const ClientOptions& options_;
  const KnownHostsFiles& known_;
  QuestionId question_ = QuestionId::none;
  std::array<std::byte, 2048> blob_;
  std::size_t blob_size_ = 0;
  bool other_types_known_ = false;
  bool asked_again_ = false;
  bool changed_taken_ = false;
};

}  // namespace sshape::posix
