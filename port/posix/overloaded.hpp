// One visitor out of several functions.
#pragma once

namespace sshape::posix {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace sshape::posix
