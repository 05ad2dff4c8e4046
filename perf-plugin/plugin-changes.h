/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For a host with its own view of code, see plugin.h: the places where a kernel changed its code
 * while it was recorded.  A recording in a directory may have the kernel's memory twice, from its
 * start and from its end.
 */
#ifndef PLUGIN_CHANGES_H
#define PLUGIN_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plugin_changes;

/**
 * struct plugin_change - code that is not the same at the end
 * @start: its first address at run time, a multiple of 4
 * @end: the address after it
 */
struct plugin_change {
	uint64_t start, end;
};

/*
 * Compares both images in the directory @recording.
 *
 * Return: 0, and *@changes, which is NULL if one of them is missing; -ENOMEM.
 */
int plugin_changes_new(struct plugin_changes **changes, const char *recording);
void plugin_changes_free(struct plugin_changes *changes);

/* The number of the first change that ends after @addr.  @changes may be NULL. */
size_t plugin_changes_at(const struct plugin_changes *changes, uint64_t addr);

/* Change number @i; they are sorted and have space between them.  Return: there is one. */
bool plugin_change(const struct plugin_changes *changes, size_t i, struct plugin_change *change);

/*
 * The image from the end, if it is that of another kernel or another boot, which says nothing;
 * NULL: it is not.
 */
const char *plugin_changes_bad(const struct plugin_changes *changes);

#endif /* PLUGIN_CHANGES_H */
