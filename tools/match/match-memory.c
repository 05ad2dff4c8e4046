// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses to memory, byte by byte: logs write the same access as one record or several, and as a
 * number (MR8) or as a diagram of 16 bytes (LD).
 */
#include <errno.h>
#include <stdlib.h>

#include "match.h"

/**
 * struct byte - a byte that was accessed
 * @record: index in its set; @at: offset from the address of the record
 * @digit: high and low, '0'..'f'; another letter: unknown
 */
struct byte {
	const struct source_item *item;
	uint64_t addr;
	uint16_t record, at;
	char digit[2];
};

/* Digit @i from the right; leading zeros may be left out. */
static char digit(struct tarmac_text t, size_t i)
{
	return i < t.n ? t.p[t.n - 1 - i] : '0';
}

static size_t size_of(const struct source_item *item)
{
	return item->n ? item->n : (item->digits.n + 1) / 2;
}

/* An atomic operation is more than its access: it has a name. */
static bool is_access(const struct source_item *item)
{
	return item->kind == SOURCE_MEM && !item->name.n;
}

/* Bytes whose digits were not written were not accessed.  Return: how many were added. */
static size_t take(struct byte *byte, const struct source_item *item, size_t record)
{
	size_t n = 0;

	for (size_t i = 0; i < size_of(item); i++) {
		const char high = digit(item->digits, 2 * i + 1), low = digit(item->digits, 2 * i);

		if (high == '-' && low == '-')
			continue;
		byte[n++] = (struct byte){ .item = item, .addr = item->addr + i, .record = record,
					   .at = i, .digit = { high, low } };
	}
	return n;
}

static int by_address(const void *a, const void *b)
{
	const struct byte *x = a, *y = b;

	if (x->item->write != y->item->write)
		return x->item->write - y->item->write;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->record - y->record;
}

/* The bytes of side @i, in order.  Return: NULL: no memory. */
static struct byte *bytes_of(const struct match *m, int i, const uint16_t *of, bool *same,
			     size_t *n)
{
	const struct match_set *set = m->set[i];
	struct byte *byte;
	size_t max = 1;

	*n = 0;
	for (size_t k = 0; k < set->n; k++) {
		same[k] = !of[k] && is_access(&set->kept[k].item);
		if (same[k])
			max += size_of(&set->kept[k].item);
	}
	byte = malloc(max * sizeof(*byte));
	if (!byte)
		return NULL;
	for (size_t k = 0; k < set->n; k++)
		if (same[k])
			*n += take(byte + *n, &set->kept[k].item, k);
	qsort(byte, *n, sizeof(*byte), by_address);
	return byte;
}

static bool digit_same(char a, char b)
{
	static const char known[] = "0123456789abcdef";

	return a == b || !strchr(known, a) || !strchr(known, b);
}

static bool byte_same(const struct match *m, const struct byte *a, const struct byte *b)
{
	const struct source_item *x = a->item, *y = b->item;
	const uint32_t wanted = match_rules_fields(&m->options->rules, x, NULL);

	if (wanted & MATCH_TIME && !match_time_same(m, x, y))
		return false;
	if (wanted & MATCH_PADDR && x->has_pa && y->has_pa && x->pa + a->at != y->pa + b->at)
		return false;
	return !(wanted & MATCH_VALUE) || (digit_same(a->digit[0], b->digit[0]) &&
					   digit_same(a->digit[1], b->digit[1]));
}

/* Of two bytes at one place: the order of their addresses alone. */
static int order(const struct byte *a, const struct byte *b)
{
	if (a->item->write != b->item->write)
		return a->item->write - b->item->write;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/*
 * Walks both lists.  A record with a byte that is not in both is not the same, nor is a record that
 * shares a byte with one that is known not to be.
 */
static void compare(const struct match *m, const struct byte *const byte[2], const size_t n[2],
		    bool *const same[2])
{
	size_t i = 0, j = 0;

	while (i < n[0] || j < n[1]) {
		const struct byte *a = byte[0] + i, *b = byte[1] + j;
		const int less = i == n[0] ? 1 : j == n[1] ? -1 : order(a, b);
		const bool equal = !less && same[0][a->record] && same[1][b->record] &&
				   byte_same(m, a, b);

		if (less <= 0 && !equal)
			same[0][a->record] = false;
		if (less >= 0 && !equal)
			same[1][b->record] = false;
		i += less <= 0;
		j += less >= 0;
	}
}

int match_memory(const struct match *m, const uint16_t *const of[2], bool *const same[2])
{
	struct byte *byte[2];
	size_t n[2];
	int err = 0;

	for (int i = 0; i < 2; i++)
		byte[i] = bytes_of(m, i, of[i], same[i], &n[i]);
	/* The second time, what differs is known for the bytes before, too. */
	for (int pass = 0; pass < 2 && byte[0] && byte[1]; pass++)
		compare(m, (const struct byte *const *)byte, n, same);
	if (!byte[0] || !byte[1])
		err = -ENOMEM;
	free(byte[0]);
	free(byte[1]);
	return err;
}
