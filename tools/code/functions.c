// SPDX-License-Identifier: GPL-2.0-only
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/lower-bound.h"
#include "../../perf-plugin/elf-debug.h"
#include "functions.h"

static bool is_code(const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return name && *name && sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* Bytes from a symbol to the end of its section. */
static uint64_t rest(Elf *elf, const GElf_Sym *sym)
{
	Elf_Scn *scn = elf ? elf_getscn(elf, sym->st_shndx) : NULL;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || sym->st_value < sh.sh_addr ||
	    sym->st_value - sh.sh_addr > sh.sh_size)
		return 0;
	return sh.sh_size - (sym->st_value - sh.sh_addr);
}

/* Bit 0 of a function's value marks T32, and is not part of its address: AAELF32 5.5.3. */
static bool is_t32(Elf *elf, const GElf_Sym *sym)
{
	GElf_Ehdr eh;

	return GELF_ST_TYPE(sym->st_info) == STT_FUNC && elf && gelf_getehdr(elf, &eh) &&
	       eh.e_machine == EM_ARM && sym->st_value & 1;
}

/* One without a size, as in crti.o, gets the largest possible.  Local ones get numbers later. */
static bool read_symbols(struct functions *f)
{
	int n = dwfl_module_getsymtab(f->module);

	f->function = calloc(n > 0 ? n : 1, sizeof(*f->function));
	if (!f->function)
		return false;
	for (int i = 0; i < n; i++) {
		GElf_Addr value;
		GElf_Sym sym;
		Elf *elf = NULL;
		const char *name = dwfl_module_getsym_info(f->module, i, &sym, &value, NULL, &elf,
							   NULL);

		if (is_code(&sym, name))
			f->function[f->n++] = (struct function){
				.addr = sym.st_value & ~(uint64_t)is_t32(elf, &sym), .name = name,
				.t32 = is_t32(elf, &sym),
				.size = sym.st_size ? sym.st_size : rest(elf, &sym),
				.index = i,
				.number = GELF_ST_BIND(sym.st_info) == STB_LOCAL,
			};
	}
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int by_name(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	return order ? order : *x < *y ? -1 : *x > *y;
}

static bool number_locals(struct functions *f)
{
	struct function **local = calloc(f->n + 1, sizeof(*local));
	size_t n = 0;

	if (!local)
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (f->function[i].number)
			local[n++] = &f->function[i];
	qsort(local, n, sizeof(*local), by_name);
	for (size_t i = 1; i < n; i++)
		if (!strcmp(local[i]->name, local[i - 1]->name))
			local[i]->number = local[i - 1]->number + 1;
	free(local);
	return true;
}

/* Keeps the first at each address, with the largest size; none overlaps another. */
static void settle(struct functions *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct function *last = n ? &f->function[n - 1] : NULL;

		if (!last || last->addr != f->function[i].addr)
			f->function[n++] = f->function[i];
		else if (last->size < f->function[i].size)
			last->size = f->function[i].size;
	}
	f->n = n;
	for (size_t i = 0; i + 1 < n; i++) {
		uint64_t room = f->function[i + 1].addr - f->function[i].addr;

		if (f->function[i].size > room)
			f->function[i].size = room;
	}
}

int functions_read(struct functions *f, const struct elf_file *elf)
{
	*f = (struct functions){ 0 };
	if (elf->is_module)
		return -EOPNOTSUPP;
	f->dwfl = dwfl_begin(&elf_debug_callbacks);
	if (!f->dwfl)
		return -ENOMEM;
	dwfl_report_begin(f->dwfl);
	f->module = elf->path ? dwfl_report_offline(f->dwfl, "", elf->path, -1) : NULL;
	dwfl_report_end(f->dwfl, NULL, NULL);
	if (!f->module)
		return -ENODATA;
	if (!read_symbols(f))
		return -ENOMEM;
	qsort(f->function, f->n, sizeof(*f->function), by_addr);
	if (!number_locals(f))
		return -ENOMEM;
	settle(f);
	return f->n ? 0 : -ENODATA;
}

void functions_fini(struct functions *f)
{
	if (f->dwfl)
		dwfl_end(f->dwfl);
	free(f->function);
	*f = (struct functions){ 0 };
}

const struct function *functions_at(const struct functions *f, uint64_t addr)
{
	size_t next = LOWER_BOUND(f->n, i, f->function[i].addr <= addr);

	if (!next || addr - f->function[next - 1].addr >= f->function[next - 1].size)
		return NULL;
	return &f->function[next - 1];
}
