// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/file.h"
#include "match-rules.h"
#include "../lib/options.h"

#define RULES_MAX	10000

/* Kept by default.  Gaps, losses and tasks structure the comparison. */
#define KEPT	(1u << SOURCE_INSN | 1u << SOURCE_REG | 1u << SOURCE_MEM | 1u << SOURCE_EVENT | \
		 1u << SOURCE_EXCEPTION | 1u << SOURCE_CONTEXT | 1u << SOURCE_GAP | \
		 1u << SOURCE_CUT | 1u << SOURCE_Q | 1u << SOURCE_LOST | 1u << SOURCE_FOUND | \
		 1u << SOURCE_TASK)

static const char *const field_names[MATCH_FIELDS] = {
	"opcode", "how", "iset", "mode", "disasm", "paddr", "value", "time", "return",
};

const char *match_field_name(unsigned int field)
{
	return field < MATCH_FIELDS ? field_names[field] : "";
}

/* ---------------------------------------------------------------- parsing */

/* "R", "M", "E", "I" as in Tarmac, or the words of source_kind_name(). */
static bool parse_kind(const char *word, uint32_t *kinds)
{
	static const char letters[] = "IRME";
	const char *at = strlen(word) == 1 ? strchr(letters, *word) : NULL;

	if (at) {
		*kinds |= 1u << (at - letters);
		return true;
	}
	for (int i = 0; i < SOURCE_KIND_NR; i++) {
		if (!strcmp(word, source_kind_name(i))) {
			*kinds |= 1u << i;
			return true;
		}
	}
	return false;
}

static bool parse_field(const char *word, uint32_t *fields)
{
	for (int i = 0; i < MATCH_FIELDS; i++) {
		if (!strcmp(word, field_names[i])) {
			*fields |= 1u << i;
			return true;
		}
	}
	return false;
}

static bool parse_name(const char *word, char *name)
{
	size_t n = strlen(word);

	if (!n || n >= 32)
		return false;
	for (size_t i = 0; i <= n; i++)
		name[i] = tolower((unsigned char)word[i]);
	return true;
}

static bool parse_range(char *word, struct match_rule *r)
{
	char *dash = strchr(word, '-');

	if (dash)
		*dash++ = '\0';
	r->has_addr = true;
	return options_number(word, &r->from) && options_number(dash ? dash : word, &r->until) &&
	       r->from <= r->until;
}

static bool parse_cpu(const char *word, struct match_rule *r)
{
	uint64_t v;

	r->has_cpu = true;
	if (!options_number(word, &v) || v > UINT32_MAX)
		return false;
	r->cpu = v;
	return true;
}

/* Parses a word after the verb.  Return: it is valid. */
static bool parse_word(char *word, struct match_rule *r)
{
	char *value = strchr(word, '=');

	if (!value) {
		r->has_value = true;
		return options_number(word, &r->value);
	}
	*value++ = '\0';
	if (r->verb == MATCH_ALIAS)
		return parse_name(word, r->name) && parse_name(value, r->other);
	if (!strcmp(word, "kind"))
		return parse_kind(value, &r->kinds);
	if (!strcmp(word, "field"))
		return parse_field(value, &r->fields);
	if (!strcmp(word, "name") || !strcmp(word, "reg")) {
		if (*word == 'r')
			r->kinds |= 1u << SOURCE_REG;
		return parse_name(value, r->name);
	}
	if (!strcmp(word, "addr"))
		return parse_range(value, r);
	if (!strcmp(word, "cpu"))
		return parse_cpu(value, r);
	if (!strcmp(word, "time") && r->verb == MATCH_TOLERANCE) {
		r->fields |= MATCH_TIME;
		r->has_value = true;
		return options_number(value, &r->value);
	}
	return false;
}

/* Do the words of a rule fit together? */
static const char *check(const struct match_rule *r)
{
	switch ((enum match_verb)r->verb) {
	case MATCH_IGNORE:
	case MATCH_COMPARE:
		return r->has_value ? "a number without a name" : NULL;
	case MATCH_MASK:
		return r->has_value && *r->name ? NULL : "mask wants reg=NAME and a number";
	case MATCH_TOLERANCE:
		return r->has_value && (*r->name || r->fields == MATCH_TIME) ? NULL :
			"tolerance wants time=N, or reg=NAME and a number";
	case MATCH_ALIAS:
		return *r->name ? NULL : "alias wants NAME=NAME";
	}
	return NULL;
}

