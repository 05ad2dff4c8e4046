// SPDX-License-Identifier: GPL-2.0-only
/*
 * Function symbols of a file, and the stubs through which it calls other files, sorted.
 *
 * Source: System V gABI chapter 4, "Symbol Table"; AAELF64 5.4 for mapping symbols; AAELF32 5.5.3
 * for functions of T32.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower-bound.h"
#include "array.h"
#include "demangle.h"
#include "elf-apart.h"
#include "elf-plt.h"
#include "elf-symbols.h"

/* A symbol that has no size, and no symbol after it, ends one such page after its own. */
#define PAGE		4096ull

/* These decide between two names of one address; higher values are more important. */
#define RANK_STUB	8
#define RANK_SIZED	4
#define RANK_STRONG	2
#define RANK_GLOBAL	1

struct symbol {
	struct elf_symbol pub;
	char *plain;		/* owned: demangled, once it was needed; NULL: as in @pub */
	uint32_t order;		/* number in the order of reading */
	uint8_t rank;
	bool asked;
};

struct elf_symbols {
	const struct elf_file *file;
	struct elf_file *apart;	/* the file that has symbols in its place; NULL: none */
	struct symbol *symbol;
	size_t n, size;
	uint64_t *section;	/* address of each section of a module; UINT64_MAX: not loaded */
	size_t n_section;
	struct elf_stubs stubs;
	bool is_arm32;
};

/* "$x", "$d.12": mapping symbols, which mark code and data and name nothing. */
static bool is_mapping(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_function(const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info), see = GELF_ST_VISIBILITY(sym->st_other);

	if (sym->st_shndx == SHN_UNDEF || !*name || is_mapping(name))
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && sym->st_shndx != SHN_ABS && see != STV_HIDDEN &&
	       see != STV_INTERNAL;
}

static uint8_t rank(const GElf_Sym *sym)
{
	int bind = GELF_ST_BIND(sym->st_info);

	return (bind != STB_WEAK ? RANK_STRONG : 0) | (bind == STB_GLOBAL ? RANK_GLOBAL : 0);
}

static bool push(struct elf_symbols *s, const struct symbol *symbol)
{
	if (!array_room(&s->symbol, s->n, &s->size, sizeof(*s->symbol)))
		return false;
	s->symbol[s->n] = *symbol;
	s->symbol[s->n].order = s->n;
	s->n++;
	return true;
}

/* Addresses of symbols in a module count from their section. */
static bool locate(const struct elf_symbols *s, const GElf_Sym *sym, uint64_t *addr)
{
	int type = GELF_ST_TYPE(sym->st_info);

	*addr = sym->st_value;
	/* bit 0 set means that the function is T32 */
	if (s->is_arm32 && (type == STT_FUNC || type == STT_GNU_IFUNC))
		*addr &= ~1ull;
	if (!s->file->is_module)
		return true;
	if (sym->st_shndx >= s->n_section || s->section[sym->st_shndx] == UINT64_MAX)
		return false;
	*addr += s->section[sym->st_shndx];
	return true;
}

static bool read_table(struct elf_symbols *s, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		struct symbol symbol = { .asked = false };
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(data, i, &sym))
			break;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (!name || !is_function(&sym, name) || !locate(s, &sym, &symbol.pub.addr))
			continue;
		symbol.pub.name = name;
		symbol.pub.size = sym.st_size;
		symbol.rank = rank(&sym);
		if (!push(s, &symbol))
			return false;
	}
	return true;
}

/* All tables of that type.  Return: false: no memory. */
static bool read_tables(struct elf_symbols *s, Elf *elf, uint32_t type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type && !read_table(s, elf, scn, &sh))
			return false;
	return true;
}

static bool read_symbols(struct elf_symbols *s)
{
	if (!read_tables(s, s->file->elf, SHT_SYMTAB))
		return false;
	if (!s->n)
		s->apart = elf_apart_open(s->file);
	return (!s->apart || read_tables(s, s->apart->elf, SHT_SYMTAB)) &&
	       read_tables(s, s->file->elf, SHT_DYNSYM);
}

static bool find_sections(struct elf_symbols *s)
{
	size_t n;

	if (!s->file->is_module)
		return true;
	if (elf_getshdrnum(s->file->elf, &n) || n > 0xffff)
		n = 0;
	s->section = malloc((n + 1) * sizeof(*s->section));
	if (!s->section)
		return false;
	s->n_section = n;
	for (size_t i = 0; i < n; i++) {
		const struct elf_segment *segment = NULL;
		Elf_Scn *scn = elf_getscn(s->file->elf, i);
		GElf_Shdr sh;

		if (scn && gelf_getshdr(scn, &sh) && sh.sh_type == SHT_PROGBITS &&
		    (sh.sh_flags & SHF_EXECINSTR))
			segment = elf_segment_at(s->file, sh.sh_offset);
		s->section[i] = segment && segment->offset == sh.sh_offset ? segment->addr :
			UINT64_MAX;
	}
	return true;
}

/* Sorts by address, and symbols of one address in file order. */
static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->pub.addr != y->pub.addr)
		return x->pub.addr < y->pub.addr ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/*
 * Of two symbols at one address, the better one has a size, is strong, is global, has fewer leading
 * underscores, and the longer name, in this order.
 */
