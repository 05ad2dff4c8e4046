// SPDX-License-Identifier: GPL-2.0-only
/* A snapshot of five files, cut from the input at 0xff bytes: it opens or not, and that is all. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/input/snapshot-image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const names[] = {
	"snapshot.ini", "trace.ini", "core.ini", "unit.ini", "dump.bin"
};

static char dir[32] = "/tmp/csflow-fuzz-XXXXXX";

static void clean_up(void)
{
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static void put(const char *name, const uint8_t *data, size_t n)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f || fwrite(data, 1, n, f) != n || fclose(f))
		abort();
}

static void ask(const struct snapshot *s)
{
	struct csf_config config;
	uint8_t id;

	for (size_t i = 0; i < s->n_device && i < 8; i++) {
		const struct snapshot_device *d = &s->device[i];

		snapshot_config(d, snapshot_core(s, d), &config, &id);
		for (size_t j = 0; j < s->n_buffer && j < 8; j++)
			snapshot_in_buffer(s, d, j & 1, &s->buffer[j]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct snapshot_image image = { 0 };
	struct snapshot s;
	char buf[64];

	if (strchr(dir, 'X') && mkdtemp(dir))
		atexit(clean_up);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const uint8_t *end = memchr(data, 0xff, n);
		size_t size = end ? (size_t)(end - data) : n;

		put(names[i], data, size);
		data += size;
		n -= size;
		if (n) {
			data++;
			n--;
		}
	}
	if (!snapshot_open(&s, dir) && !snapshot_image_open(&image, &s)) {
		for (int i = 0; i < 8; i++)
			csf_image_read(image.image, image.space[i], 0x1000, 0, buf, sizeof(buf));
		ask(&s);
	}
	snapshot_image_close(&image);
	snapshot_close(&s);
	return 0;
}