static const char *add(struct match_rules *rules, const struct match_rule *r)
{
	if (rules->n == RULES_MAX)
		return "too many rules";
	if (rules->n == rules->size) {
		size_t size = 2 * rules->size + 8;
		struct match_rule *grown = realloc(rules->rule, size * sizeof(*grown));

		if (!grown)
			return "no memory";
		rules->rule = grown;
		rules->size = size;
	}
	rules->rule[rules->n++] = *r;
	return NULL;
}

const char *match_rules_parse(struct match_rules *rules, const char *line)
{
	static const char *const verbs[] = {
		[MATCH_IGNORE] = "ignore", [MATCH_COMPARE] = "compare", [MATCH_MASK] = "mask",
		[MATCH_TOLERANCE] = "tolerance", [MATCH_ALIAS] = "alias",
	};
	struct match_rule r = { .verb = sizeof(verbs) / sizeof(*verbs) };
	char copy[256], *rest = copy, *word;
	const char *why = NULL;
	size_t n = strcspn(line, "#\r\n");
	bool any = false;

	if (n >= sizeof(copy))
		return "a rule of more than 255 characters";
	memcpy(copy, line, n);
	copy[n] = '\0';
	while (!why && (word = strsep(&rest, " \t"))) {
		if (!*word)
			continue;
		if (any) {
			if (!parse_word(word, &r))
				why = "an unknown word, or value";
			continue;
		}
		any = true;
		for (r.verb = 0; r.verb < sizeof(verbs) / sizeof(*verbs); r.verb++)
			if (!strcmp(word, verbs[r.verb]))
				break;
		if (r.verb == sizeof(verbs) / sizeof(*verbs))
			why = "a rule is ignore, compare, mask, tolerance or alias";
	}
	if (!any || why)
		return why;
	why = check(&r);
	return why ? why : add(rules, &r);
}

int match_rules_read(struct match_rules *rules, const char *path, struct problems *problems)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	unsigned int n = 0;
	size_t size = 0;
	int err = 0;

	if (!f) {
		err = -errno;
		problems_error(problems, path, 0, "%s", file_words(path, err));
		return err;
	}
	while (getline(&line, &size, f) >= 0) {
		const char *why = match_rules_parse(rules, line);

		n++;
		if (why) {
			problems_error(problems, path, n, "%s", why);
			err = -EINVAL;
		}
	}
	if (ferror(f)) {
		err = errno ? -errno : -EIO;
		problems_error(problems, path, 0, "%s", strerror(-err));
	}
	free(line);
	fclose(f);
	return err;
}

void match_rules_free(struct match_rules *rules)
{
	free(rules->rule);
	memset(rules, 0, sizeof(*rules));
}

/* ---------------------------------------------------------------- use */

static bool conditional(const struct match_rule *r)
{
	return *r->name || r->has_addr || r->has_cpu;
}

/* Applies rules without conditions, once for all records of a kind; the first that fits. */
static void plain(struct match_rules *rules, int kind)
{
	uint32_t decided = 0;
	bool whole = false;

	for (size_t i = 0; i < rules->n; i++) {
		const struct match_rule *r = &rules->rule[i];
		uint32_t fields = r->fields & ~decided;

		if (r->verb > MATCH_COMPARE || (r->kinds && !(r->kinds >> kind & 1)))
			continue;
		if (conditional(r)) {
			rules->special |= 1u << kind;
			continue;
		}
		decided |= fields;
		if (r->verb == MATCH_COMPARE)
			rules->fields[kind] |= fields;
		else
			rules->fields[kind] &= ~fields;
		if (r->fields || whole || !r->kinds)
			continue;
		whole = true;
		rules->keep &= ~(1u << kind);
		if (r->verb == MATCH_COMPARE)
			rules->keep |= 1u << kind;
	}
}

void match_rules_ready(struct match_rules *rules)
{
	rules->keep = KEPT;
	rules->special = 0;
	rules->time = 0;
	for (int kind = 0; kind < SOURCE_KIND_NR; kind++) {
		rules->fields[kind] = MATCH_DEFAULT;
		plain(rules, kind);
	}
	for (size_t i = 0; i < rules->n && !rules->time; i++)
		if (rules->rule[i].verb == MATCH_TOLERANCE && rules->rule[i].fields == MATCH_TIME)
			rules->time = rules->rule[i].value;
}

