/* SPDX-License-Identifier: GPL-2.0-only */
/* Where libdwfl looks for debug files. */
#ifndef PERF_ELF_DEBUG_H
#define PERF_ELF_DEBUG_H

#include <elfutils/libdwfl.h>

/* For dwfl_begin(): a file's own debug file is where distributions, or compilers, put it. */
extern const Dwfl_Callbacks elf_debug_callbacks;

#endif /* PERF_ELF_DEBUG_H */
