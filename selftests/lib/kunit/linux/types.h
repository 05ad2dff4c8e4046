/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of the kernel, in user space. */
#ifndef CSF_KUNIT_TYPES_H
#define CSF_KUNIT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#endif /* CSF_KUNIT_TYPES_H */
