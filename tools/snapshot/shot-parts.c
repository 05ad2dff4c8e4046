// SPDX-License-Identifier: GPL-2.0-only
/* The parts of a snapshot from files: trace, code, and words that describe them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/elf.h"
#include "../input/raw-file.h"
#include "../input/snapshot.h"
#include "../lib/file.h"
#include "shot-make.h"

#define ID_RESERVED	0x70

static int wrong(struct shot *s, const char *name, const char *why, int err)
{
	problems_error(&s->problems, name, 0, "%s", why);
	return err;
}

/* The file name alone, with only such characters as names in a snapshot have. */
static void name_of(const char *path, bool whole, char name[SHOT_NAME_MAX])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *dot = whole ? NULL : strrchr(base, '.');
	size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);

	if (n >= SHOT_NAME_MAX - 8)
		n = SHOT_NAME_MAX - 9;
	for (size_t i = 0; i < n; i++) {
		const bool fits = isalnum((unsigned char)base[i]) || strchr("._-+", base[i]);

		name[i] = fits ? base[i] : '_';
	}
	name[n] = '\0';
}

/* ---------------------------------------------------------------- files */

/* Files of the output must not have the name of another one. */
static bool is_taken(const struct shot *s, const char *name)
{
	static const char *const own[] = { "snapshot", "trace", "memory" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcasecmp(name, own[i]))
			return true;
	if (!strncasecmp(name, "cpu_", 4))
		return true;
	for (size_t i = 0; i < s->n_buffer; i++)
		if (!strcasecmp(name, s->buffer[i].name))
			return true;
	for (size_t i = 0; i < s->n_unit; i++)
		if (!strcasecmp(name, s->unit[i].name))
			return true;
	return false;
}

static int add_buffer(struct shot *s, struct shot_parts *p, const char *path)
{
	struct file *file = &p->file[p->n_file];
	char name[SHOT_NAME_MAX], base[SHOT_NAME_MAX];
	struct shot_buffer *b;
	int err = file_map(file, path);

	if (err)
		return wrong(s, path, file_words(path, err), err);
	p->n_file++;
	if (!file->n)
		return wrong(s, path, "the file is empty", -ENODATA);
	name_of(path, false, base);
	snprintf(name, sizeof(name), "%s", base);
	for (int i = 2; is_taken(s, name); i++)
		snprintf(name, sizeof(name), "%.30s_%d", base, i);
	b = shot_add_buffer(s);
	if (!b)
		return -ENOMEM;
	memcpy(b->name, name, sizeof(name));
	b->framing = INPUT_RAW;
	return shot_add_part(b, file->data, file->n);
}

/* ---------------------------------------------------------------- units */

/* One --raw=. */
struct described {
	struct raw_words words;
	char name[SHOT_NAME_MAX], core[SHOT_NAME_MAX];
	uint64_t file;
};

static void copy_word(char *to, const char *value)
{
	size_t n = strcspn(value, UNIT_BETWEEN);

	if (n >= SHOT_NAME_MAX)
		n = SHOT_NAME_MAX - 1;
	memcpy(to, value, n);
	to[n] = '\0';
}

static bool take_word(struct described *d, const char *word)
{
	const char *value = unit_value(word, "name");
	char number[SHOT_NAME_MAX];

	if (value) {
		copy_word(d->name, value);
		return *d->name && !strchr(d->name, '/') && d->name[0] != '.';
	}
	value = unit_value(word, "core");
	if (value) {
		copy_word(d->core, value);
		return *d->core;
	}
	value = unit_value(word, "file");
	if (!value)
		return raw_words_take(&d->words, word);
	copy_word(number, value);
	return options_number(number, &d->file) && d->file;
}

static int read_words(struct shot *s, struct described *d, const char *text)
{
	*d = (struct described){ .words.framing = INPUT_RAW };
	while (*(text += strspn(text, UNIT_BETWEEN))) {
		const int n = strcspn(text, UNIT_BETWEEN);

		if (!take_word(d, text)) {
			problems_error(&s->problems, "--raw", 0,
				       "'%.*s' is not a word of it; csflow-snapshot(1) has them", n,
				       text);
			return -EINVAL;
		}
		text += n;
	}
	if (!unit_complete(&d->words.unit))
		return wrong(s, "--raw", "no trace unit that csflow knows has these registers",
			     -EINVAL);
	return 0;
}

static int add_core(struct shot *s, struct shot_unit *unit, const char *type)
{
	struct shot_core *core;

	unit->core = -1;
	if (csf_config_has_messages(&unit->config))
		return 0;
	core = shot_add_core(s);
	if (!core)
		return -ENOMEM;
	snprintf(core->name, sizeof(core->name), "cpu_%zu", s->n_core - 1);
	core->type = type ?: shot_core_type(&unit->config);
	unit->core = s->n_core - 1;
	return 0;
}

/* A trace ID that no unit of the buffer has. */
static uint8_t free_id(const struct shot *s)
{
	uint8_t id = 0x10;

	for (size_t i = 0; i < s->n_unit; i++)
		if (s->unit[i].id >= id && s->unit[i].id < ID_RESERVED - 1)
			id = s->unit[i].id + 1;
	return id;
}

