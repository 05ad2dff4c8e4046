// SPDX-License-Identifier: GPL-2.0-only
/*
 * client TRACE [STM|ITM]: a program compiled with the header of another release of OpenCSD.  It
 * prints the elements of TRACE by that header's names and numbers.
 *
 * opencsd_release_test.sh compiles it with each header.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OWN
#include "opencsd.h"
#else
#include <opencsd/c_api/opencsd_c_api.h>
#endif

/* NOP, NOP, CBNZ x0, .-8; NOP */
static const uint32_t code[] = { 0xd503201f, 0xd503201f, 0xb5ffffc0, 0xd503201f };

/* The client's copy of an element lies beside data of its own. */
struct kept {
	ocsd_generic_trace_elem elem;
	uint64_t own;
};

/* Software trace, with its payload, to which a pointer leads that is elsewhere in each release. */
static void see_swt(const ocsd_generic_trace_elem *elem)
{
	uint64_t value = 0;
	const unsigned int bits = elem->sw_trace_info.swt_flag_bits & 0xff;

	if (elem->extended_data)
		memcpy(&value, elem->ptr_extended_data, (bits + 7) / 8);
	printf("swt %x:%x bits %u value %#llx time %#llx\n", elem->sw_trace_info.swt_master_id,
	       elem->sw_trace_info.swt_channel_id, bits, (unsigned long long)value,
	       elem->has_ts ? (unsigned long long)elem->timestamp : 0);
}

static int see(const void *context, const ocsd_trc_index_t index, const uint8_t id,
	       const ocsd_generic_trace_elem *elem)
{
	struct kept kept = { .own = 0x5a5a };

	(void)context; (void)index; (void)id;
	kept.elem = *elem;
	switch (kept.elem.elem_type) {
	case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
		printf("range of %u\n", kept.elem.num_instr_range);
		break;
#if OCSD_VER_NUM >= 0x010400
	case OCSD_GEN_TRC_ELEM_INSTRUMENTATION:
		printf("ite el%u %#llx\n", kept.elem.sw_ite.el,
		       (unsigned long long)kept.elem.sw_ite.value);
		break;
#endif
#if OCSD_VER_NUM >= 0x010701
	case OCSD_GEN_TRC_ELEM_ITMTRACE:
		printf("itm %s %u value %#x/%u time %#llx%s\n",
		       kept.elem.swt_itm.pkt_type == SWIT_PAYLOAD ? "port" :
		       kept.elem.swt_itm.pkt_type == DWT_PAYLOAD ? "dwt" :
		       kept.elem.swt_itm.pkt_type == TS_GLOBAL ? "global" : "local",
		       kept.elem.swt_itm.payload_src_id, kept.elem.swt_itm.value,
		       kept.elem.swt_itm.payload_size,
		       kept.elem.has_ts ? (unsigned long long)kept.elem.timestamp : 0,
		       kept.elem.swt_itm.overflow ? " overflow" : "");
		break;
#endif
	case OCSD_GEN_TRC_ELEM_SWTRACE:
		see_swt(&kept.elem);
		break;
	case OCSD_GEN_TRC_ELEM_EO_TRACE:
		printf("%s\n", kept.elem.unsync_eot_info == UNSYNC_EOT ? "end" : "another end");
		break;
	case OCSD_GEN_TRC_ELEM_CUSTOM:
		printf("custom?\n");
		break;
	default:
		break;
	}
	return kept.own == 0x5a5a ? OCSD_RESP_CONT : -1;
}

/* Its own memory is exactly as large as its header says. */
static void say_text(ocsd_gen_trc_elem_t type)
{
	struct kept kept = { .own = 0x5a5a };
	char text[256] = "";

	ocsd_gen_elem_init(&kept.elem, type);
	if (ocsd_gen_elem_str(&kept.elem, text, sizeof(text)) || kept.own != 0x5a5a)
		printf("no text, or %llx\n", (unsigned long long)kept.own);
	printf("type %d: %s\n", (int)type, text);
}

static int feed(dcd_tree_handle_t tree, const char *path)
{
	static uint8_t trace[1 << 20];
	uint32_t taken = 0, n;
	FILE *f = fopen(path, "rb");

	if (!f)
		return 1;
	n = fread(trace, 1, sizeof(trace), f);
	fclose(f);
	if (ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, n, trace, &taken) != OCSD_RESP_CONT)
		return 1;
	return taken != n || ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, &taken);
}

/* Creates a decoder of software trace. */
static int open_swt(dcd_tree_handle_t tree, const char *name)
{
	const ocsd_stm_cfg stm = { .reg_tcsr = 0x10 << 16 };
	unsigned char id;

	if (!strcmp(name, OCSD_BUILTIN_DCD_STM))
		return ocsd_dt_create_decoder(tree, name, OCSD_CREATE_FLG_FULL_DECODER, &stm, &id);
#if OCSD_VER_NUM >= 0x010701
	const ocsd_itm_cfg itm = { .reg_tcr = 0x10 << 16 };

	if (!strcmp(name, OCSD_BUILTIN_DCD_ITM))
		return ocsd_dt_create_decoder(tree, name, OCSD_CREATE_FLG_FULL_DECODER, &itm, &id);
#endif
	return -1;
}

static int open_ete(dcd_tree_handle_t tree)
{
	const ocsd_ete_cfg config = {
		.reg_idr0 = 0x2841cea1, .reg_idr1 = 0x4100fff0, .reg_idr2 = 0xd0001088,
		.reg_devarch = 0x47735a13, .reg_configr = 0x41, .reg_traceidr = 0x10,
		.arch_ver = ARCH_AA64, .core_prof = profile_CortexA,
	};
	unsigned char id;

	return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER,
				      &config, &id) ||
	       ocsd_dt_add_buffer_mem_acc(tree, 0x1000, OCSD_MEM_SPACE_ANY, (const uint8_t *)code,
					  sizeof(code));
}

int main(int argc, char **argv)
{
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	int bad;

	if (argc < 2 || !tree)
		return 2;
	printf("library %#x %s\n", ocsd_get_version(), ocsd_get_version_str());
	bad = (argc > 2 ? open_swt(tree, argv[2]) : open_ete(tree)) ||
	      ocsd_dt_set_gen_elem_outfn(tree, (FnTraceElemIn)see, NULL) ||
	      feed(tree, argv[1]);
	if (argc == 2) {
		say_text(OCSD_GEN_TRC_ELEM_MEMTRANS);
		say_text(OCSD_GEN_TRC_ELEM_CUSTOM);
	}
	ocsd_destroy_dcd_tree(tree);
	return bad;
}
