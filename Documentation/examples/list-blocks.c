// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lists the blocks that one trace unit saw, in order, and each gap:
 *
 *	list-blocks TRACE [FILE@ADDRESS | REGISTER=VALUE]...
 *
 * TRACE is the trace of one unit, without frames.  FILE has code.
 */
#include "example.h"

static void list(struct csf_decoder *dec, const struct csf_image *image, const struct csf_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		const uint32_t number = csf_step_block(run->step[i]);
		struct csf_block block;

		csf_block(image, number, &block);
		printf("%#llx %u instructions, ends with %s%s\n",
		       (unsigned long long)csf_block_addr(dec, run, number), block.n_insn,
		       csf_insn_kind_name(block.kind),
		       csf_step_taken(run->step[i]) ? ", taken" : "");
	}
	if (csf_run_is_gap(run))
		printf("gap: %s, %llu P0 elements lost\n", csf_gap_name(run->value),
		       (unsigned long long)run->lost);
	else if (run->end == CSF_END_EXCEPTION)
		printf("exception %llu\n", (unsigned long long)run->value);
}

int main(int argc, char **argv)
{
	struct csf_config config = { .size = sizeof(config) };
	struct csf_decoder *dec;
	struct csf_image *image;
	struct csf_run run;
	unsigned char *trace;
	size_t n;
	int err;

	if (argc < 2)
		die("list-blocks", "want TRACE [FILE@ADDRESS | REGISTER=VALUE]...");
	trace = read_file(argv[1], &n);
	if (csf_image_new(&image))
		die("image", csf_strerror(CSF_ERR_MEMORY));
	take_words(image, &config, argv + 1);
	err = csf_new(&dec, &config, image);
	if (err)
		die("decoder", csf_strerror(err));

	csf_feed(dec, trace, n);
	csf_end(dec);
	while ((err = csf_next(dec, &run)) > 0)
		list(dec, image, &run);
	if (err)
		die(argv[1], csf_strerror(err));

	csf_free(dec);
	csf_image_free(image);
	free(trace);
	return 0;
}
