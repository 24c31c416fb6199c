// For routers and firmware images: every buffer inside the connection object, no heap.
#pragma once

#include "profiles/allocators/static_arena.hpp"

namespace sshape::active {

inline constexpr Profile profile{
    .name = "tiny",
    .window = 24 * 1024,
    .window_ceiling = 24 * 1024,
    .window_floor = 4 * 1024,
    .pool = 36 * 1024,
    .packets_in_window = 6,
    .packet_preferred = 32'768,
    .backlog_block = 512,
    .payload_limit = 32 * 1024,
    .receive_ahead = 0,
    .send_data = 8 * 1024,
    .transmit_ahead = 12 * 1024,
    .control_queue = 3 * 1024,
    .control_transmit = 4 * 1024,
    .channels = 4,
    .pending_requests = 4,
    .pending_global_requests = 4,
    .kexinit = 4 * 1024,
    .identification_lines = 20,
    .user_name = 64,
    .password = 100,
    .key_blob = 600,
    .term = 64,
    .terminal_modes = 512,
    .environment_name = 32,
    .environment_value = 128,
    .command = 8 * 1024,
    .banner = 2'050,
    .authorized_keys_lines = 300,
    .authorized_keys_line = 4'096,
    .login_bytes = 256 * 1024,
    .login_packets = 512,
    .login_seconds = 300,
    .rekey_bytes = std::uint64_t{64} << 30,
    .rekey_seconds = 8 * 60 * 60,
    .stall_seconds = 60,
    .algorithms =
        {
            .kex = "mlkem768x25519-sha256,curve25519-sha256,curve25519-sha256@libssh.org",
            .host_keys = "ssh-ed25519",
            .ciphers =
                "chacha20-poly1305@openssh.com,aes128-gcm@openssh.com,aes256-gcm@openssh.com,"
                "aes128-ctr,aes256-ctr",
            .macs = "hmac-sha2-256-etm@openssh.com,hmac-sha2-256",
            .compression = "none",
            .user_signatures = "ssh-ed25519",
        },
};

using Allocator = StaticArena<profile>;

}  // namespace sshape::active
