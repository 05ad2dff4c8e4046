// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lists the accesses to data that an ETMv3 saw, in order:
 *
 *	list-accesses TRACE [FILE@ADDRESS | REGISTER=VALUE]...
 *
 * TRACE is the trace of one unit, without frames.  FILE has code, which tells what is read and what
 * is written.
 */
#include "example.h"

static void list(const struct csf_access *a)
{
	const unsigned int way = a->flags & (CSF_ACCESS_READ | CSF_ACCESS_WRITE);

	if (a->flags & CSF_ACCESS_INSN)
		printf("%#llx ", (unsigned long long)a->insn);
	printf("%s", way == CSF_ACCESS_READ ? "reads" : way == CSF_ACCESS_WRITE ? "writes" :
	       way ? "swaps" : "accesses");
	if (a->addr_bits >= 32)
		printf(" %#llx", (unsigned long long)a->addr);
	if (a->flags & CSF_ACCESS_VALUE)
		printf(": %#llx", (unsigned long long)a->value);
	printf("%s\n", a->flags & CSF_ACCESS_LOST ? ", and some is lost" :
	       a->flags & CSF_ACCESS_FAILED ? ", which failed" : "");
}

int main(int argc, char **argv)
{
	struct csf_config config = {
		.size = sizeof(config), .protocol = CSF_PROTOCOL_ETM3, .marks = CSF_MARK_DATA,
	};
	struct csf_decoder *dec;
	struct csf_image *image;
	struct csf_run run;
	unsigned char *trace;
	size_t n;
	int err;

	if (argc < 2)
		die("list-accesses", "want TRACE [FILE@ADDRESS | REGISTER=VALUE]...");
	trace = read_file(argv[1], &n);
	if (csf_image_new(&image))
		die("image", csf_strerror(CSF_ERR_MEMORY));
	take_words(image, &config, argv + 1);
	if (!csf_config_data(&config))
		die("configuration", "it traces no data");
	err = csf_new(&dec, &config, image);
	if (err)
		die("decoder", csf_strerror(err));

	csf_feed(dec, trace, n);
	csf_end(dec);
	while ((err = csf_next(dec, &run)) > 0)
		for (size_t i = 0; i < run.n_mark; i++)
			if (run.mark[i].kind == CSF_MARK_DATA)
				list(&run.access[run.mark[i].value]);
	if (err)
		die(argv[1], csf_strerror(err));

	csf_free(dec);
	csf_image_free(image);
	free(trace);
	return 0;
}
