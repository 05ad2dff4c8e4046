// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: GDB manual, "Debugging Information in Separate Files" and "Debugging information in a
 * special section".
 */
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/mman.h>

#include "elf-apart.h"
#include "elf-debug.h"
#include "elf-unpack.h"
#include "section.h"

static bool has_symbols(const struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (file->is_elf && (scn = elf_nextscn(file->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

/* One without symbols is closed. */
static struct elf_file *checked(struct elf_file *apart)
{
	if (!apart || has_symbols(apart))
		return apart;
	elf_file_close(apart);
	return NULL;
}

/* That of a server has no path that libdwfl tells. */
static struct elf_file *copy(Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
	Elf *elf = dwarf ? dwarf_getelf(dwarf) : NULL;
	struct elf_file *apart = NULL;
	size_t n = 0;
	const char *bytes = elf ? elf_rawfile(elf, &n) : NULL;

	if (bytes)
		elf_file_copy(&apart, bytes, n);
	return apart;
}

/* libdwfl looks for the debug file when it is asked for symbols, and checks that it fits. */
static struct elf_file *debug_file(const struct elf_file *file)
{
	Dwfl *dwfl = file->path ? dwfl_begin(&elf_debug_callbacks) : NULL;
	const char *main_path, *path = NULL;
	struct elf_file *apart = NULL;
	Dwfl_Module *module;

	if (!dwfl)
		return NULL;
	dwfl_report_begin(dwfl);
	module = dwfl_report_offline(dwfl, "", file->path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module && dwfl_module_getsymtab(module) >= 0)
		dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main_path, &path);
	if (path)
		elf_file_open(&apart, path);
	else if (module)
		apart = copy(module);
	dwfl_end(dwfl);
	return checked(apart);
}

static struct elf_file *unpacked(const struct elf_file *file)
{
	const struct section packed = section_find(file->elf, ".gnu_debugdata");
	struct elf_file *apart = NULL;
	uint8_t *bytes;
	size_t n;

	if (packed.at == packed.end ||
	    elf_unpack(packed.at, packed.end - packed.at, &bytes, &n) || !bytes)
		return NULL;
	elf_file_copy(&apart, bytes, n);
	munmap(bytes, n);
	return checked(apart);
}

struct elf_file *elf_apart_open(const struct elf_file *file)
{
	struct elf_file *apart;

	if (file->is_module || file->is_core)
		return NULL;
	apart = debug_file(file);
	return apart ? apart : unpacked(file);
}
