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

TEST(Rfc4251_5, StringsAndNumbersAreAsInTheExamples) {
  std::array<std::byte, 64> space;
  Writer out(space);
  out.uint32(699921578).string(std::string_view("testing")).uint64(0x09a378f9b2e332a7).boolean(false).boolean(true);
  EXPECT_TRUE(same_bytes(out.written(), hex("29b7f4aa 00000007 74657374696e67 09a378f9b2e332a7 00 01")));
  Reader in(out.written());
  EXPECT_EQ(in.uint32(), 699921578u);
  EXPECT_EQ(in.text(), "testing");
  EXPECT_EQ(in.uint64(), 0x09a378f9b2e332a7u);
  EXPECT_FALSE(in.boolean());
  EXPECT_TRUE(in.boolean());
  EXPECT_TRUE(in.at_end());
}

TEST(Rfc4251_5, EveryNonZeroBooleanIsTrue) {
  for (unsigned value = 1; value < 256; ++value) {
    const std::array byte{static_cast<std::byte>(value)};
    EXPECT_TRUE(Reader(byte).boolean()) << value;
  }
}

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

TEST(Rfc4251_5, AnMpintIsWrittenInItsShortestForm) {
  for (const auto& [magnitude, encoded] : {MpintExample{"00", "00000000"}, MpintExample{"000000", "00000000"},
                                           MpintExample{"007f", "00000001 7f"}, MpintExample{"000080", "00000002 0080"},
                                           MpintExample{"00ff00", "00000003 00ff00"}}) {
    std::array<std::byte, 16> space;
    Writer out(space);
    out.mpint(hex(magnitude));
    EXPECT_TRUE(same_bytes(out.written(), hex(encoded))) << magnitude;
    Reader in(out.written());
    in.mpint();
    EXPECT_TRUE(in.at_end()) << magnitude;
  }
}

TEST(Rfc4251_5, NegativeAndPaddedMpintsAreRefused) {
  for (const char* bad : {"00000002 edcc", "00000005 ff21524111", "00000001 80", "00000002 0009", "00000001 00",
                          "00000003 000080"}) {
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

  const auto empty = hex("00000000"), one = hex("00000004 7a6c6962");
  Reader of_none(empty), of_one(one);
  for (const auto name : NameList(of_none.text())) ADD_FAILURE() << name;
  EXPECT_EQ(NameList(of_one.text()).first(), "zlib");
  EXPECT_TRUE(well_formed(NameList("")));
}

TEST(NameList, AnEmptyNameIsWalkedOverWhereverItStands) {
  struct Case {
    const char* list;
    const char* names;
  };
  for (const auto& [list, names] : {Case{",", "||"}, Case{"a,", "a||"}, Case{",a", "|a|"}, Case{"a,,b", "a||b|"}}) {
    std::string walked;
    for (const auto name : NameList(list)) walked += std::string(name) + "|";
    EXPECT_EQ(walked, names) << list;
  }
}

TEST(NameList, ContainsWholeNamesOnly) {
  const NameList list("aes128-ctr,aes128-gcm@openssh.com");
  EXPECT_TRUE(list.contains("aes128-ctr"));
  EXPECT_TRUE(list.contains("aes128-gcm@openssh.com"));
  for (const char* other : {"aes128-gcm", "aes128", "ctr", "aes128-ctr,", "aes128-ctr,aes128-gcm@openssh.com", "AES128-CTR", ""})
    EXPECT_FALSE(list.contains(other)) << other;
}

TEST(Rfc4251_6, NamesHaveOneToSixtyFourPrintableCharacters) {
  const std::string longest(64, 'a');
  EXPECT_TRUE(well_formed(NameList(longest)));
  EXPECT_TRUE(well_formed(NameList(longest + "," + longest)));
  EXPECT_FALSE(well_formed(NameList(longest + "a")));
  EXPECT_FALSE(well_formed(NameList("a," + longest + "a")));
  EXPECT_FALSE(well_formed(NameList(longest + "a,a")));
  for (const char* bad : {",", "a,", ",a", "a,,b", "a b", "a\x7f", "a\n", "\x80", "a\t,b", " "}) EXPECT_FALSE(well_formed(NameList(bad))) << bad;
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

TEST(Reader, AStringMayEndWhereTheInputDoesAndNotOneByteLater) {
  for (std::uint32_t length = 0; length < 6; ++length) {
    auto bytes = hex("00000000 0102030405");
    store_uint32(bytes.data(), length);
    Reader in(bytes);
    EXPECT_EQ(in.string().size(), length);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.rest().size(), 5 - length);
  }
  for (const std::uint32_t length : {6u, 0x7fffffffu, 0x80000000u, 0xfffffffcu, 0xffffffffu}) {
    auto bytes = hex("00000000 0102030405");
    store_uint32(bytes.data(), length);
    Reader in(bytes);
    EXPECT_TRUE(in.string().empty());
    EXPECT_FALSE(in.ok()) << length;
    EXPECT_TRUE(in.rest().empty());
  }
}

TEST(Reader, TakesExactlyWhatIsThere) {
  const auto bytes = hex("0102030405");
  Reader in(bytes);
  EXPECT_TRUE(in.take(0).empty());
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.take(2).size(), 2u);
  EXPECT_EQ(in.take_rest().size(), 3u);
  EXPECT_TRUE(in.at_end());
  EXPECT_TRUE(in.take_rest().empty());
  EXPECT_TRUE(in.at_end());
  EXPECT_TRUE(in.take(1).empty());
  EXPECT_FALSE(in.ok());
  in.take(0);
  EXPECT_FALSE(in.at_end()) << "the first failure sticks";
}

