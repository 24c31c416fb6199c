// Whether a host's key is taken.
#include "port/posix/programs/host_key_check.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "core/crypto/base64.hpp"
#include "tests/unit/client/folder.hpp"

namespace sshape::posix {
namespace {

using Step = HostKeyCheck::Step;

const std::string ada = "AAAAC3NzaC1lZDI1NTE5AAAAIM+RwwaL/B90Weh+2fsglnnF/Bw345k5JUgZL9B/qwXx";
const std::string bob = "AAAAC3NzaC1lZDI1NTE5AAAAIP7dkAqCcK0O9iCixNi0XekT1cbVhvUgA8KRRScIptKk";
constexpr std::string_view ada_fingerprint = "SHA256:ffxV6Fvwi/CwM63KGBSv6/2BYgH9aWUMkMomDApRf5k";

// A host that shows ada's key.
class Host {
 public:
  Host(HostKeyPolicy policy, const std::string& known, Dialect dialect = Dialect::dropbear)
      : files_("host", 22, KnownHostsFiles::Naming::dropbear) {
    options_->host.add("host");
    options_->host_keys = policy;
    options_->dialect = dialect;
    options_->quiet = true;
    files_.add_file(folder_.write("known", known));
  }
  Step judge() {
    const std::size_t size = crypto::base64_decode(ada, blob_).value();
    return silently([&] { return check_.judge({QuestionId{7}, "ssh-ed25519", Bytes(blob_).first(size)}); });
  }
  Step answer(std::string_view text) {
    return silently([&] { return check_.answer(text); });
  }
  HostKeyCheck& check() { return check_; }
  ClientOptions& options() { return *options_; }
  std::string known() const { return folder_.read("known"); }
  std::string said;

 private:
  Step silently(auto call) {
    testing::internal::CaptureStderr();
    const Step step = call();
    said = testing::internal::GetCapturedStderr();
    return step;
  }
  test::Folder folder_;
  std::unique_ptr<ClientOptions> options_ = std::make_unique<ClientOptions>();
  KnownHostsFiles files_;
  HostKeyCheck check_{*options_, files_};
  std::byte blob_[64];
};

const std::string known_right = "host ssh-ed25519 " + ada + "\n";
const std::string known_wrong = "host ssh-ed25519 " + bob + "\n";
const std::string known_by_rsa = "host ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQM=\n";
const std::string revoked = "@revoked * ssh-ed25519 " + ada + "\n" + known_right;
constexpr HostKeyPolicy policies[] = {HostKeyPolicy::ask, HostKeyPolicy::accept_new, HostKeyPolicy::only_known,
                                      HostKeyPolicy::accept_changed};

TEST(HostKeyCheck, AKnownKeyIsTakenWithoutAWord) {
  for (const HostKeyPolicy policy : policies) {
    Host host(policy, known_right);
    EXPECT_EQ(host.judge(), Step::accept);
    EXPECT_EQ(host.said, "");
    EXPECT_EQ(host.known(), known_right);
  }
}

TEST(HostKeyCheck, AChangedKeyIsRefusedNamingFileAndLine) {
  for (const HostKeyPolicy policy : {HostKeyPolicy::ask, HostKeyPolicy::accept_new, HostKeyPolicy::only_known}) {
    Host host(policy, "# hosts\n" + known_wrong);
    EXPECT_EQ(host.judge(), Step::refuse);
    EXPECT_NE(host.said.find("HAS CHANGED"), std::string::npos);
    EXPECT_NE(host.said.find("known line 2"), std::string::npos);
    EXPECT_NE(host.said.find(ada_fingerprint), std::string::npos);
  }
}

TEST(HostKeyCheck, AChangedKeyThatIsTakenGetsNoPassword) {
  Host host(HostKeyPolicy::accept_changed, known_wrong, Dialect::openssh);
  EXPECT_EQ(host.judge(), Step::accept);
  EXPECT_TRUE(host.check().withhold_passwords());
  EXPECT_EQ(host.known(), known_wrong);
}

TEST(HostKeyCheck, ARevokedKeyIsRefusedWhateverThePolicy) {
  for (const HostKeyPolicy policy : policies) EXPECT_EQ(Host(policy, revoked).judge(), Step::refuse);
}

TEST(HostKeyCheck, AnUnknownKey) {
  EXPECT_EQ(Host(HostKeyPolicy::ask, "").judge(), Step::ask);
  EXPECT_EQ(Host(HostKeyPolicy::only_known, "").judge(), Step::refuse);
  for (const HostKeyPolicy policy : {HostKeyPolicy::accept_new, HostKeyPolicy::accept_changed}) {
    Host host(policy, "");
    EXPECT_EQ(host.judge(), Step::accept);
    EXPECT_EQ(host.known(), known_right) << "written down";
    EXPECT_FALSE(host.check().withhold_passwords());
  }
}

TEST(HostKeyCheck, AKeyOfANewTypeIsNotTakenInSilence) {
  EXPECT_EQ(Host(HostKeyPolicy::ask, known_by_rsa).judge(), Step::ask);
  EXPECT_EQ(Host(HostKeyPolicy::only_known, known_by_rsa).judge(), Step::refuse);
  Host host(HostKeyPolicy::ask, known_by_rsa);
  host.judge();
  EXPECT_NE(host.check().prompt().view().find("keys of other types"), std::string_view::npos);
}

TEST(HostKeyCheck, UncheckedIsNeitherLookedUpNorWrittenDown) {
  Host host(HostKeyPolicy::unchecked, known_wrong);
  EXPECT_EQ(host.judge(), Step::accept);
  EXPECT_EQ(host.known(), known_wrong);
}

TEST(HostKeyCheck, NobodyIsAskedInBatchMode) {
  Host host(HostKeyPolicy::ask, "");
  host.options().batch = true;
  EXPECT_EQ(host.judge(), Step::refuse);
  EXPECT_NE(host.said.find("nobody to ask"), std::string::npos);
}

TEST(HostKeyCheck, TheUsersAnswer) {
  for (const std::string& yes :
       {std::string("yes"), std::string(" YES "), std::string("y"), std::string(ada_fingerprint)}) {
    Host host(HostKeyPolicy::ask, "");
    ASSERT_EQ(host.judge(), Step::ask);
    EXPECT_EQ(host.answer(yes), Step::accept) << yes;
    EXPECT_EQ(host.known(), known_right);
  }
  for (const char* const no : {"no", "n", "No"}) {
    Host host(HostKeyPolicy::ask, "");
    ASSERT_EQ(host.judge(), Step::ask);
    EXPECT_EQ(host.answer(no), Step::refuse) << no;
    EXPECT_EQ(host.known(), "");
  }
  for (const char* const neither :
       {"", "ye", "yess", "SHA256:", "SHA256:ffxV6Fvwi/CwM63KGBSv6/2BYgH9aWUMkMomDApRf5K"}) {
    Host host(HostKeyPolicy::ask, "");
    ASSERT_EQ(host.judge(), Step::ask);
    EXPECT_EQ(host.answer(neither), Step::ask) << neither;
    EXPECT_EQ(host.known(), "");
  }
}

TEST(HostKeyCheck, OneLetterIsNoAnswerInOpenSshsDialect) {
  Host host(HostKeyPolicy::ask, "", Dialect::openssh);
  ASSERT_EQ(host.judge(), Step::ask);
  EXPECT_EQ(host.answer("y"), Step::ask);
  EXPECT_EQ(host.answer("yes"), Step::accept);
}

}  // namespace
}  // namespace sshape::posix
