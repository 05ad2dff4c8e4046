// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/new-file.h"
#include "binary.h"

int binaries_read(struct binaries *b, const char *text)
{
	const char *equals = strchr(text, '=');
	struct binary_file *more = realloc(b->file, (b->n + 1) * sizeof(*more));
	char *ports;
	int err;

	if (!more)
		return -ENOMEM;
	b->file = more;
	if (!equals || !equals[1])
		return -EINVAL;
	ports = strndup(text, equals - text);
	if (!ports)
		return -ENOMEM;
	b->file[b->n] = (struct binary_file){ .path = equals + 1 };
	err = channels_read(&b->file[b->n++].channels, ports);
	free(ports);
	return err;
}

int binaries_open(struct binaries *b, const char **path)
{
	for (size_t i = 0; i < b->n; i++) {
		struct binary_file *f = &b->file[i];

		f->file = new_file(f->path);
		if (!f->file) {
			*path = f->path;
			return -errno;
		}
	}
	return 0;
}

int binaries_close(struct binaries *b, bool whole, const char **path)
{
	int ret = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct binary_file *f = &b->file[i];
		int err = f->file ? new_file_close(f->file, whole ? 0 : -ECANCELED) : 0;

		f->file = NULL;
		if (!err || !whole || ret)
			continue;
		*path = f->path;
		ret = err;
	}
	return ret;
}

bool binaries_take(struct binaries *b, const struct row *row)
{
	bool taken = false;

	for (size_t i = 0; i < b->n; i++) {
		const uint64_t value = htole64(row->m.value);

		if (channels_find(&b->file[i].channels, &row->m) < 0)
			continue;
		fwrite(&value, 1, row->m.size, b->file[i].file);
		taken = true;
	}
	return taken;
}

void binaries_free(struct binaries *b)
{
	for (size_t i = 0; i < b->n; i++)
		channels_free(&b->file[i].channels);
	free(b->file);
}
