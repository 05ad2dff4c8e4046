/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CSF_KUNIT_MINMAX_H
#define CSF_KUNIT_MINMAX_H

#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))

#endif /* CSF_KUNIT_MINMAX_H */
