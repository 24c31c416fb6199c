#include "port/posix/strangers.hpp"

namespace sshape::posix {

bool Strangers::admits(const Source& source) const {
  std::size_t all = 0, same = 0;
  for (const Entry& entry : entries_) {
    if (!entry.pipe) continue;
    ++all;
    same += entry.source == source;
  }
  return all < most && same < most_of_one_source;
}

void Strangers::add(const Source& source, Descriptor pipe) {
  for (Entry& entry : entries_) {
    if (entry.pipe) continue;
    entry.source = source;
    entry.pipe = std::move(pipe);
    return;
  }
}

}  // namespace sshape::posix
