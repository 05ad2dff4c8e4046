// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "code-changes.h"
#include "plugin-changes.h"

/* @path: of the image from the end */
struct plugin_changes {
	struct code_changes is;
	char path[PATH_MAX];
};

/* The image from the start; NULL: there is none.  *@err: -ENOMEM, or as it was */
static struct elf_file *open_first(const char *recording, int *err)
{
	char path[PATH_MAX];
	struct elf_file *elf;
	int ret;

	if (snprintf(path, sizeof(path), "%s/kcore_dir/kcore", recording) >= (int)sizeof(path))
		return NULL;
	ret = elf_file_open(&elf, path);
	if (ret) {
		*err = ret == -ENOMEM ? ret : *err;
		return NULL;
	}
	if (elf->is_core && elf->is_arm)
		return elf;
	elf_file_close(elf);
	return NULL;
}

int plugin_changes_new(struct plugin_changes **changes, const char *recording)
{
	struct plugin_changes *c;
	struct elf_file *first;
	int err = 0;

	*changes = NULL;
	first = open_first(recording, &err);
	if (!first)
		return err;
	c = calloc(1, sizeof(*c));
	err = c ? code_changes_read(&c->is, first, recording, c->path) : -ENOMEM;
	elf_file_close(first);
	if (err || !*c->path) {
		plugin_changes_free(c);
		return err;
	}
	*changes = c;
	return 0;
}

void plugin_changes_free(struct plugin_changes *changes)
{
	if (changes)
		code_changes_free(&changes->is);
	free(changes);
}

size_t plugin_changes_at(const struct plugin_changes *changes, uint64_t addr)
{
	return changes ? code_changes_at(&changes->is, addr) : 0;
}

bool plugin_change(const struct plugin_changes *changes, size_t i, struct plugin_change *change)
{
	if (!changes || i >= changes->is.n)
		return false;
	*change = (struct plugin_change){ changes->is.range[i].start, changes->is.range[i].end };
	return true;
}

const char *plugin_changes_bad(const struct plugin_changes *changes)
{
	return changes && !changes->is.compared ? changes->path : NULL;
}
