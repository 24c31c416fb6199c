// For x86 and SlapOS hosts: buffers mapped on first use, windows for links at line rate.
#pragma once

#include "profiles/allocators/slab.hpp"

namespace sshape::active {

inline constexpr Profile profile{
    .name = "server",
    .window = 1024 * 1024,
    .window_ceiling = 64 * 1024 * 1024,
    .window_floor = 64 * 1024,
    .pool = 96 * 1024 * 1024,
    .packets_in_window = 4,
    .packet_preferred = 32'768,
    .backlog_block = 32 * 1024,
    .payload_limit = 512 * 1024,
    .receive_ahead = 256 * 1024,
    .send_data = 32'768,
    .transmit_ahead = 160 * 1024,
    .control_queue = 24 * 1024,
    .control_transmit = 48 * 1024,
    .channels = 256,
    .pending_requests = 32,
    .pending_global_requests = 32,
    .kexinit = 16 * 1024,
    .identification_lines = 100,
    .user_name = 256,
    .password = 100,
    .key_blob = 1'100,
    .term = 256,
    .terminal_modes = 1'024,
    .environment_name = 128,
    .environment_value = 1'024,
    .command = 128 * 1024,
    .banner = 2'050,
    .authorized_keys_lines = 300,
    .authorized_keys_line = 8'192,
    .login_bytes = 1024 * 1024,
    .login_packets = 1'024,
    .login_seconds = 300,
    .rekey_bytes = std::uint64_t{64} << 30,
    .rekey_seconds = 8 * 60 * 60,
    .stall_seconds = 60,
    .algorithms =
        {
            .kex = "mlkem768x25519-sha256,curve25519-sha256,curve25519-sha256@libssh.org",
            .host_keys = "ssh-ed25519",
            .ciphers =
                "aes128-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-gcm@openssh.com,"
                "aes128-ctr,aes256-ctr",
            .macs = "hmac-sha2-256-etm@openssh.com,hmac-sha2-256",
            .compression = "none",
            .user_signatures = "ssh-ed25519",
        },
};

using Allocator = Slabs<profile>;

}  // namespace sshape::active
