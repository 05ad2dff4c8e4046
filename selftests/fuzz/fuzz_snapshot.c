// SPDX-License-Identifier: GPL-2.0-only
/*
 * A snapshot of seven files, cut from the input at 0xff bytes; the last, trace, is the rest.  It
 * opens or not; then its buffers are indexed, and all sources are listed in order of time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/dump/list-order.h"
#include "../../tools/index/index.h"
#include "../../tools/input/snapshot-capture.h"
#include "../../tools/input/snapshot-image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char *const names[] = {
	"snapshot.ini", "trace.ini", "core.ini", "unit.ini", "dump.bin", "other.ini", "trace.bin"
};

#define BUFFERS	4
#define BYTES	(64u << 10)	/* of a buffer */

/* In memory: a file that is written again and again would be flushed to the disk each time. */
static char dir[32] = "/dev/shm/csflow-fuzz-XXXXXX";

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

static void forget(struct out *out, void *owner)
{
}

static void make_index(const struct input *in)
{
	struct index_builder *b;

	if (index_builder_new(&b, INDEX_FULL))
		abort();
	if (!index_builder_begin(b, in, 0))
		index_builder_feed(b, in->data, in->n, true);
	index_builder_free(b);
}

/* All sources of the first buffers. */
static void list(struct snapshot *s, const struct snapshot_image *image)
{
	static struct out out = { .full = forget };
	struct snapshot_capture capture[BUFFERS] = { 0 };
	const struct list_options options = { .elements = true };
	const size_t room = 2 * s->n_device + 1;
	struct input_source *source = calloc(BUFFERS * room, sizeof(*source));
	struct list_part *part = calloc(BUFFERS * room, sizeof(*part));
	struct input in[BUFFERS];
	const char *path;
	size_t n = 0;

	if (!source || !part)
		abort();
	for (size_t i = 0; i < BUFFERS && i < s->n_buffer; i++) {
		if (snapshot_capture_open(&capture[i], s, &s->buffer[i], &path) ||
		    capture[i].n > BYTES)
			continue;
		in[i] = (struct input){
			.name = s->buffer[i].name, .data = capture[i].data, .n = capture[i].n,
			.framing = snapshot_framing(&s->buffer[i]), .source = source + i * room,
			.image = image->image,
		};
		in[i].n_source = snapshot_sources(s, &capture[i], -1, true, source + i * room);
		make_index(&in[i]);
		for (size_t k = 0; k < in[i].n_source; k++)
			part[n++] = (struct list_part){
				.in = &in[i], .source = &in[i].source[k],
				.name = in[i].source[k].name,
			};
	}
	if (n)
		list_in_order(part, n, &options, &out);
	for (size_t i = 0; i < BUFFERS; i++)
		snapshot_capture_close(&capture[i]);
	free(part);
	free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct snapshot_image image = { 0 };
	struct snapshot s;
	char buf[64];

	if (strchr(dir, 'X')) {
		if (!mkdtemp(dir))
			abort();
		atexit(clean_up);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const bool last = i + 1 == ARRAY_SIZE(names);
		const uint8_t *end = last ? NULL : memchr(data, 0xff, n);
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
		list(&s, &image);
	}
	snapshot_image_close(&image);
	snapshot_close(&s);
	return 0;
}
