/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's harness, unpacked by the Makefile, with more time for each test: 30 s by the clock
 * are too few with sanitizers and on a busy machine.  A test that hangs ends all the same.
 */
#ifndef CSF_KSELFTEST_HARNESS_H
#define CSF_KSELFTEST_HARNESS_H

#include <kselftest_harness.h>

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	1000

#endif /* CSF_KSELFTEST_HARNESS_H */
