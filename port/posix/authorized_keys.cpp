#include "port/posix/authorized_keys.hpp"

#include <strings.h>

#include <algorithm>
#include <utility>

#include "core/crypto/key_files.hpp"
#include "port/posix/address_list.hpp"

namespace sshape::posix {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t at = text.find_first_not_of(blanks);
  return at == std::string_view::npos ? std::string_view{} : text.substr(at);
}

// The word at the front, and the rest without it.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(blanks), text.size());
  const std::string_view word = text.substr(0, end);
  text = without_leading_blanks(text.substr(end));
  return word;
}

// Options reach to the first blank outside quotes. False: a quotation does not end.
bool take_options(std::string_view& text, std::string_view& options) {
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (quoted && text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && blanks.find(text[i]) != std::string_view::npos) {
      break;
    }
  }
  if (quoted) return false;
  options = text.substr(0, i);
  text = without_leading_blanks(text.substr(i));
  return true;
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// A key type that begins a line without options: not worth a word in the log if it is not ours.
bool looks_like_a_key_type(std::string_view word) {
  return (word.starts_with("ssh-") || word.starts_with("ecdsa-sha2-") || word.starts_with("sk-ssh-") ||
          word.starts_with("sk-ecdsa-")) &&
         word.find_first_of(",=\"") == std::string_view::npos;
}

// Whether the word is the base64 of exactly this blob.
bool is_blob(std::string_view word, Bytes blob) {
  std::array<std::byte, active::profile.authorized_keys_line> decoded;
  if (word.size() / 4 * 3 > decoded.size()) return false;
  const auto size = crypto::base64_decode(word, decoded);
  return size && same_bytes(MutableBytes(decoded).first(*size), blob);
}

using Value = Text<active::profile.authorized_keys_line>;

// The quoted value after a name and '='. False: it is not a quotation, or something follows it that
// is no comma.
bool take_value(std::string_view& options, Value& value) {
  if (!options.starts_with('"')) return false;
  value.clear();
  std::size_t i = 1;
  for (; i < options.size() && options[i] != '"'; ++i) {
    if (options[i] == '\\' && i + 1 < options.size() && options[i + 1] == '"') ++i;
    value.add(options[i]);
  }
  if (i == options.size()) return false;
  options.remove_prefix(i + 1);
  return true;
}

