#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/wire/name_list.hpp"
#include "core/wire/reader.hpp"
#include "core/wire/writer.hpp"
#include "tests/support/hex.hpp"

namespace sshape::wire {
namespace {

using test::hex;

// The examples of RFC 4251, section 5.
struct MpintExample {
  const char* value;  // magnitude
  const char* encoded;
};
constexpr MpintExample mpints[] = {
    {"", "00000000"},
    {"09a378f9b2e332a7", "00000008 09a378f9b2e332a7"},
    {"80", "00000002 0080"},
};

TEST(Rfc4251_5, MpintsAreWrittenAsInTheExamples) {
  for (const auto& example : mpints) {
    std::array<std::byte, 32> space;
    Writer out(space);
    out.mpint(hex(example.value));
    EXPECT_TRUE(same_bytes(out.written(), hex(example.encoded))) << example.encoded;
  }
}

TEST(Rfc4251_5, MpintsAreReadAsInTheExamples) {
  for (const auto& example : mpints) {
    const auto encoded = hex(example.encoded);
    Reader in(encoded);
    EXPECT_TRUE(same_bytes(in.mpint(), hex(example.value)));
    EXPECT_TRUE(in.at_end());
  }
}

TEST(Rfc4251_5, NegativeAndPaddedMpintsAreRefused) {
  for (const char* bad : {"00000002 edcc", "00000005 ff21524111", "00000002 0009", "00000001 00"}) {
    const auto encoded = hex(bad);
    Reader in(encoded);
    in.mpint();
    EXPECT_FALSE(in.ok()) << bad;
  }
}

TEST(Rfc4251_5, NameListsAreReadAsInTheExamples) {
  const auto encoded = hex("00000009 7a6c69622c6e6f6e65");
  Reader in(encoded);
  const NameList list(in.text());
  EXPECT_TRUE(in.at_end());
  std::string names;
  for (const auto name : list) names += std::string(name) + ";";
  EXPECT_EQ(names, "zlib;none;");
  EXPECT_TRUE(well_formed(list));
  EXPECT_TRUE(well_formed(NameList("")));
}

TEST(Rfc4251_6, NamesHaveOneToSixtyFourPrintableCharacters) {
  const std::string longest(64, 'a');
  EXPECT_TRUE(well_formed(NameList(longest)));
  EXPECT_TRUE(well_formed(NameList(longest + "," + longest)));
  EXPECT_FALSE(well_formed(NameList(longest + "a")));
  for (const char* bad : {",", "a,", ",a", "a,,b", "a b", "a\x7f", "a\n"}) EXPECT_FALSE(well_formed(NameList(bad))) << bad;
}

TEST(Rfc4253_7_1, TheClientsOrderDecides) {
  EXPECT_EQ(first_common(NameList("a,b,c"), NameList("c,b")), "b");
  EXPECT_EQ(first_common(NameList("a"), NameList("b")), std::nullopt);
}

TEST(Reader, ReadsNothingPastTheEndWhereverTheInputIsCut) {
  std::array<std::byte, 64> space;
  Writer out(space);
  out.byte(1).boolean(true).uint32(2).uint64(3).string(std::string_view("four")).mpint(hex("05"));
  for (std::size_t cut = 0; cut < out.size(); ++cut) {
    Reader in(out.written().first(cut));
    in.byte();
    in.boolean();
    in.uint32();
    in.uint64();
    in.string();
    in.mpint();
    EXPECT_FALSE(in.ok()) << cut;
    EXPECT_FALSE(in.at_end());
    EXPECT_EQ(in.uint32(), 0u) << "the first failure sticks";
  }
  Reader whole(out.written());
  EXPECT_EQ(whole.byte(), 1);
  EXPECT_TRUE(whole.boolean());
  EXPECT_EQ(whole.uint32(), 2u);
  EXPECT_EQ(whole.uint64(), 3u);
  EXPECT_EQ(whole.text(), "four");
  EXPECT_EQ(whole.mpint().size(), 1u);
  EXPECT_TRUE(whole.at_end());
}

TEST(Reader, AStringLengthOfAllOnesFails) {
  const auto bad = hex("ffffffff 00");
  Reader in(bad);
  EXPECT_TRUE(in.string().empty());
  EXPECT_FALSE(in.ok());
}

TEST(Writer, OverflowsAtEverySizeWithoutWritingPastIt) {
  std::array<std::byte, 40> space;
  const auto write = [](Writer& out) {
    const std::size_t mark = out.begin_string();
    out.byte(1).uint32(2).uint64(3).string(std::string_view("four")).mpint(hex("80"));
    out.end_string(mark);
  };
  Writer enough(space);
  write(enough);
  ASSERT_TRUE(enough.ok());
  EXPECT_EQ(load_uint32(space.data()), enough.size() - 4);
  for (std::size_t size = 0; size < enough.size(); ++size) {
    std::array<std::byte, 40> guarded;
    guarded.fill(std::byte{0xee});
    Writer out(MutableBytes(guarded).first(size));
    write(out);
    EXPECT_FALSE(out.ok()) << size;
    for (std::size_t i = size; i < guarded.size(); ++i) ASSERT_EQ(guarded[i], std::byte{0xee});
  }
}

}  // namespace
}  // namespace sshape::wire
