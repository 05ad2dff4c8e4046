/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the examples share: the words of their command line. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <csflow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

/* The whole file; the caller frees it. */
static inline unsigned char *read_file(const char *path, size_t *n)
{
	unsigned char *bytes = NULL;
	FILE *f = fopen(path, "rb");
	long size = -1;

	if (f && !fseek(f, 0, SEEK_END))
		size = ftell(f);
	if (size > 0)
		bytes = malloc(size);
	if (bytes)
		rewind(f);
	if (!bytes || fread(bytes, 1, size, f) != (size_t)size)
		die(path, "cannot be read");
	fclose(f);
	*n = size;
	return bytes;
}

/* FILE@ADDRESS: maps the file.  Its bytes must stay as long as the image. */
static inline void map_file(struct csf_image *image, char *word)
{
	char *at = strrchr(word, '@');
	unsigned char *code;
	size_t n;
	int section;

	*at = 0;
	code = read_file(word, &n);
	section = csf_section_bytes(image, code, n);
	if (section < 0 || csf_map(image, CSF_SPACE_ALL, strtoull(at + 1, NULL, 0), n, section, 0))
		die(word, "cannot be mapped");
}

/* REGISTER=VALUE, as "TRCIDR0=0x2801cea1".  Other registers are ignored. */
static inline void set_register(struct csf_config *config, const char *word)
{
	const struct { const char *name; uint32_t *is; } registers[] = {
		{ "TRCCONFIGR=", &config->trcconfigr }, { "TRCDEVARCH=", &config->trcdevarch },
		{ "TRCIDR0=", &config->trcidr0 }, { "TRCIDR1=", &config->trcidr1 },
		{ "TRCIDR2=", &config->trcidr2 }, { "TRCIDR8=", &config->trcidr8 },
		{ "ETMCR=", &config->etmcr }, { "ETMCCER=", &config->etmccer },
		{ "ETMIDR=", &config->etmidr },
	};

	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		const size_t n = strlen(registers[i].name);

		if (!strncmp(word, registers[i].name, n))
			*registers[i].is = strtoul(word + n, NULL, 0);
	}
}

/* Takes all words of the command line from @argv[1] on, up to NULL. */
static inline void take_words(struct csf_image *image, struct csf_config *config, char **argv)
{
	while (*++argv) {
		if (strchr(*argv, '='))
			set_register(config, *argv);
		else if (strchr(*argv, '@'))
			map_file(image, *argv);
	}
	if (csf_config_problem(config))
		die("configuration", csf_config_problem(config));
}

#endif /* EXAMPLE_H */
