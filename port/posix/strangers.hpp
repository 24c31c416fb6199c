// Connections that have not logged in yet, and how many there may be (COMPAT: before login).
#pragma once

#include <array>
#include <cstddef>

#include "port/posix/build_settings.hpp"
#include "port/posix/descriptor.hpp"
#include "port/posix/socket.hpp"

namespace sshape::posix {

class Strangers {
 public:
  static constexpr std::size_t most = build_settings::strangers;
  static constexpr std::size_t most_of_one_source = build_settings::strangers_of_one_source;

  bool admits(const Source& source) const;
  // `pipe` is readable once the connection has logged in or is gone.
  void add(const Source& source, Descriptor pipe);
  void remove(std::size_t place) { entries_[place].pipe.reset(); }

  // Places are numbered to `most`; -1: nobody is there.
  int pipe(std::size_t place) const { return entries_[place].pipe.get(); }

 private:
  struct Entry {
    Source source;
    Descriptor pipe;
  };
  std::array<Entry, most> entries_;
};

}  // namespace sshape::posix