/* Raw trace is of one unit, and all units of a buffer agree on its framing. */
static int check_buffer(struct shot *s, const struct described *d, size_t number)
{
	const struct shot_buffer *b = &s->buffer[number];
	size_t others = 0;

	for (size_t i = 0; i < s->n_unit; i++)
		others += s->unit[i].n_buffer && s->unit[i].buffer[0] == number;
	if (others && (b->framing != d->words.framing || b->framing == INPUT_RAW))
		return wrong(s, b->name, b->framing != d->words.framing ?
			     "two --raw= say different things of the framing of the file" :
			     "raw trace is of one unit: two --raw= describe it; framing=frames is meant?",
			     -EINVAL);
	if (d->words.framing != INPUT_RAW && !d->words.has_id)
		return wrong(s, b->name, "--raw: frames need id=ID, the trace ID of the unit",
			     -EINVAL);
	for (size_t i = 0; i < s->n_unit; i++)
		if (d->words.has_id && s->unit[i].n_buffer && s->unit[i].buffer[0] == number &&
		    s->unit[i].id == d->words.id)
			return wrong(s, b->name, "two --raw= have the same id=", -EINVAL);
	if (d->words.has_id && (!d->words.id || d->words.id >= ID_RESERVED))
		return wrong(s, b->name, "--raw: id= must be from 1 to 0x6f", -EINVAL);
	return 0;
}

/* @core: borrowed by the shot */
static int add_unit(struct shot *s, const struct described *d, size_t buffer, const char *core)
{
	const uint8_t id = d->words.has_id ? d->words.id : free_id(s);
	char name[SHOT_NAME_MAX];
	struct shot_unit *unit;
	int err = check_buffer(s, d, buffer);

	if (err)
		return err;
	snprintf(name, sizeof(name), "%s_%zu", shot_unit_kind(&d->words.unit.config), s->n_unit);
	if (*d->name)
		memcpy(name, d->name, sizeof(name));
	if (is_taken(s, name))
		return wrong(s, name, "--raw: the name of the unit is that of something else",
			     -EINVAL);
	unit = shot_add_unit(s);
	if (!unit)
		return -ENOMEM;
	memcpy(unit->name, name, sizeof(name));
	unit->config = d->words.unit.config;
	if (unit->config.stp_order)
		problems_warn(&s->problems, name, 0,
			      "a snapshot cannot say the order of the nibbles of an STM: stp-order= is left out");
	unit->id = id;
	unit->has_position = d->words.has_position;
	unit->position = d->words.position;
	s->buffer[buffer].framing = d->words.framing;
	err = add_core(s, unit, core);
	return err ?: shot_add_wrote(unit, buffer);
}

/* The type of a core, which stays: it is in the words, up to a comma. */
static const char *keep_core(struct shot *s, const struct described *d, const char *otherwise)
{
	enum csf_profile profile;
	struct shot_text *reg;

	if (!*d->core)
		return otherwise;
	if (!snapshot_profile(d->core, &profile))
		problems_warn(&s->problems, "--raw", 0,
			      "core=%s: readers may not know this type of core", d->core);
	if (!array_next(&s->kept, s->n_kept, sizeof(*s->kept)))
		return NULL;
	reg = &s->kept[s->n_kept];
	reg->text = strdup(d->core);
	if (!reg->text)
		return NULL;
	s->n_kept++;
	return reg->text;
}

static int add_units(struct shot *s, const struct shot_parts *p)
{
	struct described d;
	int err = 0;

	for (size_t i = 0; i < p->raw->n && !err; i++) {
		size_t buffer = i < s->n_buffer ? i : s->n_buffer - 1;

		err = read_words(s, &d, p->raw->value[i]);
		if (!err && d.file > s->n_buffer)
			err = wrong(s, "--raw", "file=N: there are not so many files", -EINVAL);
		if (err)
			break;
		if (d.file)
			buffer = d.file - 1;
		err = add_unit(s, &d, buffer, keep_core(s, &d, p->core));
	}
	for (size_t i = 0; i < s->n_buffer && !err; i++) {
		bool described = false;

		for (size_t k = 0; k < s->n_unit; k++)
			described |= s->unit[k].buffer[0] == i;
		if (!described)
			err = wrong(s, p->path[i], "no --raw= describes the unit that wrote it",
				    -EINVAL);
	}
	return err;
}

/* ---------------------------------------------------------------- code and registers */