static bool is_better(const struct symbol *x, const struct symbol *y)
{
	size_t nx, ny;

	if (x->rank != y->rank)
		return x->rank > y->rank;
	nx = strspn(x->pub.name, "_");
	ny = strspn(y->pub.name, "_");
	if (nx != ny)
		return nx < ny;
	nx = strlen(x->pub.name);
	ny = strlen(y->pub.name);
	if (nx != ny)
		return nx > ny;
	return strcmp(x->pub.name, y->pub.name) < 0;
}

static bool add_stubs(struct elf_symbols *s)
{
	if (!elf_plt_read(s->file, &s->stubs))
		return false;
	for (size_t i = 0; i < s->stubs.n; i++) {
		const struct elf_stub *stub = &s->stubs.stub[i];
		const struct symbol symbol = {
			.pub = { .name = stub->name, .addr = stub->addr, .size = stub->size },
			.rank = RANK_STUB,
		};

		if (!push(s, &symbol))
			return false;
	}
	return true;
}

static uint64_t page_after(uint64_t addr)
{
	return ((addr + PAGE - 1) & -PAGE) + PAGE;
}

/*
 * A symbol without a size extends to the next one; of several at one address, only the last does.
 */
static void give_sizes(struct elf_symbols *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct symbol *at = &s->symbol[i];

		if (!at->pub.size)
			at->pub.size = (i + 1 < s->n ? at[1].pub.addr : page_after(at->pub.addr)) -
				       at->pub.addr;
		if (at->pub.size)
			at->rank |= RANK_SIZED;
	}
}

/* A symbol ends where a stub begins, whatever its size. */
static void cut_at_stubs(struct elf_symbols *s)
{
	for (size_t i = 1; i < s->n; i++) {
		struct elf_symbol *before = &s->symbol[i - 1].pub;
		const uint64_t room = s->symbol[i].pub.addr - before->addr;

		if (s->symbol[i].rank & RANK_STUB && before->size > room)
			before->size = room;
	}
}

/* Sorts, and keeps the best name of each address. */
static void tidy(struct elf_symbols *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->symbol, s->n, sizeof(*s->symbol), by_addr);
	give_sizes(s);
	for (size_t i = 0; i < s->n; i++) {
		const struct symbol *at = &s->symbol[i];

		if (!n || s->symbol[n - 1].pub.addr != at->pub.addr)
			s->symbol[n++] = *at;
		else if (is_better(at, &s->symbol[n - 1]))
			s->symbol[n - 1] = *at;
	}
	s->n = n;
	cut_at_stubs(s);
}

struct elf_symbols *elf_symbols_new(const struct elf_file *file)
{
	struct elf_symbols *s = calloc(1, sizeof(*s));
	GElf_Ehdr eh;

	if (!s)
		return NULL;
	s->file = file;
	s->is_arm32 = gelf_getehdr(file->elf, &eh) && eh.e_machine == EM_ARM;
	if (!find_sections(s) || !read_symbols(s) || !add_stubs(s)) {
		elf_symbols_free(s);
		return NULL;
	}
	tidy(s);
	return s;
}

void elf_symbols_free(struct elf_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->symbol[i].plain);
	elf_plt_free(&s->stubs);
	elf_file_close(s->apart);
	free(s->symbol);
	free(s->section);
	free(s);
}

/* The name of a stub is that of its function, followed by "@plt". */
static char *plain_stub(const char *name)
{
	const char *at = strrchr(name, '@');
	char *bare = at ? strndup(name, at - name) : NULL;
	char *plain = bare ? demangle(bare) : NULL, *text = NULL;

	if (plain && asprintf(&text, "%s%s", plain, at) < 0)
		text = NULL;
	free(plain);
	free(bare);
	return text;
}

/* The last one that begins up to @addr, if it has @addr; NULL: it does not. */
static struct symbol *symbol_at(const struct elf_symbols *s, uint64_t addr)
{
	const size_t next = LOWER_BOUND(s->n, i, s->symbol[i].pub.addr <= addr);
	struct symbol *found = &s->symbol[next - !!next];

	return next && addr - found->pub.addr < found->pub.size ? found : NULL;
}

bool elf_symbols_find(struct elf_symbols *s, uint64_t addr, struct elf_symbol *symbol)
{
	struct symbol *found = symbol_at(s, addr);

	if (!found)
		return false;
	if (!found->asked)
		found->plain = found->rank & RANK_STUB ? plain_stub(found->pub.name) :
							  demangle(found->pub.name);
	found->asked = true;
	*symbol = found->pub;
	symbol->raw = found->pub.name;
	if (found->plain)
		symbol->name = found->plain;
	return true;
}

bool elf_symbols_address(const struct elf_symbols *s, const char *name, uint64_t *addr)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->symbol[i].pub.name, name)) {
			*addr = s->symbol[i].pub.addr;
			return true;
		}
	return false;
}

bool elf_symbols_range(const struct elf_symbols *s, size_t i, struct elf_range *range)
{
	if (i >= s->n)
		return false;
	range->start = s->symbol[i].pub.addr;
	range->end = range->start + s->symbol[i].pub.size;
	return true;
}
