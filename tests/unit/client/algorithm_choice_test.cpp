// Lists of algorithms that a user asks for.
#include "port/posix/algorithm_choice.hpp"

#include <gtest/gtest.h>

namespace sshape::posix {
namespace {

struct Choice {
  explicit Choice(std::string_view wanted) : list(choose_algorithms(wanted, "a,b,c", unknown)) {}
  AlgorithmList unknown;
  AlgorithmList list;
};

TEST(AlgorithmChoice, AListIsTakenInTheUsersOrder) {
  EXPECT_EQ(Choice("c,a").list.view(), "c,a");
  EXPECT_EQ(Choice("c,c,a,c").list.view(), "c,a");
}

TEST(AlgorithmChoice, WhatWeDoNotHaveIsLeftOutAndNamed) {
  EXPECT_EQ(Choice("x,b,y").list.view(), "b");
  EXPECT_EQ(Choice("x,b,y").unknown.view(), "x,y");
  EXPECT_TRUE(Choice("x").list.empty());
  EXPECT_TRUE(Choice("").list.empty());
  EXPECT_TRUE(Choice(",,").list.empty());
}

TEST(AlgorithmChoice, SignsAddTakeAwayAndPutFirst) {
  EXPECT_EQ(Choice("+x").list.view(), "a,b,c");
  EXPECT_EQ(Choice("+x").unknown.view(), "x");
  EXPECT_EQ(Choice("-b,x").list.view(), "a,c");
  EXPECT_EQ(Choice("-b,x").unknown.view(), "");
  EXPECT_EQ(Choice("^c,b").list.view(), "c,b,a");
  EXPECT_TRUE(Choice("-a,b,c").list.empty());
}

}  // namespace
}  // namespace sshape::posix
