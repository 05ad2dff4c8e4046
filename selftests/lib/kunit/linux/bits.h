/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CSF_KUNIT_BITS_H
#define CSF_KUNIT_BITS_H

#define BIT(n)	(1UL << (n))

#endif /* CSF_KUNIT_BITS_H */