static int add_elf(struct shot *s, struct shot_parts *p, const char *path)
{
	struct elf_file *elf;
	char name[SHOT_NAME_MAX], base[SHOT_NAME_MAX];
	int err = elf_file_open(&elf, path);
	long file;

	if (err)
		return wrong(s, path, file_words(path, err), err);
	p->elf[p->n_elf++] = elf;
	if (!elf->is_elf)
		return wrong(s, path,
			     "not an ELF file: --code=FILE@ADDRESS says where its bytes were",
			     -EINVAL);
	name_of(path, true, base);
	snprintf(name, sizeof(name), "%.30s%s%zu", base, *base ? "." : "", s->n_file);
	file = shot_add_file(s, name, elf->bytes, elf->size, false);
	for (size_t i = 0; i < elf->n_segment && file >= 0 && !err; i++) {
		const struct elf_segment *segment = &elf->segment[i];

		if (segment->size)
			err = shot_add_dump(s, &(struct shot_dump){
				.file = file, .addr = segment->addr, .n = segment->size,
				.offset = segment->offset, .from = path,
			});
	}
	return file < 0 ? (int)file : err;
}

/* @at: after the last '@' of FILE@ADDR[:SPACE] */
static int add_bytes(struct shot *s, struct shot_parts *p, const char *path, const char *at)
{
	struct file *file = &p->file[p->n_file];
	const char *space = strchr(at, ':');
	char number[32], name[SHOT_NAME_MAX], base[SHOT_NAME_MAX];
	uint64_t addr;
	int err = file_map(file, path);
	long index;

	if (err)
		return wrong(s, path, file_words(path, err), err);
	p->n_file++;
	snprintf(number, sizeof(number), "%.*s", space ? (int)(space - at) : 30, at);
	if (!options_number(number, &addr))
		return wrong(s, path, "--code: want FILE@ADDRESS or FILE@ADDRESS:SPACE", -EINVAL);
	if (space && !snapshot_space(space + 1))
		return wrong(s, path, "--code: there is no such memory space", -EINVAL);
	if (!file->n)
		return wrong(s, path, "the file is empty", -ENODATA);
	if (addr + file->n - 1 < addr)
		return wrong(s, path, "--code: it does not fit there", -EINVAL);
	name_of(path, true, base);
	snprintf(name, sizeof(name), "%.30s%s%zu", base, *base ? "." : "", s->n_file);
	index = shot_add_file(s, name, file->data, file->n, false);
	if (index < 0)
		return index;
	return shot_add_dump(s, &(struct shot_dump){
		.file = index, .addr = addr, .n = file->n, .space = space ? space + 1 : NULL,
		.from = path,
	});
}

static int add_code(struct shot *s, struct shot_parts *p, const char *word)
{
	const char *at = strrchr(word, '@');
	char *path;
	int err;

	if (!at)
		return add_elf(s, p, word);
	path = strndup(word, at - word);
	if (!path || !array_next(&s->kept, s->n_kept, sizeof(*s->kept))) {
		free(path);
		return -ENOMEM;
	}
	s->kept[s->n_kept++].text = path;
	err = add_bytes(s, p, path, at + 1);
	return err;
}

static int add_reg(struct shot *s, const char *word)
{
	const char *value = strchr(word, '=');
	const size_t n = value ? value - word : 0;
	const bool sized = memchr(word, '(', n);
	struct shot_text *reg;
	uint64_t number;
	char text[128];

	if (!n || n > 64 || !options_number(value + 1, &number) || strpbrk(word, ";#[]\n"))
		return wrong(s, word, "--reg: want NAME=VALUE, such as PC=0x8000", -EINVAL);
	snprintf(text, sizeof(text), "%.*s%s=0x%" PRIx64, (int)n, word,
		 !sized && number > UINT32_MAX ? "(size:64)" : "", number);
	if (!array_next(&s->reg, s->n_reg, sizeof(*s->reg)))
		return -ENOMEM;
	reg = &s->reg[s->n_reg];
	reg->text = strdup(text);
	if (!reg->text)
		return -ENOMEM;
	s->n_reg++;
	return 0;
}

int shot_make_code(struct shot *shot, struct shot_parts *p)
{
	int err = 0;

	if (!p->file) {
		p->file = calloc(p->n_path + p->code->n + 1, sizeof(*p->file));
		p->elf = calloc(p->code->n + 1, sizeof(*p->elf));
		err = p->file && p->elf ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < p->code->n && !err; i++)
		err = add_code(shot, p, p->code->value[i]);
	for (size_t i = 0; i < p->reg->n && !err; i++)
		err = add_reg(shot, p->reg->value[i]);
	return err;
}

int shot_make_parts(struct shot *shot, struct shot_parts *p)
{
	int err;

	p->file = calloc(p->n_path + p->code->n + 1, sizeof(*p->file));
	p->elf = calloc(p->code->n + 1, sizeof(*p->elf));
	err = p->file && p->elf ? 0 : -ENOMEM;
	for (size_t i = 0; i < p->n_path && !err; i++)
		err = add_buffer(shot, p, p->path[i]);
	if (!err)
		err = add_units(shot, p);
	return err ?: shot_make_code(shot, p);
}

void shot_parts_close(struct shot_parts *p)
{
	for (size_t i = 0; i < p->n_file; i++)
		file_unmap(&p->file[i]);
	for (size_t i = 0; i < p->n_elf; i++)
		elf_file_close(p->elf[i]);
	free(p->file);
	free(p->elf);
}
