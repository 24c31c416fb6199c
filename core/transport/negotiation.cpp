#include "core/transport/negotiation.hpp"

#include "core/crypto/public_key.hpp"
#include "core/wire/message_numbers.hpp"

namespace sshape::transport {

using wire::NameList;

namespace {

bool loaded(const OurOffer& ours, std::string_view algorithm) {
  const std::string_view type = crypto::key_type_of_algorithm(algorithm);
  for (const Bytes blob : ours.loaded_keys)
    if (crypto::key_type(blob) == type) return true;
  return false;
}

// Our host key algorithms in our order. A client begins with those of keys that it knows for the
// host; a server offers only what it has a key for.
template <class Visit>
void each_host_key(Role role, const OurOffer& ours, Visit visit) {
  const NameList all(ours.host_keys);
  const NameList first(ours.host_keys_first);
  if (role == Role::server) {
    for (const std::string_view name : all)
      if (loaded(ours, name)) visit(name);
    return;
  }
  for (const std::string_view name : first)
    if (all.contains(name)) visit(name);
  for (const std::string_view name : all)
    if (!first.contains(name)) visit(name);
}

class ListWriter {
 public:
  explicit ListWriter(wire::Writer& out) : out_(out), mark_(out.begin_string()) {}
  ~ListWriter() { out_.end_string(mark_); }
  void add(std::string_view names) {
    if (names.empty()) return;
    if (!empty_) out_.byte(',');
    out_.raw(bytes_of(names));
    empty_ = false;
  }

 private:
  wire::Writer& out_;
  std::size_t mark_;
  bool empty_ = true;
};

// The name as the profile spells it, so that it outlives the peer's message.
std::optional<std::string_view> own(std::string_view list, std::string_view name) {
  for (const std::string_view ours : NameList(list))
    if (ours == name) return ours;
  return std::nullopt;
}

std::optional<std::string_view> agree(Role role, std::string_view ours, NameList theirs) {
  const NameList mine(ours);
  const auto name = role == Role::client ? first_common(mine, theirs) : first_common(theirs, mine);
  return name ? own(ours, *name) : std::nullopt;
}

bool stands_before(NameList list, std::string_view one, std::string_view other) {
  for (const std::string_view name : list)
    if (name == one || name == other) return name == one;
  return false;
}

}  // namespace

Expected<Offer> parse_kexinit(wire::Reader& message) {
  message.take(16);  // cookie
  Offer offer;
  NameList* const lists[] = {&offer.kex,         &offer.host_keys,      &offer.ciphers_out,
                             &offer.ciphers_in,  &offer.macs_out,       &offer.macs_in,
                             &offer.compression_out, &offer.compression_in};
  for (NameList* list : lists) {
    *list = NameList(message.text());
    if (!well_formed(*list))
      return fault("KEXINIT: a name-list holds an empty, overlong or unprintable name");
  }
  for (int language = 0; language < 2; ++language)
    if (!well_formed(NameList(message.text())))
      return fault("KEXINIT: a list of languages is malformed");
  offer.first_kex_packet_follows = message.boolean();
  message.uint32();  // reserved
  if (!message.at_end()) return fault("KEXINIT: not ten name-lists, a boolean and a uint32");
  return offer;
}

void write_kexinit(Role role, const OurOffer& ours, wire::Writer& out) {
  const AlgorithmLists& lists = active::profile.algorithms;
  out.byte(number(wire::Message::kexinit)).raw(ours.cookie);
  {
    ListWriter kex(out);
    kex.add(ours.kex);
    if (ours.first_exchange) {
      if (role == Role::client) kex.add(ext_info_client);
      kex.add(role == Role::client ? strict_client : strict_server);
    }
  }
  {
    ListWriter host_keys(out);
    each_host_key(role, ours, [&](std::string_view name) { host_keys.add(name); });
  }
  out.string(ours.ciphers).string(ours.ciphers);
  out.string(lists.macs).string(lists.macs);
  out.string(lists.compression).string(lists.compression);
  out.string(std::string_view{}).string(std::string_view{});  // languages
  out.boolean(false).uint32(0);
}

Expected<Agreed> negotiate(Role role, const OurOffer& ours, const Offer& theirs) {
  constexpr auto failed = Disconnect::key_exchange_failed;
  Agreed agreed;

  const auto kex = agree(role, ours.kex, theirs.kex);
  if (!kex) return fault("no common key exchange algorithm", failed);
  agreed.kex = *kex;

  // The client's first that both have; each_host_key() walks ours, so a server looks for the one that
  // stands earliest in the client's list.
  std::optional<std::string_view> host_key;
  std::string_view our_first_host_key;
  each_host_key(role, ours, [&](std::string_view name) {
    if (our_first_host_key.empty()) our_first_host_key = name;
    if (!theirs.host_keys.contains(name)) return;
    if (!host_key || (role == Role::server && stands_before(theirs.host_keys, name, *host_key)))
      host_key = own(ours.host_keys, name);
  });
  if (!host_key) return fault("no common host key algorithm", failed);
  agreed.host_key = *host_key;

  const auto cipher_out = agree(role, ours.ciphers, theirs.ciphers_out);
  const auto cipher_in = agree(role, ours.ciphers, theirs.ciphers_in);
  if (!cipher_out || !cipher_in) return fault("no common cipher", failed);
  agreed.cipher_out = *cipher_out;
  agreed.cipher_in = *cipher_in;

  const std::string_view compression = active::profile.algorithms.compression;
  if (!agree(role, compression, theirs.compression_out) ||
      !agree(role, compression, theirs.compression_in))
    return fault("no common compression: \"none\" is expected in both lists", failed);

  const auto kex_algorithm = crypto::kex_algorithm(agreed.kex);
  const auto out_algorithm = crypto::cipher_algorithm(agreed.cipher_out);
  const auto in_algorithm = crypto::cipher_algorithm(agreed.cipher_in);
  if (!kex_algorithm || !out_algorithm || !in_algorithm)
    return fault("the profile lists an algorithm that this build lacks", failed);
  agreed.kex_algorithm = *kex_algorithm;
  agreed.cipher_out_algorithm = *out_algorithm;
  agreed.cipher_in_algorithm = *in_algorithm;

  // An AEAD cipher brings its own integrity: the lists of MACs say nothing then.
  const auto mac = [&](crypto::CipherAlgorithm cipher, NameList list, crypto::MacAlgorithm& into) {
    if (!crypto::needs_mac(cipher)) return true;
    const auto name = agree(role, active::profile.algorithms.macs, list);
    const auto algorithm = name ? crypto::mac_algorithm(*name) : std::nullopt;
    if (algorithm) into = *algorithm;
    return algorithm.has_value();
  };
  if (!mac(agreed.cipher_out_algorithm, theirs.macs_out, agreed.mac_out_algorithm) ||
      !mac(agreed.cipher_in_algorithm, theirs.macs_in, agreed.mac_in_algorithm))
    return fault("no common MAC for a cipher that needs one", failed);

  // RFC 4253, 7: a guess is right if both first choices are the same on both sides. (A guess under
  // kexguess2@matt.ucc.asn.au needs that name in both lists; we do not send it.)
  agreed.guess_right = theirs.kex.first() == NameList(ours.kex).first() &&
                       theirs.host_keys.first() == our_first_host_key;

  const bool client = role == Role::client;
  agreed.peer_takes_ext_info = theirs.kex.contains(client ? ext_info_server : ext_info_client);
  agreed.peer_strict = theirs.kex.contains(client ? strict_server : strict_client);
  return agreed;
}

}  // namespace sshape::transport
