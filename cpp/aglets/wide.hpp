#pragma once

// For the few loops where wide registers pay. Compilers that can are asked for a copy
// per instruction set, chosen when the library is loaded; the baseline stays portable.
// Not under a sanitizer: the choice is made before its runtime is there.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(AGLETS_SANITIZED)
#define AGLETS_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define AGLETS_WIDE
#endif
