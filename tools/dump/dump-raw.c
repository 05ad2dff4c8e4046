// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/elf.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "../input/code-map.h"
#include "../input/mtb.h"
#include "dump.h"
#include "figures.h"
#include "../lib/file.h"
#include "../input/frame-ids.h"

#define CHUNK	(1u << 20)

/* Code given as FILE@ADDRESS, or as an ELF file: borrowed by the image. */
struct code {
	struct file *file;
	struct elf_file **elf;
	size_t n, n_elf;
	struct code_copies copies;
};

static int map_bytes(struct csf_image *image, struct code *code, const char *path, uint64_t addr,
		     const uint8_t *bytes, size_t n)
{
	int err = code_map(&code->copies, image, CSF_SPACE_ALL, addr, bytes, n);

	if (err < 0)
		log_say(LOG_FILE, "csflow dump: %s: cannot be mapped at 0x%llx\n", path,
			(unsigned long long)addr);
	return err;
}

/* What can be executed is at the address that the file says. */
static int map_elf(struct csf_image *image, struct code *code, const char *path)
{
	struct elf_file *elf;
	int err = elf_file_open(&elf, path);

	if (err) {
		log_say(LOG_FILE, "csflow dump: %s: %s\n", path, file_words(path, err));
		return -1;
	}
	code->elf[code->n_elf++] = elf;
	if (!elf->is_elf) {
		log_say(LOG_FILE, "csflow dump: %s: not an ELF file: --code=%s@ADDRESS says where its bytes were\n",
			path, path);
		return -1;
	}
	for (size_t i = 0; i < elf->n_segment && err >= 0; i++) {
		const struct elf_segment *s = &elf->segment[i];

		if (s->exec && s->size)
			err = map_bytes(image, code, path, s->addr, elf->bytes + s->offset,
					s->size);
	}
	return err < 0 ? -1 : 0;
}

static int map_code(struct csf_image *image, struct code *code, const char *text)
{
	const char *at = strrchr(text, '@');
	struct file *file = &code->file[code->n];
	char *path = at ? strndup(text, at - text) : NULL;
	uint64_t addr;
	int err;

	if (!at)
		return map_elf(image, code, text);
	if (!path || !options_number(at + 1, &addr)) {
		log_say(LOG_USAGE, "csflow dump: --code wants FILE[@ADDRESS], not '%s'\n", text);
		free(path);
		return -1;
	}
	err = file_map(file, path);
	if (err) {
		log_say(LOG_FILE, "csflow dump: %s: %s\n", path, file_words(path, err));
		err = -1;
	} else {
		code->n++;
		err = map_bytes(image, code, path, addr, file->data, file->n);
	}
	free(path);
	return err < 0 ? -1 : 0;
}

static int map_all(const struct dump *d, struct csf_image **image, struct code *code)
{
	int err = csf_image_new(image);

	code->file = calloc(d->code.n + 1, sizeof(*code->file));
	code->elf = calloc(d->code.n + 1, sizeof(*code->elf));
	if (!code->file || !code->elf)
		return -1;
	for (size_t i = 0; i < d->code.n && !err; i++)
		err = map_code(*image, code, d->code.value[i]);
	return err;
}

/* Counts trace as it arrives, in constant memory. */
static int count(struct dump *d, const struct input *in, struct spool *s)
{
	uint8_t *chunk = malloc(CHUNK);
	struct figures figures;
	int err = figures_open(&figures, in, d->threads);
	uint64_t done = 0;
	ssize_t n = 0;

	if (!chunk)
		err = CSF_ERR_MEMORY;
	progress_start(&d->progress, in->name, in->n, d->show_progress);
	while (!err && (n = spool_read(s, chunk, CHUNK)) > 0) {
		err = figures_feed(&figures, chunk, n, 0);
		progress_at(&d->progress, done += n);
	}
	if (!err && !n)
		err = figures_end(&figures);
	progress_stop(&d->progress);
	if (!err && !n)
		figures_print(&figures, stdout);
	figures_close(&figures);
	free(chunk);
	if (n >= 0)
		return dump_end(d, in, err);
	log_say(LOG_FILE, "csflow dump: %s: %s\n", in->name, strerror(-n));
	return CMD_FAILED;
}

static int empty(const struct input *in)
{
	log_say(LOG_FILE, "csflow dump: %s: the file is empty\n", in->name);
	return CMD_FAILED;
}

static int count_file(struct dump *d, struct input *in)
{
	int fd = open(in->name, O_RDONLY | O_CLOEXEC), err, status;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err = -errno;
	else
		err = spool_begin(&d->spool, fd);
	if (err) {
		log_say(LOG_FILE, "csflow dump: %s: %s\n", in->name, file_words(in->name, err));
		status = CMD_FAILED;
	} else {
		in->n = st.st_size;
		status = d->spool.n_head ? count(d, in, &d->spool) : empty(in);
	}
	if (fd >= 0)
		close(fd);
	return status;
}

