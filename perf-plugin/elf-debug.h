/* SPDX-License-Identifier: GPL-2.0-only */
/* The places where libdwfl looks for debug files. */
#ifndef PERF_ELF_DEBUG_H
#define PERF_ELF_DEBUG_H

#include <elfutils/libdwfl.h>

/* For dwfl_begin(): looks for debug files where distributions, or compilers, put them. */
extern const Dwfl_Callbacks elf_debug_callbacks;

#endif /* PERF_ELF_DEBUG_H */
