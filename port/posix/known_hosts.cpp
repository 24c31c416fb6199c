#include "port/posix/known_hosts.hpp"

#include <array>

#include "core/crypto/hmac_sha1.hpp"
#include "core/crypto/key_files.hpp"

namespace sshape::posix {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view next_word(std::string_view& line) {
  const auto begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return line = {};
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// * and ? as in a shell. Goes back to the last star only, so no pattern makes it slow.
bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, after_star = std::string_view::npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || lower(pattern[p]) == name[n])) {
      ++p;
      ++n;
    } else if (after_star != std::string_view::npos) {
      p = after_star;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// |1|SALT|HASH, both in base64: HMAC-SHA1 of the name, keyed by the salt.
bool matches_hash(std::string_view salt_and_hash, std::string_view name) {
  const auto bar = salt_and_hash.find('|');
  if (bar == std::string_view::npos) return false;
  std::array<std::byte, 64> salt;
  crypto::Sha1Digest hash;
  const auto salt_size = crypto::base64_decode(salt_and_hash.substr(0, bar), salt);
  const auto hash_size = crypto::base64_decode(salt_and_hash.substr(bar + 1), hash);
  if (!salt_size || !hash_size || *hash_size != hash.size()) return false;
  return crypto::hmac_sha1(Bytes(salt).first(*salt_size), bytes_of(name)) == hash;
}

bool names_host(std::string_view field, std::string_view name) {
  constexpr std::string_view hashed = "|1|";
  if (field.starts_with(hashed)) return matches_hash(field.substr(hashed.size()), name);
  bool found = false;
  while (!field.empty()) {
    const auto comma = field.find(',');
    std::string_view pattern = field.substr(0, comma);
    field.remove_prefix(comma == std::string_view::npos ? field.size() : comma + 1);
    const bool negated = pattern.starts_with('!');
    if (negated) pattern.remove_prefix(1);
    if (pattern.empty() || !matches_pattern(pattern, name)) continue;
    if (negated) return false;  // whatever else is in the list
    found = true;
  }
  return found;
}

struct Parts {
  std::string_view marker, type, key;
};

// All empty: the line says nothing about this host.
Parts parts_about(std::string_view name, std::string_view line) {
  Parts parts;
  std::string_view hosts = next_word(line);
  if (hosts.starts_with('#')) return {};
  if (hosts.starts_with('@')) {
    parts.marker = hosts;
    hosts = next_word(line);
  }
  parts.type = next_word(line);
  parts.key = next_word(line);
  if (parts.key.empty() || !names_host(hosts, name)) return {};
  return parts;
}

}  // namespace

KnownHost judge_known_host(std::string_view line, std::string_view name, std::string_view key_type, Bytes key_blob) {
  const Parts parts = parts_about(name, line);
  const bool revokes = parts.marker == "@revoked";
  if (parts.key.empty() || (!parts.marker.empty() && !revokes)) return KnownHost::other;
  std::array<std::byte, 2048> decoded;
  const auto size = crypto::base64_decode(parts.key, decoded);
  if (!size) return KnownHost::other;
  const bool same = same_bytes(Bytes(decoded).first(*size), key_blob);
  if (revokes) return same ? KnownHost::revoked : KnownHost::other;
  if (same) return KnownHost::match;
  return parts.type == key_type ? KnownHost::mismatch : KnownHost::other_type;
}

std::string_view known_key_type(std::string_view line, std::string_view name) {
  const Parts parts = parts_about(name, line);
  return parts.marker.empty() ? parts.type : std::string_view{};
}

KnownHostFinding weigh(const KnownHostFinding& with_port, const KnownHostFinding& bare, bool bare_binds) {
  for (const KnownHost strong : {KnownHost::revoked, KnownHost::match}) {
    if (with_port.verdict == strong) return with_port;
    if (bare.verdict == strong) return bare;
  }
  if (!bare_binds || with_port.verdict == KnownHost::mismatch) return with_port;
  if (bare.verdict == KnownHost::mismatch) return bare;
  return with_port.verdict == KnownHost::other ? bare : with_port;
}

}  // namespace sshape::posix
