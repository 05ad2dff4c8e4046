/* SPDX-License-Identifier: GPL-2.0-only */
/* Code in memory, mapped at its address; T32 may be at any even address. */
#ifndef CSF_CODE_MAP_H
#define CSF_CODE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "../../decoder/csflow.h"

/**
 * struct code_copies - code that had to be copied; zero it first
 *
 * A section begins at a multiple of 4.  Other code is copied, with room before it.
 */
struct code_copies {
	uint8_t **copy;
	size_t n;
};

/*
 * @data: @n bytes, borrowed by the image.  Return: 0, CSF_ERR_ARG if it cannot be there,
 * CSF_ERR_MEMORY.
 */
int code_map(struct code_copies *copies, struct csf_image *image, int space, uint64_t addr,
	     const uint8_t *data, size_t n);

/* Call this when the image is gone. */
void code_copies_free(struct code_copies *copies);

#endif /* CSF_CODE_MAP_H */
