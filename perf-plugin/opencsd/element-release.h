/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Releases of OpenCSD whose words, numbers and order of elements differ.
 *
 * The library cannot tell which release a client was built with: the names of the library and of
 * its functions, and their arguments, are the same in all.
 */
#ifndef OPENCSD_ELEMENT_RELEASE_H
#define OPENCSD_ELEMENT_RELEASE_H

#include <stdint.h>

/**
 * struct ocsd_release - a release of OpenCSD
 * @text: its version as text
 * @version: its version from ocsd_get_version(): major, minor, patch, one byte each
 * @custom: type of elements of a custom decoder; the types before it, from 17 on, are those of ITE
 *          and ITM
 * @unsync_end: number of enum abi_unsync that says that trace ends
 * @says_space: the element for missing code has the memory space
 * @cycles_commit: a cycle count commits P0 elements, if TRCIDR0.COMMOPT is 0
 */
struct ocsd_release {
	const char *text;
	uint32_t version;
	uint32_t custom;
	uint8_t unsync_end;
	uint8_t says_space, cycles_commit;
};

/* "1.8.0", "1.5.5", "1.3.3", then NULL: the newest first. */
extern const char *const ocsd_release_names[];

/* @number: index of ocsd_release_names */
const struct ocsd_release *ocsd_release_at(unsigned int number);

/* The release with this name; NULL: there is none. */
const struct ocsd_release *ocsd_release_find(const char *name);

#endif /* OPENCSD_ELEMENT_RELEASE_H */
