// SPDX-License-Identifier: GPL-2.0-only
/*
 * HEADER_BPF_PROG_INFO: u32 programs; for each: u32 size of its struct bpf_prog_info, u32 size of
 * its arrays, u64 bits of the arrays that it has; the structure, whose pointers are offsets in the
 * arrays; the arrays.
 *
 * Source: perf.data-file-format.txt; linux/bpf.h; recordings of perf 6.1.
 */
#include "perf-bpf.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>

#include "array.h"
#include "perf-abi.h"

#define HEAD		16	/* bytes before the structure */

/* A program: the structure, and its arrays of @n bytes. */
struct program {
	const uint8_t *info, *arrays;
	uint64_t n;
};

static int add(struct perf_bpf *bpf, const struct perf_bpf_code *as)
{
	size_t n = bpf->n;

	if (!array_next(&bpf->code, n, sizeof(*bpf->code)))
		return -ENOMEM;
	bpf->code[bpf->n++] = *as;
	return 0;
}

/* @n bytes at @offset of the arrays; NULL: these are not all inside. */
static const uint8_t *part(const struct program *p, uint64_t offset, uint64_t n)
{
	return offset <= p->n && n <= p->n - offset ? p->arrays + offset : NULL;
}

/*
 * The code of all functions is in one array, one after the other; their addresses and lengths are
 * in two more.
 * Return: 0; -ENOMEM; -EBADMSG: it is incomplete.
 */
static int take_program(struct perf_bpf *bpf, const struct program *p)
{
	uint64_t size = PERF_FIELD(p->info, bpf_prog_info, jited_prog_len), at = 0;
	uint64_t n = PERF_FIELD(p->info, bpf_prog_info, nr_jited_ksyms);
	const uint8_t *code = part(p, PERF_FIELD(p->info, bpf_prog_info, jited_prog_insns), size);
	const uint8_t *addrs = part(p, PERF_FIELD(p->info, bpf_prog_info, jited_ksyms), 8 * n);
	const uint8_t *sizes = part(p, PERF_FIELD(p->info, bpf_prog_info, jited_func_lens), 4 * n);
	int err = 0;

	if (!code || !addrs || !sizes ||
	    n != PERF_FIELD(p->info, bpf_prog_info, nr_jited_func_lens))
		return -EBADMSG;
	for (uint64_t i = 0; i < n && !err; i++) {
		const struct perf_bpf_code as = { get_le64(addrs + 8 * i), code + at,
						  get_le32(sizes + 4 * i) };

		if (!as.n || as.n > size - at)
			return -EBADMSG;
		err = add(bpf, &as);
		at += as.n;
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct perf_bpf_code *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

/* If an address was used again with other code, its code is not known. */
static void tidy(struct perf_bpf *bpf)
{
	size_t n = 0;

	qsort(bpf->code, bpf->n, sizeof(*bpf->code), compare);
	for (size_t i = 0; i < bpf->n; i++) {
		struct perf_bpf_code *code = &bpf->code[i], *last = &bpf->code[n - !!n];

		if (!n || compare(last, code))
			bpf->code[n++] = *code;
		else if (last->bytes && memcmp(last->bytes, code->bytes, code->n))
			last->bytes = NULL;
	}
	bpf->n = n;
}

/*
 * Takes the program at *@at, which moves after it.  Return: as take_program(); -ERANGE: it is cut
 * off.
 */
static int next_program(struct perf_bpf *bpf, const struct perf_section *section, uint64_t *at)
{
	const size_t least = offsetof(struct bpf_prog_info, jited_func_lens) + 8;
	const uint8_t *p = section->bytes + *at;
	struct program program;
	uint64_t info, arrays;

	if (section->size - *at < HEAD)
		return -ERANGE;
	info = get_le32(p);
	arrays = get_le32(p + 4);
	if (info + arrays > section->size - *at - HEAD)
		return -ERANGE;
	*at += HEAD + info + arrays;
	program = (struct program){ p + HEAD, p + HEAD + info, arrays };
	return info >= least ? take_program(bpf, &program) : 0;
}

int perf_bpf_init(struct perf_bpf *bpf, struct perf_file *file)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_BPF_PROG_INFO];
	uint64_t at = 4, was;
	uint32_t says, n;
	int err = 0;

	*bpf = (struct perf_bpf){ 0 };
	/* it is not converted from the other byte order */
	if (!section->size || file->foreign)
		return 0;
	says = section->size < 4 ? 1 : get_le32(section->bytes);
	if (section->size < 4)
		err = -ERANGE;
	for (n = 0; n < says && !err; n++) {
		was = at;
		err = next_program(bpf, section, &at);
		if (err == -EBADMSG) {
			perf_problem_add(&file->problems, PERF_DAMAGE, section->offset + was,
					 "code of a BPF program is not all there");
			err = 0;
		}
	}
	if (err == -ERANGE) {
		perf_problem_add(&file->problems, PERF_DAMAGE, section->offset,
				 "the table of BPF programs ends early: number %u of %u is not there",
				 n ? n : 1, says);
		err = 0;
	}
	if (err)
		perf_bpf_fini(bpf);
	else if (bpf->n)
		tidy(bpf);
	return err;
}

void perf_bpf_fini(struct perf_bpf *bpf)
{
	free(bpf->code);
	*bpf = (struct perf_bpf){ 0 };
}

const uint8_t *perf_bpf_find(const struct perf_bpf *bpf, uint64_t addr, uint32_t n)
{
	const struct perf_bpf_code key = { .addr = addr, .n = n };
	const struct perf_bpf_code *found = NULL;

	if (bpf->n)
		found = bsearch(&key, bpf->code, bpf->n, sizeof(key), compare);
	return found ? found->bytes : NULL;
}
