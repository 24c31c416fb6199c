// Static storage for an object that is made once and never destroyed: the process ends instead.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace sshape::posix {

template <class T>
struct Place {
  alignas(T) std::byte space[sizeof(T)];
  template <class... A>
  T& make(A&&... arguments) {
    return *new (space) T(std::forward<A>(arguments)...);
  }
};

}  // namespace sshape::posix