// expiry-time: YYYYMMDD[HHMM[SS]], in local time or with a final Z in UTC.
KeyLine check_expiry(std::string_view value, const KeyCandidate& candidate) {
  const bool utc = value.ends_with('Z') || value.ends_with('z');
  if (utc) value.remove_suffix(1);
  const bool digits = value.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits || (value.size() != 8 && value.size() != 12 && value.size() != 14))
    return {KeyLine::Verdict::refused, "malformed expiry-time"};
  std::uint64_t time = 0;
  for (const char c : value) time = time * 10 + static_cast<std::uint64_t>(c - '0');
  for (std::size_t i = value.size(); i < 14; ++i) time *= 10;
  const auto part = [&](std::uint64_t divisor) { return time / divisor % 100; };
  const std::uint64_t month = part(100'000'000), day = part(1'000'000);
  if (month < 1 || month > 12 || day < 1 || day > 31 || part(10'000) > 23 || part(100) > 59 || part(1) > 60)
    return {KeyLine::Verdict::refused, "malformed expiry-time"};
  if (time <= (utc ? candidate.utc_time : candidate.local_time)) return {KeyLine::Verdict::refused, "the key has expired"};
  return {KeyLine::Verdict::admits};
}

KeyLine check_from(std::string_view value, const KeyCandidate& candidate) {
  const auto admits = address_list_admits(value, candidate.host);
  if (!admits) return {KeyLine::Verdict::refused, "from= takes addresses and networks only"};
  if (!*admits) return {KeyLine::Verdict::refused, "from= does not admit this address"};
  return {KeyLine::Verdict::admits};
}

struct Flag {
  std::string_view name;
  bool KeyOptions::* field;
  bool value;
};
constexpr Flag flags[] = {
    {"no-port-forwarding", &KeyOptions::port_forwarding, false},
    {"no-agent-forwarding", &KeyOptions::agent_forwarding, false},
    {"no-x11-forwarding", &KeyOptions::x11_forwarding, false},
    {"no-pty", &KeyOptions::pty, false},
    {"no-user-rc", &KeyOptions::user_rc, false},
    {"port-forwarding", &KeyOptions::port_forwarding, true},
    {"agent-forwarding", &KeyOptions::agent_forwarding, true},
    {"x11-forwarding", &KeyOptions::x11_forwarding, true},
    {"pty", &KeyOptions::pty, true},
    {"user-rc", &KeyOptions::user_rc, true},
    {"no-touch-required", &KeyOptions::no_touch_required, true},
    {"verify-required", &KeyOptions::verify_required, true},
};

// One option whose name is taken already.
KeyLine apply_with_value(std::string_view name, std::string_view& rest, const KeyCandidate& candidate, KeyOptions& options) {
  Value value;
  if (!take_value(rest, value)) return {KeyLine::Verdict::refused, "an option's value must be in double quotes"};
  if (value.view().find('\0') != std::string_view::npos) return {KeyLine::Verdict::refused, "a zero byte in an option"};
  if (same_name(name, "command")) {
    if (options.forced) return {KeyLine::Verdict::refused, "command= twice"};
    options.forced = true;
    options.command = value;
    return {KeyLine::Verdict::admits};
  }
  if (same_name(name, "from")) return check_from(value.view(), candidate);
  if (same_name(name, "expiry-time")) return check_expiry(value.view(), candidate);
  if (same_name(name, "permitopen") || same_name(name, "permitlisten")) {
    if (value.view().empty()) return {KeyLine::Verdict::refused, "permitopen= and permitlisten= name a place"};
    (same_name(name, "permitopen") ? options.permitopen : options.permitlisten) = true;
    return {KeyLine::Verdict::admits};
  }
  if (same_name(name, "environment")) return {KeyLine::Verdict::admits, "", "environment="};
  return {KeyLine::Verdict::refused, "unknown option"};
}

KeyLine apply_options(std::string_view text, const KeyCandidate& candidate, KeyOptions& options) {
  KeyLine result{KeyLine::Verdict::admits};
  while (true) {
    const std::size_t end = std::min(text.find_first_of(",="), text.size());
    const std::string_view name = text.substr(0, end);
    const bool has_value = end < text.size() && text[end] == '=';
    text.remove_prefix(end + (has_value ? 1 : 0));
    if (has_value) {
      const KeyLine one = apply_with_value(name, text, candidate, options);
      if (one.verdict == KeyLine::Verdict::refused) return one;
      if (one.ignored[0] != '\0') result.ignored = one.ignored;
    } else if (same_name(name, "restrict")) {
      options.port_forwarding = options.agent_forwarding = options.x11_forwarding = options.pty = options.user_rc = false;
    } else {
      const auto flag = std::ranges::find_if(flags, [&](const Flag& f) { return same_name(f.name, name); });
      if (flag == std::end(flags)) return {KeyLine::Verdict::refused, "unknown option"};
      options.*flag->field = flag->value;
    }
    if (text.empty()) return result;
    if (text.front() != ',') return {KeyLine::Verdict::refused, "options are separated by commas"};
    text.remove_prefix(1);
  }
}

void keep_comment(std::string_view comment, KeyOptions& options) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,_+@-";
  options.comment.clear();
  options.comment.add(comment.substr(0, comment.find_first_not_of(allowed)));
}

}  // namespace

KeyLine judge_key_line(std::string_view line, const KeyCandidate& candidate, KeyOptions& options) {
  std::string_view rest = without_leading_blanks(line);
  if (rest.empty() || rest.front() == '#') return {};

  std::string_view after_type = rest;
  std::string_view option_text;
  std::string_view type = take_word(after_type);
  if (type != candidate.type) {
    if (looks_like_a_key_type(type)) return {};
    after_type = rest;
    if (!take_options(after_type, option_text)) return {KeyLine::Verdict::refused, "a quotation does not end"};
    type = take_word(after_type);
    if (type != candidate.type) return {};
  }
  if (!is_blob(take_word(after_type), candidate.blob)) return {};

  options = {};
  KeyLine result{KeyLine::Verdict::admits};
  if (!option_text.empty()) result = apply_options(option_text, candidate, options);
  if (result.verdict == KeyLine::Verdict::admits) keep_comment(after_type, options);
  return result;
}

// --- lines ----------------------------------------------------------------------------------------

MutableBytes KeyFileLines::space() {
  if (begin_ != 0) {
    std::copy(buffer_.begin() + begin_, buffer_.begin() + end_, buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {  // no newline in all of it
    skipping_ = true;
    end_ = 0;
  }
  return std::as_writable_bytes(std::span(buffer_)).subspan(end_);
}

void KeyFileLines::filled(std::size_t bytes) { end_ += bytes; }

std::optional<std::string_view> KeyFileLines::next(bool at_end) {
  while (begin_ != end_ || (at_end && skipping_)) {
    const std::string_view waiting(&buffer_[begin_], end_ - begin_);
    const std::size_t newline = waiting.find('\n');
    if (newline == std::string_view::npos && !at_end) return std::nullopt;
    const std::string_view line = waiting.substr(0, newline);
    begin_ += line.size() + (newline != std::string_view::npos ? 1 : 0);
    ++number_;
    if (std::exchange(skipping_, false)) {
      ++too_long_;
      last_too_long_ = number_;
      continue;
    }
    return line;
  }
  return std::nullopt;
}

}  // namespace sshape::posix
