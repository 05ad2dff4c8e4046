// SPDX-License-Identifier: GPL-2.0-only
/*
 * Function symbols of a file, sorted.
 *
 * Source: System V gABI chapter 4, "Symbol Table"; AAELF64 5.4 for mapping symbols; AAELF32 5.5.3
 * for functions of T32.
 */
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "elf-symbols.h"

/* A symbol without size, with none behind it, covers this much and no more. */
#define LAST_SIZE	4096

/* What decides between two names of one address, the more important the higher. */
#define RANK_SIZED	4
#define RANK_STRONG	2
#define RANK_GLOBAL	1

struct symbol {
	struct elf_symbol pub;
	char *plain;		/* owned: the name of a C++ function, once it was asked for */
	uint8_t rank;
	bool asked;
};

struct elf_symbols {
	const struct elf_file *file;
	struct symbol *symbol;
	size_t n, size;
	uint64_t *section;	/* address of each section of a module; UINT64_MAX: not loaded */
	size_t n_section;
	bool is_arm32;
};

/* "$x", "$d.12": they tell code from data and name nothing. */
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

	return (sym->st_size ? RANK_SIZED : 0) | (bind != STB_WEAK ? RANK_STRONG : 0) |
	       (bind == STB_GLOBAL ? RANK_GLOBAL : 0);
}

static bool push(struct elf_symbols *s, const struct symbol *symbol)
{
	if (s->n == s->size) {
		size_t size = s->size ? 2 * s->size : 256;
		struct symbol *p = realloc(s->symbol, size * sizeof(*p));

		if (!p)
			return false;
		s->symbol = p;
		s->size = size;
	}
	s->symbol[s->n++] = *symbol;
	return true;
}

/* Addresses of symbols in a module count from their section. */
static bool locate(const struct elf_symbols *s, const GElf_Sym *sym, uint64_t *addr)
{
	*addr = sym->st_value;
	/* bit 0 says that a function is T32 */
	if (s->is_arm32 && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		*addr &= ~1ull;
	if (!s->file->is_module)
		return true;
	if (sym->st_shndx >= s->n_section || s->section[sym->st_shndx] == UINT64_MAX)
		return false;
	*addr += s->section[sym->st_shndx];
	return true;
}

static bool read_table(struct elf_symbols *s, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		struct symbol symbol = { .asked = false };
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(data, i, &sym))
			break;
		name = elf_strptr(s->file->elf, sh->sh_link, sym.st_name);
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

/* Return: there was a table of that type with functions; false with *failed set: no memory. */
static bool read_tables(struct elf_symbols *s, uint32_t type, bool *failed)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(s->file->elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		if (!read_table(s, scn, &sh)) {
			*failed = true;
			return false;
		}
	}
	return s->n > 0;
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

/*
 * By address; of two at one address the better one comes last: it has a size,
 * is strong, is global, has fewer underscores in front and the longer name.
 */
static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	size_t nx, ny;

	if (x->pub.addr != y->pub.addr)
		return x->pub.addr < y->pub.addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	nx = strspn(x->pub.name, "_");
	ny = strspn(y->pub.name, "_");
	if (nx != ny)
		return nx > ny ? -1 : 1;
	nx = strlen(x->pub.name);
	ny = strlen(y->pub.name);
	if (nx != ny)
		return nx < ny ? -1 : 1;
	return -strcmp(x->pub.name, y->pub.name);
}

/* Sorts, keeps the best name of each address, and gives a size to those without. */
static void tidy(struct elf_symbols *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->symbol, s->n, sizeof(*s->symbol), by_addr);
	for (size_t i = 0; i < s->n; i++)
		if (i + 1 == s->n || s->symbol[i].pub.addr != s->symbol[i + 1].pub.addr)
			s->symbol[n++] = s->symbol[i];
	s->n = n;
	for (size_t i = 0; i < n; i++)
		if (!s->symbol[i].pub.size)
			s->symbol[i].pub.size = i + 1 == n ? LAST_SIZE :
				s->symbol[i + 1].pub.addr - s->symbol[i].pub.addr;
}

struct elf_symbols *elf_symbols_new(const struct elf_file *file)
{
	struct elf_symbols *s = calloc(1, sizeof(*s));
	bool failed = false;
	GElf_Ehdr eh;

	if (!s)
		return NULL;
	s->file = file;
	s->is_arm32 = gelf_getehdr(file->elf, &eh) && eh.e_machine == EM_ARM;
	if (!find_sections(s)) {
		elf_symbols_free(s);
		return NULL;
	}
	if (!read_tables(s, SHT_SYMTAB, &failed) && !failed)
		read_tables(s, SHT_DYNSYM, &failed);
	if (failed) {
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
	free(s->symbol);
	free(s->section);
	free(s);
}

bool elf_symbols_find(struct elf_symbols *s, uint64_t addr, struct elf_symbol *symbol)
{
	size_t low = 0, high = s->n;
	struct symbol *found;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->symbol[mid].pub.addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	found = &s->symbol[low - !!low];
	if (!low || addr - found->pub.addr >= found->pub.size)
		return false;
	if (!found->asked)
		found->plain = demangle(found->pub.name);
	found->asked = true;
	*symbol = found->pub;
	if (found->plain)
		symbol->name = found->plain;
	return true;
}

bool elf_file_address(struct elf_file *file, const char *name, uint64_t *addr)
{
	struct elf_symbol first;

	/* only to have the table read */
	elf_file_symbol(file, 0, &first);
	for (size_t i = 0; file->symbols && i < file->symbols->n; i++)
		if (!strcmp(file->symbols->symbol[i].pub.name, name)) {
			*addr = file->symbols->symbol[i].pub.addr;
			return true;
		}
	return false;
}
