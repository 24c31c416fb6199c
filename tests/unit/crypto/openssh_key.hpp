// A key made by OpenSSH 9.2's ssh-keygen, for these tests alone, and what it says of it.
#pragma once

inline constexpr char openssh_private[] = R"(-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACDPkcMGi/wfdFnoftn7IJZ5xfwcN+OZOSVIGS/Qf6sF8QAAAJDwesKn8HrC
pwAAAAtzc2gtZWQyNTUxOQAAACDPkcMGi/wfdFnoftn7IJZ5xfwcN+OZOSVIGS/Qf6sF8Q
AAAEC4cL9b3ZCUuDtErKayatSdp8qyUbSSze6rWC2Arixzt8+RwwaL/B90Weh+2fsglnnF
/Bw345k5JUgZL9B/qwXxAAAAC2FkYUBleGFtcGxlAQI=
-----END OPENSSH PRIVATE KEY-----
)";
inline constexpr char openssh_public[] = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM+RwwaL/B90Weh+2fsglnnF/Bw345k5JUgZL9B/qwXx ada@example";
inline constexpr char openssh_fingerprint[] = "SHA256:ffxV6Fvwi/CwM63KGBSv6/2BYgH9aWUMkMomDApRf5k";
