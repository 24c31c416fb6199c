// The peer's requests of one channel whose replies are owed. They go out in the order of the requests
// (RFC 4254, 5.4), in whatever order the port answers.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "core/events.hpp"
#include "profiles/active.hpp"

namespace sshape::connection {

class OwedReplies {
 public:
  enum class Kind : std::uint8_t { other, terminal, start };

  bool full() const { return size_ == entries_.size(); }
  void clear() { size_ = 0; }

  // A question to the port. Without want_reply it takes a place until it is answered, no longer.
  void ask(QuestionId question, Kind kind, bool want_reply) {
    entries_[size_++] = {question, State::waiting, kind, want_reply};
  }
  // A reply that is certain already.
  void reply(bool success) {
    entries_[size_++] = {QuestionId::none, success ? State::success : State::failure, Kind::other, true};
  }

  // The port's answer. Nothing: the question is none of these, or is answered already.
  std::optional<Kind> answer(QuestionId question, bool success) {
    for (std::size_t i = 0; i < size_; ++i) {
      Entry& entry = entries_[i];
      if (entry.state != State::waiting || entry.question != question) continue;
      const Kind kind = entry.kind;
      entry.state = success ? State::success : State::failure;
      if (!entry.want_reply) erase(i);
      return kind;
    }
    return std::nullopt;
  }

  // The reply whose turn it is, true for success. Nothing: none is owed, or the port has not answered.
  std::optional<bool> next() const {
    if (size_ == 0 || entries_[0].state == State::waiting) return std::nullopt;
    return entries_[0].state == State::success;
  }
  void sent() { erase(0); }

 private:
  enum class State : std::uint8_t { waiting, success, failure };
  struct Entry {
    QuestionId question;
    State state;
    Kind kind;
    bool want_reply;
  };

  void erase(std::size_t at) {
    std::copy(entries_.data() + at + 1, entries_.data() + size_, entries_.data() + at);
    --size_;
  }

  std::array<Entry, active::profile.pending_requests> entries_{};
  std::uint16_t size_ = 0;
};

}  // namespace sshape::connection
