// SPDX-License-Identifier: GPL-2.0-only
/* KUnit cases of kernel-glue/ in user space; ../lib/kunit/ has what they need of the kernel. */
#include "../../kernel-glue/replay_kunit.c"

int main(void)
{
	return kunit_run(kunit_suite);
}
