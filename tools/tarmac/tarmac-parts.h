/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of Tarmac, each with its own function.
 *
 * @c: after the word that the record begins with, @word
 *
 * Return: NULL, or the error in the record.
 */
#ifndef CSF_TARMAC_PARTS_H
#define CSF_TARMAC_PARTS_H

#include "tarmac-lex.h"

const char *tarmac_part_inst(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_flow(struct lex *c, struct tarmac_record *r, struct tarmac_text word);

const char *tarmac_part_reg(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_mem(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_access(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_update(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_diagram(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_bus(struct lex *c, struct tarmac_record *r, struct tarmac_text word);

const char *tarmac_part_event(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_cache(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_walk(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_tlb(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_signal(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_exc(struct lex *c, struct tarmac_record *r, struct tarmac_text word);
const char *tarmac_part_note(struct lex *c, struct tarmac_record *r, struct tarmac_text word);

/* Is @word the first word of an M.. or B.. record? */
bool tarmac_part_is_mem(struct tarmac_text word);
bool tarmac_part_is_bus(struct tarmac_text word);

#endif /* CSF_TARMAC_PARTS_H */
