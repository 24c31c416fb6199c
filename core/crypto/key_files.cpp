#include "core/crypto/key_files.hpp"

#include <algorithm>

#include "core/crypto/public_key.hpp"
#include "core/wire/reader.hpp"

namespace sshape::crypto {

namespace {

constexpr std::string_view begin_line = "-----BEGIN OPENSSH PRIVATE KEY-----";
constexpr std::string_view end_line = "-----END OPENSSH PRIVATE KEY-----";
constexpr std::string_view magic{"openssh-key-v1\0", 15};
constexpr std::string_view ed25519_name = "ssh-ed25519";
constexpr std::size_t line_length = 70;

bool is_blank(char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; }

std::string_view without_blanks_around(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The base64 between the armour lines, decoded into `into`; line ends of any kind are skipped. Nothing but
// white space may stand around the armour.
Expected<std::size_t> decode_armour(std::string_view text, MutableBytes into) {
  std::string_view body = without_blanks_around(text);
  if (!body.starts_with(begin_line)) {
    if (body.starts_with("-----BEGIN ")) return fault("private key in PEM: ssh-keygen -p writes it in OpenSSH's own format");
    return fault("neither OpenSSH's nor dropbear's private key format");
  }
  body.remove_prefix(begin_line.size());
  const std::size_t end = body.find(end_line);
  if (end == std::string_view::npos) return fault("OpenSSH private key: its last line is missing");
  if (body.size() != end + end_line.size()) return fault("OpenSSH private key: text after its last line");
  body = body.substr(0, end);

  std::size_t size = 0;
  Secret<4> group;
  std::size_t in_group = 0;
  bool padded = false;
  for (const char c : body) {
    if (is_blank(c)) continue;
    if (padded && in_group == 0) return fault("OpenSSH private key: base64 goes on after its padding");
    padded = padded || c == '=';
    group.space()[in_group++] = static_cast<std::byte>(c);
    if (in_group < 4) continue;
    const auto decoded = base64_decode(text_of(group.space()), into.subspan(size));
    if (!decoded) return decoded;
    size += *decoded;
    in_group = 0;
  }
  if (in_group != 0) return fault("OpenSSH private key: its base64 is cut off");
  return size;
}

// The list of private keys, in the clear: two equal check numbers, the key, its comment, padding
// 1, 2, 3 ... (PROTOCOL.key).
Expected<std::size_t> read_private_section(Bytes section, Bytes public_blob, PrivateKey& into,
                                           std::span<char> comment_into) {
  if (section.size() % 8 != 0) return fault("OpenSSH private key: not padded to blocks of 8 bytes");
  wire::Reader reader(section);
  const std::uint32_t check = reader.uint32();
  if (check != reader.uint32() || !reader.ok())
    return fault("OpenSSH private key: the check numbers differ (damaged, or wrongly decrypted)");
  if (reader.text() != ed25519_name || !reader.ok())
    return fault("private key type not in this build: ssh-ed25519 is");
  const Bytes public_key = reader.string();
  const Bytes both = reader.string();
  const std::string_view comment = reader.text();
  if (!reader.ok() || public_key.size() != 32 || both.size() != 64)
    return fault("OpenSSH private key: malformed ed25519 key");
  if (reader.rest().size() >= 16) return fault("OpenSSH private key: too much padding");
  std::uint8_t expected = 1;
  for (const std::byte pad : reader.rest())
    if (std::to_integer<std::uint8_t>(pad) != expected++) return fault("OpenSSH private key: wrong padding");

  if (Status status = PrivateKey::from_ed25519_seed(both.first(32), into); !status)
    return std::unexpected(status.error());
  std::array<std::byte, 64> space;
  wire::Writer blob(space);
  into.public_blob(blob);
  if (!same_bytes(into.ed25519_public(), public_key) || !same_bytes(into.ed25519_public(), both.last(32)) ||
      !same_bytes(blob.written(), public_blob))
    return fault("OpenSSH private key: its public half belongs to another key");
  const std::size_t copied = std::min(comment.size(), comment_into.size());
  std::copy_n(comment.begin(), copied, comment_into.begin());
  return copied;
}

Expected<std::size_t> read_openssh(Bytes file, PrivateKey& into, std::span<char> comment_into) {
  wire::Reader reader(file);
  if (text_of(reader.take(magic.size())) != magic || !reader.ok())
    return fault("OpenSSH private key: not version 1 of the format");
  const std::string_view cipher = reader.text();
  const std::string_view kdf = reader.text();
  reader.string();  // options of the key derivation
  const std::uint32_t keys = reader.uint32();
  if (!reader.ok()) return fault("OpenSSH private key: cut off");
  if (cipher != "none" || kdf != "none")
    return fault("the private key is protected by a passphrase: this build does not support that yet");
  if (keys != 1) return fault("OpenSSH private key: exactly one key in a file is expected");
  const Bytes public_blob = reader.string();
  const Bytes section = reader.string();
  if (!reader.at_end()) return fault("OpenSSH private key: cut off, or more after its end");
  return read_private_section(section, public_blob, into, comment_into);
}

bool is_dropbear_key(Bytes file) {
  const std::string_view type = wire::Reader(file).text();
  return type.starts_with("ssh-") || type.starts_with("ecdsa-");
}

Expected<std::size_t> read_dropbear_key(Bytes file, PrivateKey& into) {
  wire::Reader reader(file);
  if (reader.text() != ed25519_name) return fault("private key type not in this build: ssh-ed25519 is");
  const Bytes both = reader.string();
  if (!reader.at_end() || both.size() != 64) return fault("dropbear's private key: malformed ed25519 key");
  if (Status status = PrivateKey::from_ed25519_seed(both.first(32), into); !status)
    return std::unexpected(status.error());
  if (!same_bytes(into.ed25519_public(), both.last(32)))
    return fault("dropbear's private key: its public half belongs to another key");
  return 0;
}

}  // namespace

Expected<std::size_t> read_private_key(std::string_view text, MutableBytes scratch, PrivateKey& into,
                                       std::span<char> comment_into) {
  if (is_dropbear_key(bytes_of(text))) return read_dropbear_key(bytes_of(text), into);
  auto decoded = decode_armour(text, scratch);
  if (decoded) decoded = read_openssh(Bytes(scratch).first(*decoded), into, comment_into);
  wipe(scratch);
  return decoded;
}

Status write_private_key(const PrivateKey& key, std::string_view comment, Random& random, wire::Writer& out) {
  if (key.type() != KeyType::ed25519) return fault("no key to write");
  std::array<std::byte, 64> blob_space;
  wire::Writer blob(blob_space);
  key.public_blob(blob);

  Secret<1024> binary;
  wire::Writer file(binary.space());
  file.raw(bytes_of(magic)).string(std::string_view("none")).string(std::string_view("none"));
  file.string(std::string_view{}).uint32(1).string(blob.written());
  const std::size_t section = file.begin_string();
  const std::size_t begin = file.size();
  std::array<std::byte, 4> check;
  random.fill(check);
  file.raw(check).raw(check).string(ed25519_name).string(key.ed25519_public());
  file.uint32(64).raw(key.ed25519_seed()).raw(key.ed25519_public()).string(comment.substr(0, 512));
  for (std::uint8_t pad = 1; (file.size() - begin) % 8 != 0; ++pad) file.byte(pad);
  file.end_string(section);

  Secret<1536> text;
  wire::Writer base64(text.space());
  base64_encode(file.written(), base64);
  out.raw(bytes_of(begin_line)).byte('\n');
  for (Bytes rest = base64.written(); !rest.empty();) {
    const std::size_t line = std::min(rest.size(), line_length);
    out.raw(rest.first(line)).byte('\n');
    rest = rest.subspan(line);
  }
  out.raw(bytes_of(end_line)).byte('\n');
  if (!file.ok() || !base64.ok() || !out.ok()) return fault("the key file is larger than the space for it");
  return {};
}

Status write_dropbear_key(const PrivateKey& key, wire::Writer& out) {
  if (key.type() != KeyType::ed25519) return fault("no key to write");
  out.string(ed25519_name).uint32(64).raw(key.ed25519_seed()).raw(key.ed25519_public());
  if (!out.ok()) return fault("the key file is larger than the space for it");
  return {};
}

Status write_public_line(Bytes key_blob, std::string_view comment, wire::Writer& out) {
  out.raw(bytes_of(key_type(key_blob))).byte(' ');
  base64_encode(key_blob, out);
  if (!comment.empty()) out.byte(' ').raw(bytes_of(comment));
  if (!out.ok()) return fault("the public key is larger than the space for it");
  return {};
}

}  // namespace sshape::crypto
