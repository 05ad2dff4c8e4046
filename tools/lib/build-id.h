/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids in the form that people and files use.
 *
 *	printf("build-id %s", build_id_name(dso->build_id, dso->n_build_id).text);
 */
#ifndef CSF_BUILD_ID_H
#define CSF_BUILD_ID_H

#include <string.h>

#include "../../perf-plugin/elf.h"

struct build_id {
	char text[2 * ELF_BUILD_ID_MAX + 1];
};

/* In hexadecimal; "" if there is none. */
static inline struct build_id build_id_hex(const uint8_t *id, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	struct build_id hex = { "" };

	for (size_t i = 0; i < n && i < ELF_BUILD_ID_MAX; i++) {
		hex.text[2 * i] = digits[id[i] >> 4];
		hex.text[2 * i + 1] = digits[id[i] & 15];
	}
	return hex;
}

/* The same; "unknown" if there is none. */
static inline struct build_id build_id_name(const uint8_t *id, size_t n)
{
	return n ? build_id_hex(id, n) : (struct build_id){ "unknown" };
}

#endif /* CSF_BUILD_ID_H */
