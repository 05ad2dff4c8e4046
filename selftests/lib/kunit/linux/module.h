/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CSF_KUNIT_MODULE_H
#define CSF_KUNIT_MODULE_H

#define MODULE_LICENSE(text)		_Static_assert(sizeof(text), "")
#define MODULE_DESCRIPTION(text)	_Static_assert(sizeof(text), "")

#endif /* CSF_KUNIT_MODULE_H */
