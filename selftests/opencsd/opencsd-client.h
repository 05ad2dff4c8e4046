/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of libopencsd_c_api.so.1: trace in words; a client that writes down what it gets. */
#ifndef OPENCSD_CLIENT_H
#define OPENCSD_CLIENT_H

#include <stdio.h>
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/opencsd/api.h"
#include "../lib/text.h"

#define ID	0x10
#define CODE	0x10000ull
#define CODE32	0x20000ull
#define SYNC	"async; info; on; "
#define START	SYNC "addr.ctx 0x10000 el0 ns 64 cid=1; "

/* The code at CODE in context 1, and in the others. */
static const uint32_t code_1[] = { 0xd503201f, 0x17ffffff };			/* nop; b .-4 */
static const uint32_t code_2[] = { 0xd503201f, 0xd503201f, 0x17fffffe };	/* one nop more */

/* Trace in words, "a; b; c". */
struct trace {
	uint8_t byte[4096];
	size_t n;
};

static const struct csf_config ete = {
	.size = sizeof(ete), .trcidr0 = 0x28000ea1, .trcidr2 = 0x20001088,
	.trcdevarch = 0x47705a13, .trcconfigr = 0x40,
};

static inline void trace(struct trace *t, const struct csf_config *config, const char *words)
{
	char copy[2048], *at = copy, *word;

	snprintf(copy, sizeof(copy), "%s", words);
	while ((word = strsep(&at, ";")) != NULL) {
		struct csf_packet packet;
		const char *where;
		int n;

		word += strspn(word, " ");
		if (!*word)
			continue;
		if (csf_packet_parse(config, word, &packet, &where))
			abort();
		n = csf_packet_write(config, t->byte + t->n, &packet);
		if (n <= 0)
			abort();
		t->n += n;
	}
}

/* A client, which writes down what it gets. */
struct client {
	void *tree;
	struct text text;	/* elements, a line each, then packets, messages */
	struct text log;
	uint32_t contextid;	/* of the last PE_CONTEXT */
	unsigned int wait;	/* it wants to wait after so many elements; 0: never */
	unsigned int n, n_asked, n_while_waiting;
	bool waiting;
	bool indexes;
	int version;		/* of the code */
};

static inline uint32_t on_element(const void *context, uint32_t index, uint8_t id,
				  const struct abi_element *e)
{
	struct client *c = (struct client *)context;
	char line[256];

	c->n_while_waiting += c->waiting;
	if (e->type == CSF_ELEM_PE_CONTEXT)
		c->contextid = e->context.contextid;
	ocsd_gen_elem_str(e, line, sizeof(line));
	if (c->indexes)
		text_add(&c->text, "%u ", index);
	text_add(&c->text, "%x %s\n", id, line + strlen("OCSD_GEN_TRC_ELEM_"));
	c->waiting = c->wait && ++c->n % c->wait == 0;
	return c->waiting ? ABI_WAIT : ABI_CONT;
}

static inline uint32_t code_of(const struct client *c, uint64_t addr, uint32_t n, uint8_t *buf)
{
	bool second = c->contextid != 1 || c->version;
	const void *code = second ? code_2 : code_1;
	size_t size = second ? sizeof(code_2) : sizeof(code_1);

	if (addr < CODE || addr - CODE >= size)
		return 0;
	if (n > size - (addr - CODE))
		n = size - (addr - CODE);
	memcpy(buf, (const uint8_t *)code + (addr - CODE), n);
	return n;
}

static inline uint32_t on_memory(const void *context, uint64_t addr, uint32_t space, uint8_t id,
				 uint32_t n, uint8_t *buf)
{
	struct client *c = (struct client *)context;

	c->n_asked++;
	return code_of(c, addr, n, buf);
}

static inline void on_text(const void *context, const char *text, int n)
{
	struct client *c = (struct client *)context;

	text_add(&c->log, "%.*s", n, text);
}

