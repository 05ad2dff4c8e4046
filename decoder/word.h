/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words: the text of a packet, taken word by word, for csf_packet_parse() of all protocols. */
#ifndef CSF_WORD_H
#define CSF_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word of the text, and the place where the next may start. */
struct word {
	const char *at;
	size_t len;
};

/* Goes to the next word; of none, @len is 0.  The text ends at a "#", or with the line. */
void word_next(struct word *w);

/* Is it @text? */
bool word_is(const struct word *w, const char *text);

/* Are all @n characters at @p one number, decimal or 0x hexadecimal, of 64 bits? */
bool word_number(const char *p, size_t n, uint64_t *v);

/*
 * These go to the next word if the word is what they take; otherwise they return false, or -1, and
 * stay.
 */
bool word_take(struct word *w, const char *text);
bool word_take_number(struct word *w, uint64_t *v);
bool word_take_number32(struct word *w, uint32_t *v);

/* Two hexadecimal digits. */
bool word_take_byte(struct word *w, uint8_t *byte);

/**
 * word_take_raw() - bytes of a bad packet: up to 8, then perhaps "+MORE" after 8
 * @val: the bytes, the first in bits 7:0
 * @size: how many the packet has, 1..CSF_PACKET_MAX
 *
 * Return: false if no byte is there, or MORE makes the packet too large.
 */
bool word_take_raw(struct word *w, uint64_t *val, uint8_t *size);

/* "key=NUMBER"; @key has the "=". */
bool word_take_key(struct word *w, const char *key, uint64_t *v);
bool word_take_key32(struct word *w, const char *key, uint32_t *v);

/* "NUMBER", or "NUMBER/NUMBER" with that @separator; without it, @second is not changed. */
bool word_take_pair(struct word *w, char separator, uint64_t *v, uint64_t *second);

/* One of @n words, some of which may be NULL.  Return: its index. */
int word_take_one_of(struct word *w, const char *const *words, unsigned int n);

#endif /* CSF_WORD_H */
