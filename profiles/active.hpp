// The profile that this build was configured with: `active::profile` and `active::Allocator`.
#pragma once

#include SSHAPE_PROFILE_HEADER

#include "profiles/rules.hpp"
#include "profiles/allocators/allocator.hpp"

namespace sshape::active {

static_assert(ProfileRules<profile>::hold);
static_assert(BufferAllocator<Allocator>);

}  // namespace sshape::active
