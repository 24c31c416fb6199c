// Keys made by OpenSSH 9.2's ssh-keygen, for these tests alone, and what it says of them.
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

// The check number of openssh_private.
inline constexpr char openssh_check_number[] = "f07ac2a7";

// With the passphrase "secret".
inline constexpr char openssh_encrypted[] = R"(-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABD/SFVvhG
vfICfhKP8dH49rAAAABAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIIuH019Y0o0alsQ4
atLodDyxPPHkM3A0Z0TwFd2aCaZ/AAAAkJDulYOWSdALV/gvzVU5PMqAuVGZC+uapRHr7r
8NEWsQbGl9JGmjGAoRGJz0WGeTokRTuTBzHG3UYumKR2bMnkqkQf6GyAb1yKw7aL+rGzWz
yqaLLNirXpe8j1tfX928Lnr1KKXWrjiwUHBeD7HNxMy5p2AC+IKHBJVBSIfjfdrUEkS9Ee
k2wBluBpt658Brww==
-----END OPENSSH PRIVATE KEY-----
)";

inline constexpr char openssh_ecdsa[] = R"(-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAaAAAABNlY2RzYS
1zaGEyLW5pc3RwMjU2AAAACG5pc3RwMjU2AAAAQQSJAA9NBtqXKazyDfRGdzZa0IHbI2WT
EDHZj7WAgsUHegLZFzaCB11VK73Rm0JIBkeHfHktcFGjyrHooJpBHIrgAAAAoKbwn86m8J
/OAAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBIkAD00G2pcprPIN
9EZ3NlrQgdsjZZMQMdmPtYCCxQd6AtkXNoIHXVUrvdGbQkgGR4d8eS1wUaPKseigmkEciu
AAAAAhAKD7eZ4rNT2Q2r3uZT7KtLLc39ODzWcvDxjSq9BgxvMoAAAAAXgBAgMEBQY=
-----END OPENSSH PRIVATE KEY-----
)";