/* An MTB overwrites its oldest packets: lists them first. */
static int list_mtb(struct dump *d, struct input *in)
{
	size_t n;
	uint8_t *packets = mtb_in_order(in->data, in->n, d->mtb_position, &n);
	int status;

	if (!packets) {
		log_say(LOG_USAGE, "csflow dump: %s: --mtb-position=0x%" PRIx64 ": the file has only 0x%zx bytes\n",
			in->name, d->mtb_position, in->n);
		return CMD_FAILED;
	}
	in->data = packets;
	in->n = n;
	status = dump_input(d, in);
	free(packets);
	return status;
}

/* Does the file have more around its trace than frames? */
static bool has_transport(const struct dump *d, const struct input *in)
{
	if (strcmp(in->name, "-"))
		return transport_wanted_at(&d->transport, in->framing, in->name);
	return transport_wanted(&d->transport, in->framing, d->spool.head, d->spool.n_head);
}

/* If frames have only one trace unit, finds its ID. */
static int list_unwrapped(struct dump *d, struct input *in)
{
	struct input_source own = *in->source;
	int status = CMD_OK;

	if (in->framing != INPUT_RAW && !d->id_given && !d->frames)
		status = frame_ids_input("dump", in, &own.id);
	in->source = &own;
	return status == CMD_OK ? dump_input(d, in) : status;
}

static int list_transport(struct dump *d, struct input *in, const char *path)
{
	struct transport t;
	int status = transport_open(&t, &d->transport, in, path, "dump");

	if (status == CMD_OK)
		status = in->n ? list_unwrapped(d, in) : empty(in);
	transport_close(&t);
	return status;
}

static int list_file(struct dump *d, struct input *in, const char *path)
{
	struct file file;
	int status, err = file_map(&file, path);

	if (err) {
		log_say(LOG_FILE, "csflow dump: %s: %s\n", in->name, file_words(path, err));
		return CMD_FAILED;
	}
	in->data = file.data;
	in->n = file.n;
	if (!file.n)
		status = empty(in);
	else if (has_transport(d, in))
		status = list_transport(d, in, path);
	else
		status = d->mtb_given ? list_mtb(d, in) : dump_input(d, in);
	file_unmap(&file);
	return status;
}

static int decode(struct dump *d, struct input *in)
{
	const bool standard = !strcmp(in->name, "-");

	if (!dump_counts(d) || has_transport(d, in))
		return list_file(d, in, standard ? d->spool.path : in->name);
	if (!standard)
		return count_file(d, in);
	return d->spool.n_head ? count(d, in, &d->spool) : empty(in);
}

/* If frames have only one trace unit, finds its ID. */
static int find_id(const struct dump *d, const struct input *in, uint8_t *id)
{
	const bool standard = !strcmp(in->name, "-");

	if (in->framing == INPUT_RAW || d->id_given || d->frames || has_transport(d, in))
		return CMD_OK;
	if (!standard || !dump_counts(d))
		return frame_ids_only("dump", standard ? d->spool.path : in->name, in->name,
				      in->framing, id);
	log_say(LOG_UNKNOWN, "csflow dump: -: frames: name the trace unit with --id\n");
	return CMD_USAGE;
}

int dump_raw(struct dump *d, const char *path)
{
	bool known = unit_complete(&d->unit);
	struct input_source source = { .config = d->unit.config, .name = path, .id = d->id };
	struct input in = {
		.name = path, .framing = dump_framing(d, INPUT_RAW), .source = &source,
		.n_source = 1,
	};
	struct code code = { 0 };
	int status = CMD_FAILED;

	if (!known) {
		log_say(LOG_UNKNOWN, "csflow dump: %s\n", UNIT_UNKNOWN);
		status = CMD_USAGE;
	} else if (d->format == DUMP_OPENCSD && csf_config_has_messages(&source.config)) {
		log_say(LOG_USAGE, "csflow dump: --format=opencsd has no messages\n");
		status = CMD_USAGE;
	} else if (!map_all(d, &in.image, &code)) {
		status = find_id(d, &in, &source.id);
		if (status == CMD_OK)
			status = decode(d, &in);
	}
	csf_image_free(in.image);
	for (size_t i = 0; i < code.n; i++)
		file_unmap(&code.file[i]);
	for (size_t i = 0; i < code.n_elf; i++)
		elf_file_close(code.elf[i]);
	free(code.elf);
	code_copies_free(&code.copies);
	free(code.file);
	return status;
}
