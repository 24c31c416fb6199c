// authorized_keys, without I/O: lines, their options, and whether a line lets a key in (COMPAT:
// authorized_keys). What is not understood refuses its line; nothing makes a line more permissive.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/bytes.hpp"
#include "port/posix/text.hpp"
#include "profiles/active.hpp"

namespace sshape::posix {

// What the line of a key allows. The defaults are those of a line without options.
struct KeyOptions {
  bool port_forwarding = true;
  bool agent_forwarding = true;
  bool x11_forwarding = true;
  bool pty = true;
  bool user_rc = true;
  bool no_touch_required = false;  // for keys in hardware
  bool verify_required = false;
  bool permitopen = false;         // forwarding to the places named only
  bool permitlisten = false;
  bool forced = false;
  Text<active::profile.authorized_keys_line> command;  // command=, if forced
  Text<128> comment;  // the part of it that may go into SSH_PUBKEYINFO
};

// Whose key it is and where it comes from.
struct KeyCandidate {
  std::string_view type;  // "ssh-ed25519"
  Bytes blob;
  std::string_view host;  // the peer's address as text; empty: unknown, which no from= admits
  // The time of day as a number YYYYMMDDHHMMSS, for expiry-time=.
  std::uint64_t local_time = 0;
  std::uint64_t utc_time = 0;
};

struct KeyLine {
  enum class Verdict : std::uint8_t {
    other,    // empty, a comment, or another key
    refused,  // this key, but `why`; or a line that cannot be understood
    admits,
  };
  Verdict verdict = Verdict::other;
  const char* why = "";         // a literal
  const char* ignored = "";     // an option that was understood and not honoured, or ""
};

// One line without its end. `options` is meaningful if it admits.
KeyLine judge_key_line(std::string_view line, const KeyCandidate& candidate, KeyOptions& options);

// Cuts a file that is read in pieces into lines. One that is too long is skipped whole, never split.
class KeyFileLines {
 public:
  MutableBytes space();           // room for the next piece; never empty
  void filled(std::size_t bytes);
  // A whole line; what follows the last newline is a line only at the end of the file.
  std::optional<std::string_view> next(bool at_end);
  std::size_t number() const { return number_; }      // of the last line, from 1
  std::size_t too_long() const { return too_long_; }  // lines skipped so far
  std::size_t last_too_long() const { return last_too_long_; }  // the number of the last of them

 private:
  std::array<char, active::profile.authorized_keys_line + 1> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool skipping_ = false;  // inside a line that is too long
  std::size_t number_ = 0;
  std::size_t too_long_ = 0;
  std::size_t last_too_long_ = 0;
};

}  // namespace sshape::posix
