// Control messages into the outbox, where there is room for them.
#pragma once

#include "core/events.hpp"
#include "core/transport/outbox.hpp"
#include "core/wire/message_numbers.hpp"

namespace sshape::connection {

inline constexpr std::size_t small_message = 64;  // room for any message without strings of the caller's

// `fields` writes the message, its number first. False: there is no room, and nothing has happened.
template <class Fields>
bool compose(transport::Outbox& out, std::size_t most, Fields fields) {
  wire::Writer message = out.compose(most);
  fields(message);
  if (!message.ok()) return false;
  out.commit(message);
  return true;
}

constexpr std::uint32_t number_of(PeerChannelId id) { return static_cast<std::uint32_t>(id); }

}  // namespace sshape::connection