TEST(Reader, OfNothingIsAtItsEnd) {
  Reader in{Bytes{}};
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.byte(), 0);
  EXPECT_FALSE(in.ok());
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

TEST(Writer, StringsInsideStringsGetTheirLengths) {
  std::array<std::byte, 32> space;
  Writer out(space);
  const std::size_t outer = out.begin_string();
  const std::size_t inner = out.begin_string();
  out.byte(7);
  out.end_string(inner);
  out.end_string(outer);
  EXPECT_TRUE(same_bytes(out.written(), hex("00000005 00000001 07")));
}

TEST(Writer, WhatIsReservedIsPartOfWhatIsWritten) {
  std::array<std::byte, 8> space{};
  Writer out(space);
  EXPECT_EQ(out.reserve(3).size(), 3u);
  EXPECT_EQ(out.space_left().size(), 5u);
  EXPECT_EQ(out.reserve(5).size(), 5u);
  EXPECT_TRUE(out.ok());
  EXPECT_EQ(out.size(), 8u);
  EXPECT_TRUE(out.reserve(1).empty());
  EXPECT_FALSE(out.ok());
  out.raw({});
  EXPECT_FALSE(out.ok()) << "overflow sticks";
  EXPECT_EQ(out.size(), 8u);
}

TEST(Writer, WithoutSpaceHoldsNothing) {
  Writer out;
  EXPECT_TRUE(out.ok());
  out.byte(1);
  EXPECT_FALSE(out.ok());
  EXPECT_EQ(out.size(), 0u);
}

TEST(Words, AreBigEndianAtAnyAddress) {
  std::array<std::byte, 16> space{};
  for (std::size_t at = 0; at < 8; ++at) {
    store_uint32(space.data() + at, 0x01020304);
    EXPECT_TRUE(same_bytes(Bytes(space).subspan(at, 4), hex("01020304")));
    EXPECT_EQ(load_uint32(space.data() + at), 0x01020304u);
    store_uint64(space.data() + at, 0x0102030405060708);
    EXPECT_TRUE(same_bytes(Bytes(space).subspan(at, 8), hex("0102030405060708")));
    EXPECT_EQ(load_uint64(space.data() + at), 0x0102030405060708u);
  }
}

}  // namespace
}  // namespace sshape::wire
