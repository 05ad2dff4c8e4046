// SPDX-License-Identifier: GPL-2.0-only
/* Checks which profile of a program is possible, before hours of recording. */
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/file.h"
#include "../lib/log.h"
#include "../code/functions.h"
#include "pgo.h"

static bool wrong(const char *path, const char *why)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", path, why);
	return false;
}

/* Reads sections of compilers and linkers, none of which is loaded. */
static void take_section(struct pgo *p, const char *name, Elf_Scn *scn)
{
	static const char clang[] = "clang version ";
	const Elf_Data *data;
	const char *version;

	if (!strcmp(name, ".pseudo_probe"))
		p->probes = true;
	else if (!strcmp(name, ".rela.text") || !strcmp(name, ".rel.text"))
		p->relocs = true;
	else if (!strcmp(name, ".llvm_bb_addr_map"))
		p->blocks = true;
	if (strcmp(name, ".comment"))
		return;
	data = elf_getdata(scn, NULL);
	/* Strings, one after another; the last also ends with 0. */
	if (!data || !data->d_size || ((const char *)data->d_buf)[data->d_size - 1])
		return;
	version = memmem(data->d_buf, data->d_size, clang, strlen(clang));
	if (version)
		p->clang = atoi(version + strlen(clang));
}

static void look_at_sections(struct pgo *p, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (!elf || elf_getshdrstrndx(elf, &strings))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, strings, sh.sh_name);
		if (name)
			take_section(p, name, scn);
	}
}

static bool has_unique_names(const struct functions *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (strstr(f->function[i].name, ".__uniq."))
			return true;
	return false;
}

static bool look_inside(struct pgo *p, const struct elf_file *elf)
{
	struct functions functions;
	Dwarf_Addr bias;
	GElf_Ehdr header;
	Elf *main;
	int err = functions_read(&functions, elf);

	if (err == -ENOMEM)
		return wrong(p->binary, "no memory");
	p->symbols = !err;
	p->unique = has_unique_names(&functions);
	main = functions.module ? dwfl_module_getelf(functions.module, &bias) : NULL;
	look_at_sections(p, main);
	p->arm = main && gelf_getehdr(main, &header) && header.e_machine == EM_ARM;
	p->lines = functions.module && dwfl_module_getdwarf(functions.module, &bias);
	functions_fini(&functions);
	return true;
}

/* Reports each obstacle, with its remedy. */
static bool is_possible(const struct pgo *p)
{
	if (p->arm && p->whom == PGO_BOLT)
		return wrong(p->binary, "BOLT does not support AArch32");
	if (p->whom == PGO_BOLT && !p->symbols)
		return wrong(p->binary, "no symbols: it was stripped; name it as it was linked, or "
			     "install its debug file");
	if (p->whom == PGO_PROPELLER && !p->blocks)
		return wrong(p->binary, "no map of its blocks, which Propeller needs: compile with "
			     "clang -fbasic-block-sections=labels, from clang 20 on "
			     "-fbasic-block-address-map");
	if ((p->whom == PGO_CLANG || p->whom == PGO_GCC) && !p->lines)
		return wrong(p->binary, "no debug information: compile with -g, or install its "
			     "debug file");
	return true;
}

bool pgo_look(struct pgo *p)
{
	struct elf_file *elf = NULL;
	int err = elf_file_open(&elf, p->binary);
	bool fine;

	if (err)
		return wrong(p->binary, file_elf_words(p->binary, err));
	if (!elf->is_elf || !elf->is_arm)
		fine = wrong(p->binary, elf->is_elf ? "not for an Arm processor" :
						      "not an ELF file");
	else
		fine = look_inside(p, elf) && is_possible(p);
	elf_file_close(elf);
	return fine;
}
