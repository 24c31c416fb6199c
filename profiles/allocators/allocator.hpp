// What a buffer allocator must offer. One serves one connection.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sshape {

// What memory is asked for. Regions are one of a kind a connection; blocks are many.
enum class Use : std::uint8_t {
  receive,   // receive_region(profile) bytes: packets as they arrive
  transmit,  // transmit_region(profile) bytes: packets sealed and unsent
  block,     // backlog_block bytes
};

// Where pages come from. The port implements it; static allocators never call it.
class Pages {
 public:
  virtual std::byte* map(std::size_t bytes) = 0;  // zeroed, page-aligned; null: refused
  virtual void unmap(std::byte* at, std::size_t bytes) = 0;
  virtual void discard(std::byte* at, std::size_t bytes) = 0;  // contents lost, pages given back

 protected:
  ~Pages() = default;
};

template <class A>
concept BufferAllocator = requires(A a, const A& c, Use use, std::span<std::byte> taken, Pages& pages) {
  A(pages);
  { a.take(use) } -> std::same_as<std::span<std::byte>>;  // empty: the ceiling is reached
  a.give_back(use, taken);       // exactly a span that take() returned for this use
  a.trim();                      // nothing lent out is touched; what is idle may go back to the system
  { c.in_use() } -> std::same_as<std::size_t>;      // bytes lent out
  { A::ceiling() } -> std::same_as<std::size_t>;    // bytes that take() can ever have lent out, constant
};

}  // namespace sshape
