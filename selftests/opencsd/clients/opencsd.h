/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of OpenCSD's interface that a client of libopencsd_c_api.so.1 sees: of 1.8.0, or with
 * RELEASE=0x010505 of 1.5.5, which Debian 12 does not have.
 *
 * We wrote it, from facts alone: numbers, sizes and names.  It has only what client.c needs.  The
 * types that OpenCSD gives names by typedef are macros here.
 */
#ifndef CLIENT_OPENCSD_H
#define CLIENT_OPENCSD_H

#include <stdint.h>

#ifndef RELEASE
#define RELEASE 0x010800
#endif
#define OCSD_VER_NUM RELEASE

#define dcd_tree_handle_t	void *
#define ocsd_trc_index_t	uint32_t

#define ocsd_trace_protocol_t	enum ocsd_trace_protocol
enum ocsd_trace_protocol {
	OCSD_PROTOCOL_ETMV4I = 2,
	OCSD_PROTOCOL_STM = 5,
	OCSD_PROTOCOL_ETE = 6,
#if RELEASE >= 0x010701
	OCSD_PROTOCOL_ITM = 7,
#endif
	OCSD_PROTOCOL_BUILTIN_END,
};

#define ocsd_gen_trc_elem_t	enum ocsd_gen_trc_elem
enum ocsd_gen_trc_elem {
	OCSD_GEN_TRC_ELEM_TRACE_ON = 2,
	OCSD_GEN_TRC_ELEM_EO_TRACE = 3,
	OCSD_GEN_TRC_ELEM_INSTR_RANGE = 5,
	OCSD_GEN_TRC_ELEM_SWTRACE = 14,
	OCSD_GEN_TRC_ELEM_MEMTRANS = 16,
	OCSD_GEN_TRC_ELEM_INSTRUMENTATION = 17,
#if RELEASE >= 0x010701
	OCSD_GEN_TRC_ELEM_ITMTRACE = 18,
#endif
	OCSD_GEN_TRC_ELEM_CUSTOM,
};

enum { OCSD_RESP_CONT, OCSD_TRC_SRC_SINGLE = 1, OCSD_OP_DATA = 0, OCSD_OP_EOT };
enum { OCSD_OK, OCSD_ERR_NO_PROTOCOL = 9, OCSD_CREATE_FLG_FULL_DECODER = 2 };
enum { UNSYNC_EOT = 7 };	/* 6 in 1.3.3 */
enum { OCSD_MEM_SPACE_ANY = 0xff, ARCH_AA64 = 0x200, profile_CortexA = 3 };

#define OCSD_BUILTIN_DCD_ETE "ETE"
#define OCSD_BUILTIN_DCD_STM "STM"
#define OCSD_BUILTIN_DCD_ITM "ITM"

#define ocsd_stm_cfg		struct ocsd_stm_cfg_struct
struct ocsd_stm_cfg_struct {
	uint32_t reg_tcsr, reg_feat3r, reg_devid, reg_feat1r, reg_hwev_mast, hw_event;
};

#if RELEASE >= 0x010701
#define ocsd_itm_cfg		struct ocsd_itm_cfg_struct
struct ocsd_itm_cfg_struct {
	uint32_t reg_tcr;
};

enum { SWIT_PAYLOAD, DWT_PAYLOAD, TS_SYNC, TS_DELAY, TS_PKT_DELAY, TS_PKT_TS_DELAY, TS_GLOBAL };
#endif

#define ocsd_ete_cfg		struct ocsd_ete_cfg_struct
struct ocsd_ete_cfg_struct {
	uint32_t reg_idr0, reg_idr1, reg_idr2, reg_idr8, reg_devarch, reg_configr, reg_traceidr;
	uint32_t arch_ver, core_prof;
};

#define ocsd_generic_trace_elem	struct ocsd_generic_trace_elem_struct
struct ocsd_generic_trace_elem_struct {
	ocsd_gen_trc_elem_t elem_type;
	uint32_t isa;
	uint64_t st_addr, en_addr;
	uint32_t context[5];
	uint64_t timestamp;
	uint32_t cycle_count, last_i_type, last_i_subtype;
	union {
		struct {
			uint32_t others:8, extended_data:1, has_ts:1;
		};
		uint32_t flag_bits;
	};
	union {
		uint32_t num_instr_range;
		uint32_t unsync_eot_info;
		struct {
			uint16_t swt_master_id, swt_channel_id;
			uint32_t swt_flag_bits;
		} sw_trace_info;
		struct {
			uint8_t el;
			uint64_t value;
		} sw_ite;
#if RELEASE >= 0x010701
		struct {
			uint32_t pkt_type;
			uint8_t payload_src_id, payload_size;
			uint32_t value;
			uint8_t overflow;
		} swt_itm;
#endif
	};
	const void *ptr_extended_data;
};

typedef int (*FnTraceElemIn)(const void *, ocsd_trc_index_t, uint8_t,
			     const ocsd_generic_trace_elem *);

uint32_t ocsd_get_version(void);
const char *ocsd_get_version_str(void);
dcd_tree_handle_t ocsd_create_dcd_tree(int type, uint32_t flags);
void ocsd_destroy_dcd_tree(dcd_tree_handle_t tree);
int ocsd_dt_create_decoder(dcd_tree_handle_t tree, const char *name, int flags, const void *config,
			   unsigned char *id);
int ocsd_dt_set_gen_elem_outfn(dcd_tree_handle_t tree, FnTraceElemIn fn, const void *context);
int ocsd_dt_add_buffer_mem_acc(dcd_tree_handle_t tree, uint64_t addr, int spaces,
			       const uint8_t *p, uint32_t n);
int ocsd_dt_process_data(dcd_tree_handle_t tree, int op, ocsd_trc_index_t index, uint32_t n,
			 const uint8_t *p, uint32_t *taken);
int ocsd_gen_elem_str(const ocsd_generic_trace_elem *elem, char *buf, int n);
void ocsd_gen_elem_init(ocsd_generic_trace_elem *elem, ocsd_gen_trc_elem_t type);
int ocsd_pkt_str(ocsd_trace_protocol_t protocol, const void *packet, char *buf, int n);

#endif /* CLIENT_OPENCSD_H */
