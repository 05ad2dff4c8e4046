// SPDX-License-Identifier: GPL-2.0-only
/*
 * client TRACE: a program compiled with the header of another release of OpenCSD.  It prints the
 * elements of TRACE by that header's names and numbers.
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
		printf("itm?\n");
		break;
#endif
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

int main(int argc, char **argv)
{
	const ocsd_ete_cfg config = {
		.reg_idr0 = 0x2841cea1, .reg_idr1 = 0x4100fff0, .reg_idr2 = 0xd0001088,
		.reg_devarch = 0x47735a13, .reg_configr = 0x41, .reg_traceidr = 0x10,
		.arch_ver = ARCH_AA64, .core_prof = profile_CortexA,
	};
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	unsigned char id;
	int bad;

	if (argc != 2 || !tree)
		return 2;
	printf("library %#x %s\n", ocsd_get_version(), ocsd_get_version_str());
	bad = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER,
				     &config, &id) ||
	      ocsd_dt_set_gen_elem_outfn(tree, (FnTraceElemIn)see, NULL) ||
	      ocsd_dt_add_buffer_mem_acc(tree, 0x1000, OCSD_MEM_SPACE_ANY, (const uint8_t *)code,
					 sizeof(code)) ||
	      feed(tree, argv[1]);
	say_text(OCSD_GEN_TRC_ELEM_MEMTRANS);
	say_text(OCSD_GEN_TRC_ELEM_CUSTOM);
#if OCSD_VER_NUM >= 0x010701
	char text[64];

	if (ocsd_dt_create_decoder(tree, "ITM", OCSD_CREATE_FLG_FULL_DECODER, &config, &id) !=
	    OCSD_ERR_NO_PROTOCOL ||
	    ocsd_pkt_str(OCSD_PROTOCOL_ITM, code, text, sizeof(text)) != OCSD_ERR_NO_PROTOCOL)
		printf("ITM?\n");
	say_text(OCSD_GEN_TRC_ELEM_ITMTRACE);
#endif
	ocsd_destroy_dcd_tree(tree);
	return bad;
}
