// The arithmetic of credit in one direction of one channel (RFC 4254, 5.2): pure values, no clock,
// no I/O, no reference to anything.
#pragma once

#include <cstdint>

namespace sshape::connection {

// What the peer may still send us.
class ReceiveWindow {
 public:
  ReceiveWindow() = default;
  ReceiveWindow(std::uint32_t window, std::uint32_t packet) : window_(window), credit_(window), packet_(packet) {}

  // Data arrived. False: the peer sent past its credit, or a packet above the maximum.
  [[nodiscard]] bool arrived(std::uint32_t bytes);
  // Bytes left for the sink, or were discarded because the sink is closed.
  void left(std::uint32_t bytes) { owed_ += bytes; }

  // Credit to return now, 0 while batching: all that is owed, once that is a packet or a sixteenth of
  // the window, whichever is more, but never above a quarter of the window; and at once while the
  // sender's remaining credit is less than a packet, for which some senders wait.
  std::uint32_t due() const;
  // An SSH_MSG_CHANNEL_WINDOW_ADJUST of due() was composed.
  void returned(std::uint32_t bytes);
  // The window is larger from now on: the difference is owed.
  void grow(std::uint32_t bytes) { window_ += bytes, owed_ += bytes; }

  std::uint32_t window() const { return window_; }
  std::uint32_t credit() const { return credit_; }       // granted and not used
  std::uint32_t buffered() const { return window_ - credit_ - owed_; }
  std::uint32_t packet() const { return packet_; }

 private:
  std::uint32_t window_ = 0;
  std::uint32_t credit_ = 0;
  std::uint32_t owed_ = 0;    // gone, and not yet given back
  std::uint32_t packet_ = 0;  // the maximum packet that we advertised
};

// What we may still send.
class SendWindow {
 public:
  SendWindow() = default;
  SendWindow(std::uint32_t credit, std::uint32_t packet) : credit_(credit), packet_(packet) {}

  // False: the sum passes 2^32 - 1, which is the peer's error.
  [[nodiscard]] bool adjust(std::uint32_t bytes);
  // The most that one packet may carry now.
  std::uint32_t sendable(std::uint32_t limit) const;
  void sent(std::uint32_t bytes) { credit_ -= bytes; }
  std::uint32_t credit() const { return credit_; }

 private:
  std::uint32_t credit_ = 0;
  std::uint32_t packet_ = 0;  // the peer's maximum packet
};

}  // namespace sshape::connection
