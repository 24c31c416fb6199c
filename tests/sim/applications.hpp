// What runs on top of the two sessions of a simulation: a client that logs in, runs one command,
// sends a pattern and checks one; a server that answers every question, now or later.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "core/session.hpp"
#include "tests/support/seeded.hpp"

namespace sshape::test {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

struct Plan {
  std::uint64_t up = 0;     // bytes from client to server
  std::uint64_t down = 0;   // bytes from server to client, standard output
  std::uint64_t error = 0;  // and standard error
  bool password = false;
  bool wrong_first = false;  // the first password is wrong
  std::uint64_t client_rekey = std::uint64_t{1} << 40;  // bytes
  std::uint64_t server_rekey = std::uint64_t{1} << 40;
  std::uint32_t exit_status = 0;
  std::uint32_t late = 0;  // one answer in `late` comes later; 0: all come at once
  std::string_view cipher;
  std::string_view kex;
  std::uint32_t window = 0;  // -W
};

// Byte number `at` of a stream: any loss, repetition or swap shows.
inline std::byte pattern(std::uint64_t at, std::uint8_t which) {
  const std::uint64_t x = (at + which) * 0x9E3779B97F4A7C15ull;
  return static_cast<std::byte>(x >> 56);
}

// A sink that takes some of what it is offered, sometimes nothing, and checks all of it.
class Sink {
 public:
  Sink(Seeded& dice, std::uint8_t which) : dice_(dice), which_(which) {}
  std::size_t take(Bytes offered) {
    std::size_t n = offered.size();
    if (dice_.one_in(4)) n = dice_.below(n + 1);
    for (std::size_t i = 0; i < n; ++i)
      if (offered[i] != pattern(at_ + i, which_)) intact_ = false;
    at_ += n;
    return n;
  }
  std::uint64_t taken() const { return at_; }
  bool intact() const { return intact_; }

 private:
  Seeded& dice_;
  std::uint8_t which_;
  std::uint64_t at_ = 0;
  bool intact_ = true;
};

class Source {
 public:
  Source(Seeded& dice, std::uint8_t which, std::uint64_t size) : dice_(dice), which_(which), size_(size) {}
  std::size_t give(MutableBytes space) {
    const std::size_t n = std::min<std::uint64_t>(size_ - at_, dice_.one_in(3) ? 1 + dice_.below(space.size()) : space.size());
    for (std::size_t i = 0; i < n; ++i) space[i] = pattern(at_ + i, which_);
    at_ += n;
    return n;
  }
  bool dry() const { return at_ == size_; }

 private:
  Seeded& dice_;
  std::uint8_t which_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
};

// The parts that both ends share: a session, its one channel, sinks and sources.
class End {
 public:
  virtual ~End() = default;

  Session& session() { return *session_; }
  bool ended() const { return ended_; }
  const std::string& end_text() const { return end_text_; }
  int rekeys() const { return rekeys_; }

  // Everything that is possible now. True: something moved.
  bool run(Instant now) {
    now_ = now;
    bool moved = answer_late(now);
    for (int guard = 0; guard < 64; ++guard) {
      Event event = session_->next(now);
      if (nothing(event)) break;
      moved = true;
      handle(event);
    }
    moved |= drain();
    moved |= feed();
    return moved;
  }

 protected:
  End(Seeded& dice, const Plan& plan) : dice_(dice), plan_(plan) {}

  virtual void handle(const Event& event) = 0;
  virtual bool feed() = 0;
  virtual bool drain() = 0;

  // Now, or at some later time: the order of the application's answers is the dice's.
  void answer(std::function<void()> with) {
    if (plan_.late != 0 && dice_.one_in(plan_.late)) {
      late_.push_back({now_ + dice_.below(300'000), std::move(with)});
    } else {
      with();
    }
  }

  bool answer_late(Instant now) {
    bool any = false;
    for (std::size_t i = 0; i < late_.size();) {
      if (late_[i].at > now) { ++i; continue; }
      auto with = std::move(late_[i].with);
      late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
      with();
      any = true;
    }
    return any;
  }

  bool drain_into(Stream stream, Sink& sink) {
    bool any = false;
    while (channel_open_) {
      const Bytes waiting = session_->backlog(channel_, stream);
      if (waiting.empty()) break;
      const std::size_t n = sink.take(waiting);
      session_->consumed(channel_, stream, n);
      any |= n != 0;
      if (n < waiting.size()) break;
    }
    return any;
  }

  void offer(const event::ChannelData& data, Sink& sink) {
    session_->consumed(data.channel, data.stream, sink.take(data.data));
  }

  void note_end(const event::Ended& end) {
    ended_ = true;
    end_text_ = end.text;
  }

 public:
  Instant late_at() const {
    Instant at = never;
    for (const Late& one : late_) at = std::min(at, one.at);
    return at;
  }

 protected:
  struct Late {
    Instant at;
    std::function<void()> with;
  };
  Seeded& dice_;
  const Plan& plan_;
  MappedPages pages_;
  std::unique_ptr<Session> session_;
  std::deque<Late> late_;
  Instant now_ = 0;
  ChannelId channel_{};
  bool channel_open_ = false;
  bool ended_ = false;
  int rekeys_ = -1;  // the first exchange is none
  std::string end_text_;
};

class ServerEnd final : public End {
 public:
  ServerEnd(Seeded& dice, const Plan& plan, const Key& host_key, const Key& user_key);
  bool complete() const { return sink_.intact() && sink_.taken() == plan_.up && eof_; }

 private:
  void handle(const Event& event) override;
  bool feed() override;
  bool drain() override { return drain_into(Stream::data, sink_); }

  const Key& host_key_;
  const Key& user_key_;
  Bytes host_blobs_[1];
  Sink sink_;
  Source output_;
  Source error_;
  bool started_ = false;
  bool eof_ = false;
  bool finished_ = false;
};

class ClientEnd final : public End {
 public:
  ClientEnd(Seeded& dice, const Plan& plan, const Key& host_key, const Key& user_key);
  bool complete() const {
    return output_.intact() && error_.intact() && output_.taken() == plan_.down &&
           error_.taken() == plan_.error && status_ == plan_.exit_status && closed_;
  }
  bool closed() const { return closed_; }

 private:
  void handle(const Event& event) override;
  bool feed() override;
  bool drain() override {
    const bool one = drain_into(Stream::data, output_);
    return drain_into(Stream::error, error_) || one;
  }

  const Key& host_key_;
  const Key& user_key_;
  Sink output_;
  Sink error_;
  Source input_;
  bool started_ = false;
  bool input_ended_ = false;
  bool closed_ = false;
  int tries_ = 0;
  std::uint32_t status_ = 0xffffffff;
};

}  // namespace sshape::test
