// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/csflow-debug.h"
#include "log.h"
#include "without.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	uint32_t layers;
} words[] = {
	{ "fast", CSF_WITHOUT_FAST },
	{ "speculation", CSF_WITHOUT_SPECULATION },
	{ "paths", CSF_WITHOUT_PATHS },
	{ "addresses", CSF_WITHOUT_ADDRESSES },
	{ "links", CSF_WITHOUT_LINKS },
	{ "threads", CSF_WITHOUT_THREADS },
	{ "ahead", CSF_WITHOUT_AHEAD },
	{ "frames", CSF_WITHOUT_FRAMES },
	{ "prefetch", CSF_WITHOUT_PREFETCH },
	{ "all", CSF_WITHOUT_ALL },
};

static uint32_t layers;

/* 0: unknown layer. */
static uint32_t named(const char *word, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == n && !strncmp(words[i].name, word, n))
			return words[i].layers;
	return 0;
}

static void complain(const char *word, size_t n)
{
	log_say(LOG_USAGE, "csflow: CSFLOW_WITHOUT: there is no layer '%.*s', only", (int)n, word);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		log_say(LOG_USAGE, "%s %s", i ? "," : "", words[i].name);
	log_say(LOG_USAGE, "\n");
}

bool without_read(void)
{
	const char *word = getenv("CSFLOW_WITHOUT");

	layers = 0;
	for (word = word ? word : ""; *word; word += *word == ',') {
		const size_t n = strcspn(word, ",");
		const uint32_t one = named(word, n);

		if (!one) {
			complain(word, n);
			return false;
		}
		layers |= one;
		word += n;
	}
	return true;
}

uint32_t without_layers(void)
{
	return layers;
}

uint32_t without_frames(void)
{
	return layers & CSF_WITHOUT_FRAMES;
}
