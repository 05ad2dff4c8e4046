// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "section.h"

struct section section_find(Elf *elf, const char *name)
{
	struct section none = { NULL, NULL, false };
	Elf_Scn *scn = NULL;
	size_t strings;

	if (!elf || elf_getshdrstrndx(elf, &strings))
		return none;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *own;
		Elf_Data *data;
		GElf_Shdr sh;

		own = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		data = own && !strcmp(own, name) ? elf_rawdata(scn, NULL) : NULL;
		if (data && data->d_buf)
			return (struct section){ data->d_buf,
						 (uint8_t *)data->d_buf + data->d_size, false };
	}
	return none;
}

uint64_t section_leb(struct section *s, bool sign)
{
	uint64_t v = 0;
	int shift = 0;
	uint8_t next;

	do {
		next = section_byte(s);
		if (shift < 64)
			v |= (uint64_t)(next & 0x7f) << shift;
		shift += 7;
	} while (next & 0x80);
	return sign && shift < 64 && next & 0x40 ? v | ~0ull << shift : v;
}
