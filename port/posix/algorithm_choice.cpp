#include "port/posix/algorithm_choice.hpp"

#include "core/wire/name_list.hpp"

namespace sshape::posix {

namespace {

using wire::NameList;

void append(AlgorithmList& list, std::string_view name) {
  if (name.empty() || NameList(list.view()).contains(name)) return;
  if (!list.empty()) list.add(',');
  list.add(name);
}

}  // namespace

AlgorithmList choose_algorithms(std::string_view wanted, std::string_view ours, AlgorithmList& unknown) {
  const char sign = wanted.empty() ? '\0' : wanted.front();
  const bool signed_list = sign == '+' || sign == '-' || sign == '^';
  if (signed_list) wanted.remove_prefix(1);

  AlgorithmList known;
  for (const std::string_view name : NameList(wanted)) {
    if (NameList(ours).contains(name)) append(known, name);
    else if (sign != '-') append(unknown, name);
  }
  if (!signed_list) return known;

  AlgorithmList chosen;
  if (sign == '^') chosen = known;
  for (const std::string_view name : NameList(ours))
    if (sign != '-' || !NameList(known.view()).contains(name)) append(chosen, name);
  return chosen;
}

}  // namespace sshape::posix