static inline int add_decoder(struct client *c, const struct csf_config *config, uint8_t id,
			      int flags)
{
	const struct abi_ete_config abi = {
		.idr0 = config->trcidr0, .idr1 = config->trcidr1, .idr2 = config->trcidr2,
		.idr8 = config->trcidr8, .devarch = config->trcdevarch,
		.configr = config->trcconfigr, .traceidr = id, .arch = 0x864,
		.profile = ABI_PROFILE_A,
	};
	unsigned char got = 0xff;
	int err = ocsd_dt_create_decoder(c->tree, "ETE", flags, &abi, &got);

	return err ? err : got == id ? 0 : -1;
}

static inline void open_client(struct client *c, uint32_t type, const struct csf_config *config)
{
	c->tree = ocsd_create_dcd_tree(type, 0x24);
	ocsd_def_errlog_set_strprint_cb(c->tree, c, on_text);
	if (add_decoder(c, config, ID, ABI_CREATE_DECODER))
		abort();
	ocsd_dt_set_gen_elem_outfn(c->tree, on_element, c);
	ocsd_dt_add_callback_trcid_mem_acc(c->tree, 0, UINT64_MAX, ABI_SPACE_ANY, on_memory, c);
}

static inline void close_client(struct client *c)
{
	ocsd_destroy_dcd_tree(c->tree);
	text_fini(&c->text);
	text_fini(&c->log);
}

static inline void reset(const struct client *c)
{
	ocsd_dt_process_data(c->tree, ABI_OP_RESET, 0, 0, NULL, NULL);
}

/* As perf does: the rest in each call, a flush after each wait.  Returns the last answer. */
static inline uint32_t give(struct client *c, const uint8_t *p, size_t n, size_t chunk,
			    uint32_t index)
{
	uint32_t resp = ABI_CONT, taken;

	for (size_t at = 0; at < n;) {
		size_t some = chunk && n - at > chunk ? chunk : n - at;
		uint8_t *copy = malloc(some);

		memcpy(copy, p + at, some);
		resp = ocsd_dt_process_data(c->tree, ABI_OP_DATA, index + at, some, copy, &taken);
		free(copy);
		if (taken > some || (resp < ABI_WAIT && taken != some))
			return UINT32_MAX;
		at += taken;
		/* perf does not come back for waiting elements when all bytes are taken. */
		if (at == n && resp >= ABI_WAIT)
			return UINT32_MAX;
		while (resp >= ABI_WAIT && resp < ABI_FATAL_NOT_INIT) {
			c->waiting = false;
			resp = ocsd_dt_process_data(c->tree, ABI_OP_FLUSH, 0, 0, NULL, NULL);
		}
		if (resp >= ABI_WAIT)
			return resp;
	}
	return resp;
}

/* All of some raw trace, given in one way; the caller frees the text. */
static inline char *elements(const struct trace *t, const struct csf_config *config, size_t chunk,
			     unsigned int wait)
{
	struct client c = { .wait = wait, .indexes = true };
	char *text;

	open_client(&c, ABI_SRC_SINGLE, config);
	reset(&c);
	if (give(&c, t->byte, t->n, chunk, 0) || c.n_while_waiting)
		text_add(&c.text, "wrong: %u elements in vain\n", c.n_while_waiting);
	text = strdup(c.text.s ?: "");
	close_client(&c);
	return text;
}

#define RANGE	"10 INSTR_RANGE(exec range=0x10000:[0x10008] num_i(2) last_sz(4) (ISA=A64) E BR  )\n"
#define RANGE2	"10 INSTR_RANGE(exec range=0x10000:[0x1000c] num_i(3) last_sz(4) (ISA=A64) E BR  )\n"
#define CTX(n)	"10 PE_CONTEXT((ISA=A64) EL0N; 64-bit; CTXTID=0x" #n "; )\n"
#define BEGIN(why) "10 NO_SYNC( [" why "])\n10 TRACE_ON( [begin or filter])\n"

#endif /* OPENCSD_CLIENT_H */
