// The known_hosts files of a user: one host looked up, and added.
#pragma once

#include "core/bytes.hpp"
#include "port/posix/few.hpp"
#include "port/posix/known_hosts.hpp"
#include "port/posix/text.hpp"

namespace sshape::posix {

class KnownHostsFiles {
 public:
  // How the names of hosts at other ports than 22 are written and read.
  enum class Naming : unsigned char {
    dropbear,  // written bare; a bare name binds
    openssh,   // written "[host]:port"; a bare name is only trusted
  };
  KnownHostsFiles(std::string_view host, unsigned port, Naming naming);

  // In the order of their being asked; the first is written to. False: there are too many, or the path
  // is too long.
  bool add_file(std::string_view path);

  KnownHostFinding find(std::string_view key_type, Bytes key_blob) const;
  // The types of the keys that the host is known by, as a name-list.
  Text<256> key_types() const;

  // Writes the key down; the file's folder is made if it is missing. An error of the system's, or 0.
  int remember(Bytes key_blob) const;

  const char* written_to() const { return files_.empty() ? "" : files_[0].c_str(); }

 private:
  KnownHostFinding find_name(std::string_view name, std::string_view key_type, Bytes key_blob) const;
  std::string_view name_to_write() const { return naming_ == Naming::dropbear ? bare_.view() : with_port_.view(); }

  Naming naming_;
  Text<255> bare_;
  Text<264> with_port_;  // at port 22 the same
  Few<Text<1023>, 4> files_;
};

}  // namespace sshape::posix
