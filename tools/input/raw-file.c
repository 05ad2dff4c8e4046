// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "raw-file.h"
#include "mtb.h"
#include "unit.h"

static bool read_number(const char *text, uint64_t *v, bool *seen)
{
	char *end;

	*v = strtoull(text, &end, 0);
	*seen = end != text && strchr(UNIT_BETWEEN, *end);
	return *seen;
}

static bool read_framing(const char *text, int *framing)
{
	static const struct {
		const char *name;
		int framing;
	} names[] = {
		{ "raw", INPUT_RAW }, { "frames", CSF_FRAMES_MEMORY },
		{ "dstream", CSF_FRAMES_DSTREAM },
	};
	const size_t n = strcspn(text, UNIT_BETWEEN);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strlen(names[i].name) != n || strncmp(text, names[i].name, n))
			continue;
		*framing = names[i].framing;
		return true;
	}
	return false;
}

bool raw_words_take(struct raw_words *w, const char *word)
{
	const char *value = unit_value(word, "id");

	if (value)
		return read_number(value, &w->id, &w->has_id) && w->id < CSF_ID_MAX;
	value = unit_value(word, "mtb-position");
	if (value)
		return read_number(value, &w->position, &w->has_position);
	value = unit_value(word, "framing");
	if (value)
		return read_framing(value, &w->framing);
	return unit_read_word(&w->unit, word);
}

static int wrong(struct problems *problems, const char *path, const char *why)
{
	problems_error(problems, path, 0, "%s", why);
	return -EINVAL;
}

static int read_words(struct raw_words *w, struct problems *problems, const char *path,
		      const char *text)
{
	while (*(text += strspn(text, UNIT_BETWEEN))) {
		const int n = strcspn(text, UNIT_BETWEEN);

		if (!raw_words_take(w, text) || w->framing == CSF_FRAMES_DSTREAM) {
			problems_error(problems, path, 0,
				       "--raw: '%.*s' is not a word of it; csflow-dump(1) has them",
				       n, text);
			return -EINVAL;
		}
		text += n;
	}
	if (!unit_complete(&w->unit))
		return wrong(problems, path, "--raw: no ETMv4, ETE, ETMv3, PTM or MTB that csflow knows has these registers");
	if (csf_config_has_messages(&w->unit.config))
		return wrong(problems, path, "--raw: an ITM or STM tells nothing about what was executed; csflow messages lists it");
	if (w->framing != INPUT_RAW && !w->has_id)
		return wrong(problems, path, "--raw: frames need id=ID, a trace ID; csflow dump --frames lists them");
	return 0;
}

/* The oldest packets come first. */
static int order(struct raw_file *r, const struct raw_words *w, struct problems *problems,
		 const char *path)
{
	if (!w->has_position)
		return 0;
	r->ordered = mtb_in_order(r->data, r->n, w->position, &r->n);
	if (!r->ordered)
		return wrong(problems, path, "--raw: mtb-position is not in the file");
	r->data = r->ordered;
	return 0;
}

int raw_file_open(struct raw_file *r, struct problems *problems, const char *path,
		  const char *words)
{
	struct raw_words w = { .framing = INPUT_RAW };
	int err = read_words(&w, problems, path, words);

	if (err)
		return err;
	err = spool_map(&r->spool, &r->file, path);
	if (!err && !r->file.n)
		err = -ENODATA;
	if (err) {
		problems_error(problems, path, 0, "%s",
			       err == -ENODATA ? "the file is empty" : file_words(path, err));
		return err;
	}
	r->data = r->file.data;
	r->n = r->file.n;
	r->framing = w.framing;
	r->source = (struct input_source){ .config = w.unit.config, .name = path, .id = w.id };
	return order(r, &w, problems, path);
}

void raw_file_close(struct raw_file *r)
{
	free(r->ordered);
	file_unmap(&r->file);
	spool_end(&r->spool);
}
