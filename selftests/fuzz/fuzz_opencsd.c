// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes libopencsd_c_api: the input is a list of calls and the bytes for them.
 *
 * A call is a byte that selects it, and its arguments.  Whatever comes: no crash, no fatal answer
 * but to a wrong call, no element while the client waits, no more bytes taken than there are, and
 * every flush comes to an end.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/opencsd/abi-message.h"
#include "../../perf-plugin/opencsd/abi-older.h"
#include "../../perf-plugin/opencsd/api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define TREES	2
#define FLUSHES	100000

struct client {
	void *tree;
	const uint8_t *at, *end;	/* the input: answers come from it, too */
	unsigned int waits;		/* of 16 elements */
	uint32_t state;
	bool waiting;
};

static void must(bool ok)
{
	if (!ok)
		abort();
}

static uint32_t dice(struct client *c)
{
	c->state = c->state * 1664525 + 1013904223;
	return c->state >> 16;
}

static uint8_t next(struct client *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

static uint32_t on_element(const void *context, uint32_t index, uint8_t id,
			   const struct abi_element *e)
{
	struct client *c = (struct client *)context;
	char text[40];

	must(!c->waiting && id < 0x80);
	must(!ocsd_gen_elem_str(e, text, sizeof(text)));
	c->waiting = dice(c) % 16 < c->waits;
	return c->waiting ? ABI_WAIT : ABI_CONT;
}

static uint32_t on_packet(struct client *c, uint32_t protocol, uint32_t op, const void *packet)
{
	char text[600];

	must((op == ABI_OP_DATA) == !!packet);
	if (!packet)
		return ABI_CONT;
	must(!ocsd_pkt_str(protocol, packet, text, sizeof(text)));
	must(strlen(text) < sizeof(text) - 1);
	c->waiting = dice(c) % 16 < c->waits;
	return c->waiting ? ABI_WAIT : ABI_CONT;
}

static uint32_t on_etm4_packet(const void *context, uint32_t op, uint32_t index,
			       const void *packet)
{
	return on_packet((struct client *)context, ABI_PROTOCOL_ETE, op, packet);
}

static uint32_t on_etm3_packet(const void *context, uint32_t op, uint32_t index,
			       const void *packet)
{
	return on_packet((struct client *)context, ABI_PROTOCOL_ETMV3, op, packet);
}

static uint32_t on_ptm_packet(const void *context, uint32_t op, uint32_t index,
			      const void *packet)
{
	return on_packet((struct client *)context, ABI_PROTOCOL_PTM, op, packet);
}

static uint32_t on_stm_packet(const void *context, uint32_t op, uint32_t index,
			      const void *packet)
{
	return on_packet((struct client *)context, ABI_PROTOCOL_STM, op, packet);
}

static uint32_t on_itm_packet(const void *context, uint32_t op, uint32_t index,
			      const void *packet)
{
	return on_packet((struct client *)context, ABI_PROTOCOL_ITM, op, packet);
}

static void on_text(const void *context, const char *text, int n)
{
	must(strlen(text) == (size_t)n);
}

/* Sometimes more bytes, sometimes fewer, sometimes too many; the same or not. */
static uint32_t on_memory(const void *context, uint64_t addr, uint32_t space, uint8_t id,
			  uint32_t n, uint8_t *buf)
{
	struct client *c = (struct client *)context;
	uint32_t some = dice(c) % 8 ? n : dice(c) % (n + 2);

	if (addr & 0x2000 || !dice(c) % 32)
		return 0;
	for (uint32_t i = 0; i < some && i < n; i++) {
		uint64_t at = addr + i;

		buf[i] = at * 0x9d >> 3 ^ at >> 7 ^ (c->state & 0x10000 ? at >> 12 : 0);
		if ((at & 3) == 3 && at & 0x10)
			buf[i] = 0x17;		/* a branch */
	}
	return some;
}

/* Registers at their places in the structure of the protocol. */
static void read_registers(struct client *c, uint8_t how, bool ete, uint32_t *config)
{
	config[0] = ete ? 0x28000ea1 : 0x08000ea1 | (uint32_t)next(c) << 14;
	config[1] = 0x4100f402 | (next(c) & 7) << 4;
	config[2] = 0x20001088;
	config[3] = how >> 4 & 7;
	config[4] = 0x47705a13 | (uint32_t)(next(c) & 3) << 16;
	config[ete ? 5 : 9] = next(c) | (uint32_t)next(c) << 8;
	config[ete ? 6 : 10] = next(c);
	config[ete ? 8 : 12] = 3;
}

/* Return: it is an STM, in place of a PTM, or an ITM. */
static bool read_older_registers(struct client *c, bool ptm, uint32_t *config)
{
	const uint8_t which = next(c);

	if (which & 0x80) {
		config[0] = (which & 0x7f) << 16 | (uint32_t)next(c) << 4;
		return true;
	}
	config[0] = (ptm ? 0x4100f300 : 0x4108f200) | (which & 7) << 4;
	config[0] |= (uint32_t)(which & 8) << 17 | (uint32_t)(which & 16) << 14;
	config[1] = (uint32_t)next(c) << 12;
	config[1] |= (next(c) & 0x3c);
	config[1] |= (uint32_t)(next(c) & 3) << 28;
	config[2] = (uint32_t)next(c) << 23;
	config[3] = next(c);
	config[5] = which >> 5 & 3;
	return false;
}

static void create(struct client *c)
{
	static const struct {
		const char *name;
		void *sink;
	} kinds[] = {
		{ "ETE", on_etm4_packet }, { "ETMV4I", on_etm4_packet }, { "PTM", on_ptm_packet },
		{ "ETMV3", on_etm3_packet }, { "STM", on_stm_packet }, { "ITM", on_itm_packet },
	};
	uint32_t config[16] = { 0 };
	unsigned char id = 0;
	uint8_t how = next(c);
	unsigned int kind = how & 3;

	if (kind < 2)
		read_registers(c, how, !kind, config);
	else if (read_older_registers(c, kind == 2, config))
		kind += 2;
	if (ocsd_dt_create_decoder(c->tree, kinds[kind].name, 1 + (how >> 2 & 1) +
				   (how & 8 ? ABI_CREATE_SRC_ADDR_N : 0), config, &id))
		return;
	if (how & 0x80)
		ocsd_dt_set_pkt_protocol_printer(c->tree, id, how & 0x40);
	if (how & 8)
		ocsd_dt_attach_packet_callback(c->tree, id, ABI_CB_SINK, kinds[kind].sink, c);
}

static void open_tree(struct client *c, uint8_t how)
{
	c->waiting = false;
	c->waits = how >> 4;
	c->tree = ocsd_create_dcd_tree(how & 1, how & 2 ? 0x24 : how & 4 ? 3 : 4);
	must(c->tree);
	ocsd_def_errlog_set_strprint_cb(c->tree, c, on_text);
	ocsd_dt_set_gen_elem_outfn(c->tree, on_element, c);
	if (how & 8)
		ocsd_dt_set_gen_elem_printer(c->tree);
	create(c);
	ocsd_dt_add_callback_trcid_mem_acc(c->tree, how & 4 ? 0x1002 : 0, UINT64_MAX,
					   ABI_SPACE_ANY, on_memory, c);
}

static void flush(struct client *c)
{
	uint32_t resp;
	int n = 0;

	do {
		c->waiting = false;
		resp = ocsd_dt_process_data(c->tree, ABI_OP_FLUSH, 0, 0, NULL, NULL);
		if (++n > 1000)
			c->waits = 0;
		must(n < FLUSHES && resp < ABI_FATAL_NOT_INIT);
	} while (resp >= ABI_WAIT);
}

static void give(struct client *c)
{
	size_t n = next(c), left = c->end - c->at;
	uint32_t taken, resp;
	uint8_t *copy;

	n = n & 0x80 ? (n & 0x7f) * 64 : n;
	n = n < left ? n : left;
	copy = malloc(n ? n : 1);
	memcpy(copy, c->at, n);
	c->waiting = false;
	resp = ocsd_dt_process_data(c->tree, ABI_OP_DATA, dice(c), n, copy, &taken);
	free(copy);
	must(taken <= n && resp < ABI_FATAL_NOT_INIT && (resp >= ABI_WAIT || taken == n));
	c->at += taken;
	if (resp >= ABI_WAIT && dice(c) % 4)
		flush(c);
}

static void call(struct client *c, uint8_t what)
{
	static const uint8_t code[32] = { 0x1f, 0x20, 0x03, 0xd5, 0xff, 0xff, 0xff, 0x17 };
	struct abi_stats *stats;
	unsigned char id = what >> 4;

	switch (what & 15) {
	case 0:
		c->waiting = false;
		ocsd_dt_process_data(c->tree, ABI_OP_RESET, 0, 0, NULL, NULL);
		break;
	case 1:
		flush(c);
		ocsd_dt_process_data(c->tree, ABI_OP_EOT, 0, 0, NULL, NULL);
		flush(c);
		break;
	case 2:
		create(c);
		break;
	case 3:
		ocsd_dt_remove_decoder(c->tree, id);
		break;
	case 4:
		ocsd_dt_add_buffer_mem_acc(c->tree, (uint64_t)next(c) << 9 | id, next(c), code,
					   1 + next(c) % 32);
		break;
	case 5:
		ocsd_dt_remove_mem_acc(c->tree, id & 1 ? 0 : (uint64_t)next(c) << 9, next(c));
		break;
	case 6:
		ocsd_dt_get_decode_stats(c->tree, id, &stats);
		break;
	case 7:
		flush(c);
		break;
	default:
		give(c);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct client c[TREES] = { 0 };
	const uint8_t *end = data + n;

	ocsd_def_errlog_init(n & 1 ? ABI_SEV_WARN : ABI_SEV_NONE, 1);
	for (int i = 0; i < TREES; i++) {
		c[i] = (struct client){ .at = data, .end = end, .state = n + i };
		open_tree(&c[i], next(&c[i]));
		data = c[i].at;
	}
	while (data < end) {
		uint8_t what = *data++;
		struct client *one = &c[what >> 7];

		one->at = data;
		call(one, what & 0x7f);
		data = one->at;
	}
	for (int i = 0; i < TREES; i++)
		ocsd_destroy_dcd_tree(c[i].tree);
	return 0;
}
