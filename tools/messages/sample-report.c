// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/failed.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "../input/snapshot.h"
#include "message-files.h"
#include "sample-report.h"
#include "samples.h"

static bool sends_messages(const struct snapshot *s, const struct snapshot_device *device)
{
	struct csf_config config;
	uint8_t id;

	return !snapshot_config(device, snapshot_core(s, device), &config, &id) &&
	       csf_config_has_messages(&config);
}

bool sample_report_fits(const char *path, const struct snapshot_choice *choice)
{
	struct snapshot s;
	size_t n = 0, n_messages = 0;

	if (choice->raw)
		return strstr(choice->raw, "protocol=itm");
	if (!snapshot_is(path))
		return false;
	if (!snapshot_open(&s, path)) {
		for (size_t i = 0; i < s.n_device; i++) {
			n += s.device[i].class == CLASS_SOURCE;
			n_messages += s.device[i].class == CLASS_SOURCE &&
				      sends_messages(&s, &s.device[i]);
		}
	}
	snapshot_close(&s);
	return n && n == n_messages;
}

static int open_programs(struct samples *samples, const struct snapshot_choice *choice)
{
	samples->elf = calloc(choice->elf.n + 1, sizeof(*samples->elf));
	if (!samples->elf)
		return failed_at_once("report");
	for (size_t i = 0; i < choice->elf.n; i++) {
		const char *path = choice->elf.value[i];
		struct elf_file *file;
		int err = elf_file_open(&file, path);

		if (err) {
			log_say(LOG_FILE, "csflow: %s: %s\n", path, file_elf_words(path, err));
			return CMD_FAILED;
		}
		samples->elf[samples->n_elf++] = file;
	}
	return CMD_OK;
}

static int read_raw(struct message_files *f, const char *path, const char *words)
{
	const char *other = unit_read(&f->unit, words);

	if (other || !unit_complete(&f->unit)) {
		log_say(LOG_USAGE, "csflow: --raw: %s: only the registers of an ITM; see 'csflow messages --format=samples'\n",
			other ? other : words);
		return CMD_USAGE;
	}
	f->framing = INPUT_RAW;
	return message_files_raw(f, path);
}

static int read_samples(struct samples *samples, const char *path,
			const struct snapshot_choice *choice)
{
	struct listing *l = calloc(1, sizeof(*l));
	struct message_files files = { .listing = l, .buffer = choice->buffer };
	int status;

	if (!l)
		return failed_at_once("report");
	l->print.format = &print_samples;
	l->print.state = samples;
	status = choice->raw ? read_raw(&files, path, choice->raw) :
			       message_files_snapshot(&files, path);
	message_files_close(&files);
	listing_free(l);
	free(l);
	return status;
}

int sample_report(const char *path, const struct snapshot_choice *choice)
{
	struct samples samples = { 0 };
	int status = open_programs(&samples, choice);

	if (!status)
		status = read_samples(&samples, path, choice);
	if (!status && !samples.all) {
		log_say(LOG_EMPTY, "csflow: %s: it sends messages, but no samples of the program counter; see 'csflow messages'\n",
			path);
		status = CMD_FAILED;
	}
	if (!status && samples_print(&samples))
		status = failed_while(&path, 1, "listing functions", -ENOMEM);
	for (size_t i = 0; i < samples.n_elf; i++)
		elf_file_close(samples.elf[i]);
	free(samples.elf);
	samples_free(&samples);
	return status;
}
