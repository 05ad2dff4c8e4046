// SPDX-License-Identifier: GPL-2.0-only
#include "plugin-module.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "elf-module.h"

/* It is the file itself: nothing more is needed. */
static const struct elf_file *file_of(const struct plugin_module *module)
{
	return (const struct elf_file *)module;
}

bool plugin_module_is(const void *bytes, size_t n)
{
	Elf64_Ehdr header;

	if (n < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	return !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_type == ET_REL;
}

int plugin_module_new(struct plugin_module **module, const void *bytes, size_t n,
		      const struct plugin_symbols *symbols)
{
	struct elf_file *file;
	int err = elf_file_copy(&file, bytes, n);

	*module = NULL;
	if (err)
		return err;
	if (!file->is_module || !file->is_arm) {
		elf_file_close(file);
		return -EINVAL;
	}
	elf_module_resolve(file, symbols->base, symbols->find, symbols->context);
	*module = (struct plugin_module *)file;
	return 0;
}

void plugin_module_free(struct plugin_module *module)
{
	elf_file_close((struct elf_file *)module);
}

size_t plugin_module_read(const struct plugin_module *module, uint64_t offset, void *buf, size_t n)
{
	const struct elf_segment *s = elf_segment_find(file_of(module), offset);

	if (!s)
		return 0;
	offset -= s->addr;
	if (n > s->size - offset)
		n = s->size - offset;
	memcpy(buf, file_of(module)->bytes + s->offset + offset, n);
	return n;
}
