/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory dumps of a snapshot as an image, with an address space for each memory space used. */
#ifndef CSF_SNAPSHOT_IMAGE_H
#define CSF_SNAPSHOT_IMAGE_H

#include "code-map.h"
#include "../lib/file.h"
#include "snapshot.h"

/**
 * struct snapshot_image - zero it before snapshot_image_open()
 * @space: address space for bit n of enum snapshot_space; all are CSF_SPACE_ALL if every dump
 *         is in every space
 */
struct snapshot_image {
	struct csf_image *image;
	struct file *file;
	size_t n_file;
	struct code_copies copies;
	int space[8];
};

/*
 * Dumps that cannot be read are reported in @s->problems and left out.  If two
 * overlap, the first in the order of the device list is used.
 *
 * Return: 0, or -1: no memory.
 */
int snapshot_image_open(struct snapshot_image *si, struct snapshot *s);
void snapshot_image_close(struct snapshot_image *si);

/* The address space in which a processor in this state fetches. */
int snapshot_image_space(const struct snapshot_image *si, const struct csf_context *context);

#endif /* CSF_SNAPSHOT_IMAGE_H */
