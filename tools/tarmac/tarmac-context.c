// SPDX-License-Identifier: GPL-2.0-only
#include "tarmac-context.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *mode;
	uint8_t el;
} modes[] = {
	{ "usr", 0 }, { "svc", 1 }, { "irq", 1 }, { "fiq", 1 }, { "abt", 1 }, { "und", 1 },
	{ "sys", 1 }, { "hyp", 2 }, { "mon", 3 }, { "Thread", 0 }, { "thread", 0 }, { "thrd", 0 },
	{ "Handler", 1 }, { "handler", 1 }, { "hndlr", 1 }, { "hndl", 1 },
};

static const struct {
	const char *word;
	uint8_t security;
} words[] = {
	{ "s", CSF_SECURE }, { "ns", CSF_NONSECURE }, { "n", CSF_NONSECURE },
	{ "root", CSF_ROOT }, { "realm", CSF_REALM },
};

bool tarmac_context(const struct tarmac_inst *inst, struct csf_context *context)
{
	struct tarmac_text mode = inst->mode;

	*context = (struct csf_context){ .security = CSF_NONSECURE };
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (tarmac_text_is(inst->security, words[i].word))
			context->security = words[i].security;
	if (mode.n == 4 && mode.p[0] == 'E' && mode.p[1] == 'L' && mode.p[2] >= '0' &&
	    mode.p[2] <= '3') {
		context->el = mode.p[2] - '0';
		context->bits64 = inst->isa == TARMAC_O;
		context->known = true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(modes) && !context->known; i++) {
		if (!tarmac_text_is(mode, modes[i].mode))
			continue;
		context->el = modes[i].el;
		context->known = true;
	}
	return context->known;
}
