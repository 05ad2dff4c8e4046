/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules that decide what the matcher compares; the first that fits applies.
 *
 *	ignore kind=R name=cnt*			leaves out these records of both traces
 *	ignore kind=insn addr=0x1000-0x1fff
 *	compare field=mode			a field that is not compared by default
 *	ignore field=value kind=mem
 *	mask reg=cpsr 0x1f			compares only these bits
 *	tolerance time=5			times, from the first record on, may differ by 5
 *	tolerance reg=pmccntr_el0 100		values may differ by 100
 *	alias lr=x30				another name for a register
 */
#ifndef CSF_MATCH_RULES_H
#define CSF_MATCH_RULES_H

#include "../source/source.h"

/* Fields, as bits */
#define MATCH_OPCODE	0x001
#define MATCH_HOW	0x002	/* IT or IS */
#define MATCH_ISET	0x004
#define MATCH_MODE	0x008
#define MATCH_DISASM	0x010
#define MATCH_PADDR	0x020
#define MATCH_VALUE	0x040
#define MATCH_TIME	0x080
#define MATCH_RETURN	0x100	/* address of an exception */
#define MATCH_FIELDS	9
#define MATCH_DEFAULT	(MATCH_OPCODE | MATCH_HOW | MATCH_ISET | MATCH_VALUE | MATCH_RETURN)

/* "opcode" and so on for bit @field. */
const char *match_field_name(unsigned int field);

enum match_verb { MATCH_IGNORE, MATCH_COMPARE, MATCH_MASK, MATCH_TOLERANCE, MATCH_ALIAS };

/**
 * struct match_rule - one line
 * @verb: enum match_verb
 * @kinds: bit for each enum source_kind; 0: any
 * @fields: MATCH_x; 0: the record as a whole
 * @name: of a register, in lower case; '*' at its end: any that begins so; "": any
 * @other: MATCH_ALIAS: the name that @name is the same as
 * @from: the first address; @until is the last, with @has_addr
 * @cpu: stream, with @has_cpu
 * @value: the value of MATCH_MASK and MATCH_TOLERANCE
 */
struct match_rule {
	uint8_t verb;
	uint32_t kinds, fields, cpu;
	char name[32], other[32];
	uint64_t from, until, value;
	bool has_addr, has_cpu, has_value;
};

/**
 * struct match_rules - zero is valid, after match_rules_ready()
 * @rule: @n of them
 * @cpu: the stream that is compared
 * @special: bit for each kind that a rule with conditions names
 * @keep: bit for each other kind that is compared
 * @fields: for each kind, likewise
 * @time: the tolerance of times
 */
struct match_rules {
	struct match_rule *rule;
	size_t n, size;
	uint32_t cpu;
	uint32_t special, keep;
	uint32_t fields[SOURCE_KIND_NR];
	uint64_t time;
};

/* Adds a line.  Return: NULL, or the error in it.  An empty line, or a comment, is not a rule. */
const char *match_rules_parse(struct match_rules *rules, const char *line);

/* Adds the lines of a file.  Return: 0; -errno; -EINVAL: a line is wrong, see @problems. */
int match_rules_read(struct match_rules *rules, const char *path, struct problems *problems);

/* Call this after the last rule. */
void match_rules_ready(struct match_rules *rules);
void match_rules_free(struct match_rules *rules);

/* Is @item compared at all?  @name: see match_name(); only for registers. */
bool match_rules_keep(const struct match_rules *rules, const struct source_item *item,
		      const char *name);

/* MATCH_x: the fields that are compared. */
uint32_t match_rules_fields(const struct match_rules *rules, const struct source_item *item,
			    const char *name);

/* The first rule of this verb for register @name, or NULL. */
const struct match_rule *match_rules_reg(const struct match_rules *rules, enum match_verb verb,
					 const char *name);

/**
 * match_name() - the one name of a register that may have several
 * @name: 32 bytes to fill
 * @half: it is the lower half of that register
 */
void match_name(const struct match_rules *rules, const struct source_item *item, char *name,
		bool *half);

#endif /* CSF_MATCH_RULES_H */
