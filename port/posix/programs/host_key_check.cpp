#include "port/posix/programs/host_key_check.hpp"

#include <string.h>

namespace sshape::posix {

HostKeyCheck::Step HostKeyCheck::judge(const event::VerifyHostKey& key) {
  question_ = key.question;
  if (key.blob.size() > blob_.size()) {
    tell("the host key of ", options_.host.view(), " is larger than this build allows");
    return Step::refuse;
  }
  copy_bytes(blob_, key.blob);
  blob_size_ = key.blob.size();
  if (options_.host_keys == HostKeyPolicy::unchecked) {
    if (!options_.quiet)
      tell("caution: the host key of ", options_.host.view(), " is not checked (", crypto::fingerprint(blob()).text(),
           ")");
    return Step::accept;
  }

  const KnownHostFinding found = known_.find(type(), blob());
  switch (found.verdict) {
    case KnownHost::match: return Step::accept;
    case KnownHost::mismatch: return changed(found);
    case KnownHost::revoked:
      tell("THE HOST KEY OF ", options_.host.view(), " IS REVOKED by ", Foreign{found.file}, " line ", found.line);
      return Step::refuse;
    case KnownHost::other_type:
    case KnownHost::other: break;
  }
  other_types_known_ = found.verdict == KnownHost::other_type;
  return unknown();
}

HostKeyCheck::Step HostKeyCheck::unknown() {
  switch (options_.host_keys) {
    case HostKeyPolicy::only_known:
      tell("no ", Foreign{type()}, " key is known for ", options_.host.view(),
           " and StrictHostKeyChecking is yes (it showed ", crypto::fingerprint(blob()).text(), ")");
      return Step::refuse;
    case HostKeyPolicy::ask: return options_.batch ? nobody_to_ask() : Step::ask;
    case HostKeyPolicy::unchecked:
    case HostKeyPolicy::accept_new:
    case HostKeyPolicy::accept_changed: break;
  }
  if (!options_.quiet) {
    tell("the host key of ", options_.host.view(), " was not known and is taken (", Foreign{type()}, " ",
         crypto::fingerprint(blob()).text(), ")");
    if (other_types_known_) tell("warning: until now keys of other types were known for ", options_.host.view());
  }
  return remember();
}

HostKeyCheck::Step HostKeyCheck::changed(const KnownHostFinding& found) {
  tell("THE HOST KEY OF ", options_.host.view(),
       " HAS CHANGED. Somebody may be listening in, or the host was set up anew.");
  tell("it showed the ", Foreign{type()}, " key ", crypto::fingerprint(blob()).text(), "; ", Foreign{found.file},
       " line ", found.line, " has another one. If the new key is right, remove that line.");
  if (options_.host_keys != HostKeyPolicy::accept_changed) return Step::refuse;
  changed_taken_ = true;
  tell("going on, as StrictHostKeyChecking is no; passwords are not told to this host");
  return Step::accept;
}

ConsoleLine HostKeyCheck::prompt() const {
  ConsoleLine text;
  if (asked_again_) return text.add("Please type 'yes', 'no' or the fingerprint: ");
  text.add("The host ").add(options_.host.view()).add(" cannot be authenticated: its key is not known");
  if (other_types_known_) text.add(", only keys of other types");
  text.add(".\n").add_escaped(type()).add(" key fingerprint is ").add(crypto::fingerprint(blob()).text()).add(".\n");
  return text.add("Go on connecting (yes/no/fingerprint)? ");
}

HostKeyCheck::Step HostKeyCheck::answer(std::string_view users) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!users.empty() && is_blank(users.front())) users.remove_prefix(1);
  while (!users.empty() && is_blank(users.back())) users.remove_suffix(1);
  const auto is = [&](const char* word) {
    return users.size() == ::strlen(word) && ::strncasecmp(users.data(), word, users.size()) == 0;
  };
  // Dropbear's client took a single letter.
  const bool one_letter = options_.dialect == Dialect::dropbear;
  if (is("yes") || (one_letter && is("y")) || users == crypto::fingerprint(blob()).text()) return remember();
  if (is("no") || (one_letter && is("n"))) {
    tell("the host key of ", options_.host.view(), " was not accepted");
    return Step::refuse;
  }
  asked_again_ = true;
  return Step::ask;
}

HostKeyCheck::Step HostKeyCheck::nobody_to_ask() {
  tell("the host key of ", options_.host.view(), " is not known (", Foreign{type()}, " ",
       crypto::fingerprint(blob()).text(), ") and there is nobody to ask: no terminal, or BatchMode");
  return Step::refuse;
}

HostKeyCheck::Step HostKeyCheck::remember() {
  if (const int error = known_.remember(blob()); error != 0)
    tell("warning: the host key is not written down in ", Foreign{known_.written_to()}, ": ",
         std::string_view(::strerror(error)));
  return Step::accept;
}

}  // namespace sshape::posix