static bool name_fits(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	if (!n)
		return true;
	if (!name)
		return false;
	if (pattern[n - 1] == '*')
		return !strncmp(pattern, name, n - 1);
	return !strcmp(pattern, name);
}

static bool fits(const struct match_rules *rules, const struct match_rule *r,
		 const struct source_item *item, const char *name)
{
	if (r->kinds && !(r->kinds >> item->kind & 1))
		return false;
	if (r->has_cpu && r->cpu != rules->cpu)
		return false;
	if (r->has_addr && (!item->has_addr || item->addr < r->from || item->addr > r->until))
		return false;
	return name_fits(r->name, name);
}

bool match_rules_keep(const struct match_rules *rules, const struct source_item *item,
		      const char *name)
{
	bool keep = rules->keep >> item->kind & 1;

	if (!(rules->special >> item->kind & 1))
		return keep;
	for (size_t i = 0; i < rules->n; i++) {
		const struct match_rule *r = &rules->rule[i];

		if (r->verb <= MATCH_COMPARE && !r->fields && (r->kinds || conditional(r)) &&
		    fits(rules, r, item, name))
			return r->verb == MATCH_COMPARE;
	}
	return keep;
}

uint32_t match_rules_fields(const struct match_rules *rules, const struct source_item *item,
			    const char *name)
{
	uint32_t fields = rules->fields[item->kind], decided = 0;

	if (!(rules->special >> item->kind & 1))
		return fields;
	fields = MATCH_DEFAULT;
	for (size_t i = 0; i < rules->n; i++) {
		const struct match_rule *r = &rules->rule[i];
		uint32_t now = r->fields & ~decided;

		if (r->verb > MATCH_COMPARE || !now || !fits(rules, r, item, name))
			continue;
		decided |= now;
		fields = r->verb == MATCH_COMPARE ? fields | now : fields & ~now;
	}
	return fields;
}

const struct match_rule *match_rules_reg(const struct match_rules *rules, enum match_verb verb,
					 const char *name)
{
	for (size_t i = 0; i < rules->n; i++)
		if (rules->rule[i].verb == verb && *rules->rule[i].name &&
		    name_fits(rules->rule[i].name, name))
			return &rules->rule[i];
	return NULL;
}

/* ---------------------------------------------------------------- names */

/* "w7" and "e7" are "x7": @letter and a number up to 30 */
static bool numbered(const char *name, char letter)
{
	char *end;
	unsigned long v;

	if (name[0] != letter || !isdigit((unsigned char)name[1]))
		return false;
	v = strtoul(name + 1, &end, 10);
	return !*end && v <= 30;
}

/* Names from before Armv8, and of the halves of X registers. */
static void usual(const struct source_item *item, char *name, bool *half)
{
	static const char *const same[][2] = {
		{ "xsp", "sp" }, { "wsp", "sp" }, { "msp", "r13" },
		{ "xlr", "x30" }, { "wlr", "x30" },
	};
	bool narrow = item->digits.n <= 8;

	*half = numbered(name, 'w') || !strcmp(name, "wsp") || !strcmp(name, "wlr");
	if (*half || numbered(name, 'e'))
		if (isdigit((unsigned char)name[1]))
			name[0] = 'x';
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (!strcmp(name, same[i][0])) {
			strcpy(name, same[i][1]);
			return;
		}
	if (!strcmp(name, "lr"))
		strcpy(name, narrow ? "r14" : "x30");
	else if (!strcmp(name, "sp") && narrow)
		strcpy(name, "r13");
	else if (!strcmp(name, "pc") && narrow)
		strcpy(name, "r15");
}

void match_name(const struct match_rules *rules, const struct source_item *item, char *name,
		bool *half)
{
	size_t n = item->name.n < 31 ? item->name.n : 31;

	for (size_t i = 0; i < n; i++)
		name[i] = tolower((unsigned char)item->name.p[i]);
	name[n] = '\0';
	*half = false;
	for (size_t i = 0; i < rules->n; i++)
		if (rules->rule[i].verb == MATCH_ALIAS && !strcmp(name, rules->rule[i].name)) {
			strcpy(name, rules->rule[i].other);
			break;
		}
	usual(item, name, half);
}
