// One connection of the server: a session, its authority, and what becomes of its events.
#pragma once

#include "core/session.hpp"
#include "port/posix/authority.hpp"
#include "port/posix/log.hpp"
#include "port/posix/session_pump.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

struct ConnectionPlan {
  SessionConfig session;
  Microseconds session_limit = 0;  // -M; 0: none
  bool quality_of_service = true;
};

class ServerConnection final : public PumpOwner {
 public:
  // `login_pipe` tells the listener: a byte when the peer is logged in, its end when we are gone.
  ServerConnection(const ConnectionPlan& plan, Authority& authority, crypto::Random& random, Pages& pages,
                   Descriptor in, Descriptor out, Descriptor login_pipe);

  // One turn, as the loop of the process wants it.
  void watch(PollSet& set);
  Instant wake_at() const;
  void move(const PollSet& set, Instant now);
  bool ended() const { return session_.ended(); }        // what is left is to say so to the peer
  bool finished() const { return pump_.finished(); }

  void end(Disconnect reason, std::string_view text);  // from our side
  // Why it ended, for the log's last line. No byte of the peer's is in it.
  std::string_view end_text() const { return end_text_.view(); }
  bool tries_used_up() const { return tries_used_up_; }
  bool logged_in() const { return logged_in_; }
  std::uint32_t login_failures() const { return session_.login_failures(); }

 private:
  struct Channel {
    enum class State : std::uint8_t {
      none,
      open,      // nothing was started
      starting,  // the authority was asked
      running,
      exited,    // the child is reaped; its output may not be at its end
      closing,   // the session was told to close it
    };
    State state = State::none;
    bool has_pty = false;
    WindowSize size;
    Text<active::profile.term> term;
    std::array<std::byte, active::profile.terminal_modes> modes;
    std::size_t modes_size = 0;
    Text<2 * (active::profile.environment_name + active::profile.environment_value)> environment;  // NAME=VALUE\0...
    QuestionId start = QuestionId::none;
    int wait_status = 0;
    Instant look_again_at = never;  // exited: at the outputs; running: whether the input took what the peer sent
    bool outputs_ended = false;
    bool peer_closed = false;
  };

  void on_event(const Event& event) override;
  void on_sources_ended(ChannelId channel) override;

  void on_login_request(const event::LoginRequest& request);
  void on_logged_in();
  void on_pty(const event::PtyRequest& request);
  void on_env(const event::EnvRequest& request);
  void on_start(const event::StartRequest& request);
  void on_peer_closed(ChannelId id);
  void on_ended(const event::Ended& ended);

  void ask(const Question& question);
  void take_answers();
  void on_started(Answer& answer);
  void on_exited(const Answer& answer);
  void look_after(ChannelId id, Instant now);
  void report_exit(ChannelId id);
  void hang_up(ChannelId id);
  Channel& channel(ChannelId id) { return channels_[static_cast<std::size_t>(id) % channels_.size()]; }

  Authority& authority_;
  Session session_;
  SessionPump pump_;
  Descriptor login_pipe_;
  Microseconds session_limit_;
  bool quality_of_service_;
  Instant ends_at_ = never;  // -M
  bool logged_in_ = false;
  bool tries_used_up_ = false;
  bool may_have_pty_ = true;
  bool forced_command_ = false;
  Instant now_ = 0;
  std::size_t authority_polled_ = PollSet::none;
  std::array<Channel, active::profile.channels> channels_;
  std::size_t used_ = 0;  // channels from here on were never open
  LogLine end_text_;
};

}  // namespace sshape::posix
