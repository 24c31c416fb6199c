#include "port/posix/children.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>

#include "port/posix/build_settings.hpp"
#include "port/posix/child.hpp"
#include "port/posix/log.hpp"
#include "port/posix/signal_names.hpp"

namespace sshape::posix {

namespace {

constexpr const char* usual_sftp_servers[] = {
    "/usr/libexec/sftp-server", "/usr/lib/openssh/sftp-server", "/usr/lib/sftp-server",
};

const char* find_sftp_server() {
  if (build_settings::sftp_server[0] != '\0') return build_settings::sftp_server;
  for (const char* const path : usual_sftp_servers)
    if (::access(path, X_OK) == 0) return path;
  return nullptr;
}

Descriptor duplicate(int fd) { return Descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

}  // namespace

Answer Children::start(const Question& question, const Account& account, const KeyOptions& key) {
  Answer answer;
  answer.kind = AnswerKind::started;
  answer.id = question.id;
  answer.channel = question.channel;

  Entry* const entry = free_entry();
  if (entry == nullptr || (question.pty && !key.pty)) return answer;
  const char* const command = command_of(question, key);
  if (command == nullptr && (question.start != event::Start::shell || forced(key))) return answer;

  Pty pty;
  if (question.pty && !open_pty(question.size, question.modes, pty)) {
    log_warning(LogLine("No terminal: ").add(error_text(errno)));
    return answer;
  }
  build_environment(question, account, key, question.pty ? &pty : nullptr);
  const ChildPlan plan{
      .shell = account.shell.c_str(),
      .command = command,
      .home = account.home.c_str(),
      .environment = environment_.get(),
      .pty = question.pty ? &pty : nullptr,
      .message_of_the_day = policy_.message_of_the_day && command == nullptr && question.pty,
  };
  Child child;
  if (!start_child(plan, child)) {
    log_warning(LogLine("Cannot start a command: ").add(error_text(errno)));
    return answer;
  }
  *entry = Entry{};
  entry->used = true;
  entry->channel = question.channel;
  entry->pid = child.pid;
  if (question.pty) {
    entry->master = duplicate(pty.master.get());
    answer.descriptors[0] = std::move(pty.master);
  } else {
    answer.descriptors = {std::move(child.input), std::move(child.output), std::move(child.error)};
  }
  answer.success = true;
  return answer;
}

// What the shell runs; null: itself, or nothing (a subsystem that is not there, a command with a zero
// byte). A forced command comes over everything.
const char* Children::command_of(const Question& question, const KeyOptions& key) {
  const char* asked = nullptr;
  if (question.start == event::Start::subsystem) {
    asked = question.command == "sftp" ? find_sftp_server() : nullptr;
    command_.clear();
    command_.add(asked != nullptr ? std::string_view(asked) : question.command);
  } else if (question.start == event::Start::exec) {
    command_.clear();
    command_.add(question.command);
    if (question.command.find('\0') != std::string_view::npos) return nullptr;
    asked = command_.c_str();
  } else {
    command_.clear();
  }
  if (policy_.forced_command != nullptr) return policy_.forced_command;
  if (key.forced) return key.command.c_str();
  return asked;
}

void Children::build_environment(const Question& question, const Account& account, const KeyOptions& key, const Pty* pty) {
  environment_.clear();
  if (policy_.give_environment) environment_.take_own();
  if (const char* const language = ::getenv("LANG"); language != nullptr) environment_.set("LANG", language);
  for (std::string_view rest = question.environment; !rest.empty();) {
    const std::string_view entry = rest.substr(0, rest.find('\0'));
    const std::size_t equals = entry.find('=');
    if (equals != std::string_view::npos && peer_may_set(entry.substr(0, equals)))
      environment_.set(entry.substr(0, equals), entry.substr(equals + 1));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
  }
  environment_.set("USER", account.name.view());
  environment_.set("LOGNAME", account.name.view());
  environment_.set("HOME", account.home.view());
  environment_.set("SHELL", account.shell.view());
  environment_.set("PATH", account.uid == 0 ? build_settings::root_path : build_settings::path);
  if (pty != nullptr) {
    environment_.set("TERM", question.term);
    environment_.set("SSH_TTY", pty->name.view());
  }
  if (policy_.peer.is_tcp() && policy_.local.is_tcp()) {
    Text<200> client, connection;
    client.add(policy_.peer.host().view()).add(' ').add_number(policy_.peer.port()).add(' ');
    connection.add(client.view()).add(policy_.local.host().view()).add(' ').add_number(policy_.local.port());
    environment_.set("SSH_CONNECTION", connection.view());
    environment_.set("SSH_CLIENT", client.add_number(policy_.local.port()).view());
  }
  if (!key.comment.empty()) environment_.set("SSH_PUBKEYINFO", key.comment.view());
  if (forced(key) && !command_.empty()) environment_.set("SSH_ORIGINAL_COMMAND", command_.view());
}

void Children::resize(ChannelId channel, WindowSize size) {
  if (const Entry* const entry = find(channel); entry != nullptr && entry->master) set_window_size(entry->master.get(), size);
}

void Children::signal(ChannelId channel, std::string_view name, const KeyOptions& key) {
  const Entry* const entry = find(channel);
  const int number = signal_of_name(name);
  if (entry == nullptr || entry->exited || number == 0 || forced(key)) return;
  if (::kill(-entry->pid, number) != 0) ::kill(entry->pid, number);  // it may not lead its group yet
}

void Children::hang_up(ChannelId channel) {
  Entry* const entry = find(channel);
  if (entry == nullptr) return;
  if (!entry->exited && ::kill(-entry->pid, SIGHUP) != 0) ::kill(entry->pid, SIGHUP);
  *entry = Entry{};  // whoever it was is reaped without a word
}

void Children::reap() {
  int status = 0;
  for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG)) {
    const auto entry = std::ranges::find_if(entries_, [&](const Entry& e) { return e.used && !e.exited && e.pid == pid; });
    if (entry == entries_.end()) continue;
    entry->exited = true;
    entry->wait_status = status;
    exited_ = true;
  }
}

std::optional<Answer> Children::next_exited() {
  if (!exited_) return std::nullopt;
  for (Entry& entry : entries_) {
    if (!entry.used || !entry.exited || entry.reported) continue;
    entry.reported = true;
    Answer answer;
    answer.kind = AnswerKind::exited;
    answer.channel = entry.channel;
    answer.wait_status = entry.wait_status;
    return answer;
  }
  exited_ = false;
  return std::nullopt;
}

Children::Entry* Children::find(ChannelId channel) {
  for (Entry& entry : entries_)
    if (entry.used && entry.channel == channel) return &entry;
  return nullptr;
}

Children::Entry* Children::free_entry() {
  for (Entry& entry : entries_)
    if (!entry.used) return &entry;
  return nullptr;
}

}  // namespace sshape::posix
