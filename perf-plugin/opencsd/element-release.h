/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Releases of OpenCSD whose words, numbers and order of elements differ.
 *
 * Nothing that a client of the library does tells which one it was built with: the name of the
 * library, of its functions, and what they are given are the same in all.
 */
#ifndef OPENCSD_ELEMENT_RELEASE_H
#define OPENCSD_ELEMENT_RELEASE_H

#include <stdint.h>

/**
 * struct ocsd_release - a release
 * @text: its number as it says it
 * @version: as ocsd_get_version() says it: major, minor, patch, a byte each
 * @custom: type of an element of a custom decoder; those before it, from 17 on, are ITE's and ITM's
 * @says_space: the element for missing code tells the memory space
 * @cycles_commit: a cycle count commits P0 elements, if TRCIDR0.COMMOPT is 0
 */
struct ocsd_release {
	const char *text;
	uint32_t version;
	uint32_t custom;
	uint8_t says_space, cycles_commit;
};

/* "1.8.0", "1.5.5", "1.3.3", then NULL: the newest first */
extern const char *const ocsd_release_names[];

/* @number: index of ocsd_release_names */
const struct ocsd_release *ocsd_release_at(unsigned int number);

/* Of this name; NULL: there is none. */
const struct ocsd_release *ocsd_release_find(const char *name);

#endif /* OPENCSD_ELEMENT_RELEASE_H */
