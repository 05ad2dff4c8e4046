/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For a host with its own view of code, see plugin.h: the code of a kernel module as it was when
 * loaded, made from its file, in which branches are not filled in.
 */
#ifndef PLUGIN_MODULE_H
#define PLUGIN_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plugin_module;

/**
 * struct plugin_symbols - the host's knowledge of symbols outside a module
 * @base: address of the module
 * @find: finds the address of the symbol @name; false: not known
 * @context: argument for @find
 */
struct plugin_symbols {
	uint64_t base;
	bool (*find)(void *context, const char *name, uint64_t *addr);
	void *context;
};

/* Are the @n bytes at @bytes the file of a module? */
bool plugin_module_is(const void *bytes, size_t n);

/* Return: 0; -EINVAL: it is not a module; -ENOMEM. */
int plugin_module_new(struct plugin_module **module, const void *bytes, size_t n,
		      const struct plugin_symbols *symbols);
void plugin_module_free(struct plugin_module *module);

/* Reads code at @offset from where the module was loaded.  Return: bytes read; 0: there is none. */
size_t plugin_module_read(const struct plugin_module *module, uint64_t offset, void *buf, size_t n);

#endif /* PLUGIN_MODULE_H */
