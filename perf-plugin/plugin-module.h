/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For a host that has its own idea of code, see plugin.h: the code of a kernel module as it was
 * when loaded, from its file, in which branches are not filled in.
 */
#ifndef PLUGIN_MODULE_H
#define PLUGIN_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plugin_module;

/**
 * struct plugin_symbols - what the host knows of symbols outside a module
 * @base: address of the module
 * @find: the address of the symbol @name; false: not known
 * @context: for it
 */
struct plugin_symbols {
	uint64_t base;
	bool (*find)(void *context, const char *name, uint64_t *addr);
	void *context;
};

/* Of the @n bytes of its file, from @bytes on: it is one. */
bool plugin_module_is(const void *bytes, size_t n);

/* Return: 0; -EINVAL: that is no module; -ENOMEM. */
int plugin_module_new(struct plugin_module **module, const void *bytes, size_t n,
		      const struct plugin_symbols *symbols);
void plugin_module_free(struct plugin_module *module);

/* Code at @offset from where it was loaded.  Return: bytes read; 0: there is none. */
size_t plugin_module_read(const struct plugin_module *module, uint64_t offset, void *buf, size_t n);

#endif /* PLUGIN_MODULE_H */
