// `~` at the beginning of a line.
#include "port/posix/escapes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sshape::posix {
namespace {

class Typing {
 public:
  // What of it goes to the peer, with `wishes` filled.
  std::string type(std::string_view text) {
    std::byte space[64];
    std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(), space);
    wishes = {};
    const std::size_t kept = escapes_.filter(space, text.size(), wishes);
    return std::string(text_of(Bytes(space).first(kept)));
  }
  Escapes::Wishes wishes;

 private:
  Escapes escapes_;
};

TEST(Escapes, TildeDotEndsOnlyAtTheBeginningOfALine) {
  Typing user;
  EXPECT_EQ(user.type("~."), "");
  EXPECT_TRUE(user.wishes.disconnect);

  Typing later;
  EXPECT_EQ(later.type("a~.\r"), "a~.\r");
  EXPECT_FALSE(later.wishes.disconnect);
  EXPECT_EQ(later.type("~.lost"), "");
  EXPECT_TRUE(later.wishes.disconnect);
}

TEST(Escapes, WorkWhenTheirBytesComeApart) {
  Typing user;
  EXPECT_EQ(user.type("ls\r"), "ls\r");
  EXPECT_EQ(user.type("~"), "");
  EXPECT_EQ(user.type("."), "");
  EXPECT_TRUE(user.wishes.disconnect);
}

TEST(Escapes, ATildeThatIsTheUsersComesWithTheByteAfterIt) {
  Typing user;
  EXPECT_EQ(user.type("~"), "");
  EXPECT_EQ(user.type("/bin\r~x\r"), "~/bin\r~x\r");
  EXPECT_EQ(user.type("~"), "");
  EXPECT_EQ(user.type("~"), "~");
  EXPECT_EQ(user.type("."), ".");
  EXPECT_FALSE(user.wishes.disconnect);
}

TEST(Escapes, TheOthers) {
  Typing user;
  EXPECT_EQ(user.type("~?"), "");
  EXPECT_TRUE(user.wishes.help);
  EXPECT_EQ(user.type("~R"), "") << "after an escape the line begins anew";
  EXPECT_TRUE(user.wishes.rekey);
  EXPECT_EQ(user.type("~B~\x1a"), "");
  EXPECT_TRUE(user.wishes.send_break && user.wishes.suspend);
  EXPECT_EQ(user.type(""), "");
}

TEST(Escapes, KeepAtMostOneByteMoreThanWasTyped) {
  Typing user;
  EXPECT_EQ(user.type("~"), "");
  const std::string line(63, 'x');
  EXPECT_EQ(user.type(line), "~" + line);
}

}  // namespace
}  // namespace sshape::posix
