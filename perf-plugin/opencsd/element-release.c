// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>

#include "element-release.h"

const char *const ocsd_release_names[] = { "1.8.0", "1.5.5", "1.3.3", NULL };

static const struct ocsd_release releases[] = {
	{ "1.8.0", 0x010800, 19, 7, 1, 1 },
	{ "1.5.5", 0x010505, 18, 7, 1, 0 },
	{ "1.3.3", 0x010303, 17, 6, 0, 0 },
};

const struct ocsd_release *ocsd_release_at(unsigned int number)
{
	return &releases[number];
}

const struct ocsd_release *ocsd_release_find(const char *name)
{
	for (size_t i = 0; ocsd_release_names[i]; i++)
		if (!strcmp(name, ocsd_release_names[i]))
			return &releases[i];
	return NULL;
}
