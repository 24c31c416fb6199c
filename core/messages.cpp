#include "core/messages.hpp"

#include <array>

namespace sshape {

namespace {

constexpr std::size_t rule_count = std::size(MessageTable::rules);
constexpr std::uint8_t unknown = 0xff;
static_assert(rule_count < unknown);

constexpr auto index_by_number = [] {
  std::array<std::uint8_t, 256> index{};
  index.fill(unknown);
  for (std::size_t i = 0; i < rule_count; ++i)
    index[number(MessageTable::rules[i].number)] = static_cast<std::uint8_t>(i);
  return index;
}();

}  // namespace

const MessageTable::Rule* MessageTable::find(std::uint8_t number) {
  const std::uint8_t index = index_by_number[number];
  return index == unknown ? nullptr : &rules[index];
}

}  // namespace sshape
