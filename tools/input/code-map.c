// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "code-map.h"

static const uint8_t *copy(struct code_copies *copies, const uint8_t *data, size_t n, size_t room)
{
	uint8_t **array = realloc(copies->copy, (copies->n + 1) * sizeof(*array));

	if (!array)
		return NULL;
	copies->copy = array;
	array[copies->n] = calloc(1, room + n);
	if (!array[copies->n])
		return NULL;
	memcpy(array[copies->n] + room, data, n);
	return array[copies->n++];
}

int code_map(struct code_copies *copies, struct csf_image *image, int space, uint64_t addr,
	     const uint8_t *data, size_t n)
{
	const size_t room = addr & 3;
	int section;

	if (!n || n > UINT32_MAX - room)
		return CSF_ERR_ARG;
	if (room) {
		data = copy(copies, data, n, room);
		if (!data)
			return CSF_ERR_MEMORY;
	}
	section = csf_section_bytes(image, data, room + n);
	return section < 0 ? section : csf_map(image, space, addr, n, section, room);
}

void code_copies_free(struct code_copies *copies)
{
	for (size_t i = 0; i < copies->n; i++)
		free(copies->copy[i]);
	free(copies->copy);
	*copies = (struct code_copies){ 0 };
}
