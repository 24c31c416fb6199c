// One connection of the client: what becomes of the session's events, the user's typing and signals.
#pragma once

#include "core/session.hpp"
#include "port/posix/ask.hpp"
#include "port/posix/escapes.hpp"
#include "port/posix/programs/client_login.hpp"
#include "port/posix/programs/client_options.hpp"
#include "port/posix/programs/host_key_check.hpp"
#include "port/posix/session_pump.hpp"
#include "port/posix/shared_descriptor.hpp"
#include "port/posix/terminal.hpp"

namespace sshape::posix {

class ClientConnection final : public PumpOwner {
 public:
  ClientConnection(const ClientOptions& options, const SessionConfig& config, const KnownHostsFiles& known_hosts,
                   Identities& identities, crypto::Random& random, Pages& pages, Descriptor socket);

  // Until the connection has ended and its output is written. The program's exit status; or, as a
  // negative number, the signal that it is to die of.
  int run();

 private:
  // Whose answer the user is typing.
  enum class Asking : unsigned char { nothing, host_key, password };

  void on_event(const Event& event) override;
  void on_sink_broken(ChannelId channel, Stream stream) override;
  Reading read_source(ChannelId channel, Stream stream, int fd, MutableBytes space) override;
  ssize_t write_sink(ChannelId channel, Stream stream, int fd, Bytes data) override;

  Instant wake_at() const;
  void watch_clock();
  void take_signals();
  void take_answer();
  void on_host_key(HostKeyCheck::Step step);
  void on_login(ClientLogin::Step step);
  void on_logged_in();
  void on_opened(ChannelId channel);
  void on_reply(bool success);
  void on_ended(const event::Ended& ended);
  bool ask_user(Asking what, std::string_view prompt, bool echo);
  bool request_terminal(ChannelId channel);
  void attach_streams(ChannelId channel);
  void begin_raw();
  void leave_raw();
  bool go_into_background();
  Reading read_typing(MutableBytes space);
  void grant(const Escapes::Wishes& wishes);
  void suspend();
  void tell_size();
  void fail();  // ends the session; a line has said why
  int exit_status() const;

  const ClientOptions& options_;
  HostKeyCheck host_key_;
  ClientLogin login_;
  Session session_;
  SessionPump pump_;
  Instant end_at_;            // -M
  Instant keys_by_;           // ConnectTimeout: the server is to have shown its host key
  Instant close_by_ = never;  // a channel of ours is to have closed

  Question question_;
  Asking asking_ = Asking::nothing;
  RawTerminal raw_;
  Escapes escapes_;
  std::array<std::byte, 512> typed_;  // what the escapes left of the typing, on its way
  Bytes typed_left_;

  ChannelId channel_{};
  bool channel_open_ = false;
  bool terminal_ = false;         // there is one at the other end
  unsigned replies_before_start_ = 0;  // to requests that come before the command's
  bool start_replied_ = false;
  std::array<SharedEnd::Kind, 2> sinks_{};  // by Stream
  SharedEnd::Kind source_ = SharedEnd::Kind::asked;

  bool failed_ = false;
  bool output_whole_ = false;   // nothing of it is still to come
  bool output_broken_ = false;
  int output_error_ = 0;        // of the last write to it that failed
  int command_status_ = -1;
  int fatal_signal_ = 0;
};

}  // namespace sshape::posix
