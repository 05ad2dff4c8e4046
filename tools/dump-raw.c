// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "dump.h"
#include "file.h"

/* Code given as FILE@ADDRESS: borrowed by the image. */
struct code {
	struct file *file;
	size_t n;
};

static int map_code(struct csf_image *image, struct code *code, const char *text)
{
	const char *at = strrchr(text, '@');
	struct file *file = &code->file[code->n];
	char *path = at ? strndup(text, at - text) : NULL;
	uint64_t addr;
	int err = -1;
	bool good = path && options_number(at + 1, &addr);

	if (good)
		err = file_map(file, path);
	if (!good) {
		fprintf(stderr, "csflow dump: --code wants FILE@ADDRESS, not '%s'\n", text);
	} else if (err) {
		fprintf(stderr, "csflow dump: %s: %s\n", path, strerror(-err));
	} else {
		code->n++;
		err = csf_section_bytes(image, file->data, file->n);
		if (err > 0)
			err = csf_map(image, CSF_SPACE_ALL, addr, file->n, err, 0);
		if (err < 0)
			fprintf(stderr, "csflow dump: %s: cannot be mapped at 0x%llx\n", path,
				(unsigned long long)addr);
	}
	free(path);
	return err < 0 ? -1 : 0;
}

static int map_all(const struct dump *d, struct csf_image **image, struct code *code)
{
	int err = csf_image_new(image);

	code->file = calloc(d->code.n + 1, sizeof(*code->file));
	if (!code->file)
		return -1;
	for (size_t i = 0; i < d->code.n && !err; i++)
		err = map_code(*image, code, d->code.value[i]);
	return err;
}

int dump_raw(struct dump *d, const char *path)
{
	bool known = unit_complete(&d->unit);
	struct input_source source = { .config = d->unit.config, .name = path, .id = d->id & 0x7f };
	struct input in = {
		.name = path, .framing = dump_framing(d, INPUT_RAW), .source = &source,
		.n_source = 1,
	};
	struct code code = { 0 };
	struct file file;
	int status = CMD_FAILED;
	int err = file_map(&file, path);

	if (err) {
		fprintf(stderr, "csflow dump: %s: %s\n", path, strerror(-err));
		return CMD_FAILED;
	}
	in.data = file.data;
	in.n = file.n;
	if (in.framing != INPUT_RAW && !d->id_given && !d->frames) {
		fprintf(stderr, "csflow dump: frames: say which trace unit by --id\n");
		status = CMD_USAGE;
	} else if (!known) {
		fprintf(stderr, "csflow dump: these registers are of no ETMv4 or ETE\n");
		status = CMD_USAGE;
	} else if (!map_all(d, &in.image, &code)) {
		status = dump_input(d, &in);
	}
	csf_image_free(in.image);
	for (size_t i = 0; i < code.n; i++)
		file_unmap(&code.file[i]);
	free(code.file);
	file_unmap(&file);
	return status;
}
