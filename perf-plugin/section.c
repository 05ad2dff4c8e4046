// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "leb128.h"
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
	const uint8_t *const from = s->at;
	uint64_t v;
	const enum leb128 what = leb128_get(&s->at, s->end, &v);
	const unsigned int bits = 7 * (s->at - from);

	if (what == LEB128_CUT)
		s->bad = true;
	if (what == LEB128_LONG)
		while (section_byte(s) & 0x80)
			;
	return sign && !what && bits < 64 && s->at[-1] & 0x40 ? v | ~0ull << bits : v;
}
