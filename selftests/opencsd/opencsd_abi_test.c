// SPDX-License-Identifier: GPL-2.0-only
/* Our structures and numbers of libopencsd's interface against the header that Debian installs. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/opencsd/abi-message.h"
#include "../../perf-plugin/opencsd/abi-older.h"

#if __has_include("opencsd/c_api/opencsd_c_api.h")
#include <opencsd/c_api/opencsd_c_api.h>

#define SAME(ours, theirs, a, b) do {						\
	EXPECT_EQ(offsetof(theirs, b), offsetof(struct ours, a));		\
	EXPECT_EQ(sizeof(((theirs *)0)->b), sizeof(((struct ours *)0)->a));	\
} while (0)

TEST(element)
{
#define FIELD(a, b) SAME(abi_element, ocsd_generic_trace_elem, a, b)
	FIELD(type, elem_type);
	FIELD(isa, isa);
	FIELD(st_addr, st_addr);
	FIELD(en_addr, en_addr);
	FIELD(context, context);
	FIELD(context.security, context.security_level);
	FIELD(context.el, context.exception_level);
	FIELD(context.contextid, context.context_id);
	FIELD(context.vmid, context.vmid);
	FIELD(timestamp, timestamp);
	FIELD(cycle_count, cycle_count);
	FIELD(last_insn, last_i_type);
	FIELD(last_subtype, last_i_subtype);
	FIELD(flags, flag_bits);
	FIELD(value, num_instr_range);
	FIELD(value, exception_number);
	FIELD(value, unsync_eot_info);
	FIELD(event.kind, trace_event.ev_type);
	FIELD(event.number, trace_event.ev_number);
	FIELD(marker.value, sync_marker.value);
	FIELD(swt.master, sw_trace_info.swt_master_id);
	FIELD(swt.channel, sw_trace_info.swt_channel_id);
	FIELD(swt.flags, sw_trace_info.swt_flag_bits);
#undef FIELD
	EXPECT_EQ(ABI_ELEMENT_OLD, OCSD_VER_NUM < 0x010400 ? sizeof(ocsd_generic_trace_elem) :
						      ABI_ELEMENT_OLD);
	EXPECT_EQ(96, sizeof(struct abi_element));
}

TEST(element_bits)
{
	ocsd_generic_trace_elem e = { 0 };
	struct abi_element ours;

	e.context.bits64 = 1;
	e.context.vmid_valid = 1;
	e.last_instr_exec = 1;
	e.last_instr_sz = 4;
	e.excep_ret_addr_br_tgt = 1;
	memcpy(&ours, &e, ABI_ELEMENT_OLD);
	EXPECT_EQ(ABI_CTX_64 | ABI_CTX_VMID, ours.context.flags);
	EXPECT_EQ(ABI_EXEC | 4 << ABI_SIZE_SHIFT | ABI_RET_BR_TGT, ours.flags);
	memset(&e, 0, sizeof(e));
	e.context.ctxt_id_valid = 1;
	e.context.el_valid = 1;
	e.has_cc = 1;
	e.excep_ret_addr = 1;
	e.excep_data_marker = 1;
	e.has_ts = 1;
	e.last_instr_cond = 1;
	memcpy(&ours, &e, ABI_ELEMENT_OLD);
	EXPECT_EQ(ABI_CTX_CONTEXTID | ABI_CTX_EL, ours.context.flags);
	EXPECT_EQ(ABI_HAS_CC | ABI_RET_ADDR | ABI_DATA_MARKER | ABI_HAS_TS | ABI_COND, ours.flags);
}

TEST(packet)
{
#define FIELD(a, b) SAME(abi_packet, ocsd_etmv4_i_pkt, a, b)
	FIELD(type, type);
	FIELD(wide, v_addr.size);
	FIELD(addr, v_addr.val);
	FIELD(addr_bits, v_addr.pkt_bits);
	FIELD(addr_valid, v_addr.valid_bits);
	FIELD(is, v_addr_ISA);
	FIELD(contextid, context.ctxtID);
	FIELD(vmid, context.VMID);
	FIELD(time, ts.timestamp);
	FIELD(time_bits, ts.bits_changed);
	FIELD(threshold, cc_threshold);
	FIELD(atoms, atom.En_bits);
	FIELD(n_atom, atom.num);
	FIELD(cycle_count, cycle_count);
	FIELD(spec_depth, curr_spec_depth);
	FIELD(p0_key, p0_key);
	FIELD(commit, commit_elements);
	FIELD(cancel, cancel_elements);
	FIELD(info, trace_info);
	FIELD(exception, exception_info);
	FIELD(match, addr_exact_match_idx);
	FIELD(dsync, dsm_val);
	FIELD(event, event_val);
	FIELD(cond_instr.key, cond_instr.cond_c_key);
	FIELD(cond_instr.n, cond_instr.num_c_elem);
	FIELD(cond_result.key[1], cond_result.cond_r_key_1);
	FIELD(q.count, Q_pkt.q_count);
	FIELD(valid, pkt_valid);
	FIELD(err_type, err_type);
	FIELD(err_header, err_hdr_val);
	FIELD(version, protocol_version);
#undef FIELD
	EXPECT_EQ(offsetof(ocsd_etmv4_i_pkt, context), offsetof(struct abi_packet, ctx));
	EXPECT_EQ(ABI_PACKET_OLD, sizeof(ocsd_etmv4_i_pkt));
	EXPECT_EQ(ABI_PACKET_OLD, offsetof(struct abi_packet, payload));
}

TEST(packet_bits)
{
	ocsd_etmv4_i_pkt p = { 0 };
	struct abi_packet ours;

	p.context.EL = 2;
	p.context.SF = 1;
	p.context.updated_v = 1;
	p.exception_info.exceptionType = 14;
	p.exception_info.addr_interp = 2;
	p.exception_info.m_fault_pending = 1;
	p.Q_pkt.addr_match = 1;
	p.Q_pkt.q_type = 5;
	p.pkt_valid.bits.cc_valid = 1;
	memcpy(&ours, &p, sizeof(p));
	EXPECT_EQ(2 | ABI_PKT_CTX_64 | ABI_PKT_CTX_VMID, ours.ctx);
	EXPECT_EQ(14 | 2 << ABI_PKT_EXC_ADDR_SHIFT | ABI_PKT_EXC_FAULT, ours.exception);
	EXPECT_EQ(ABI_PKT_Q_MATCH | 5 << ABI_PKT_Q_TYPE_SHIFT, ours.q.flags);
	EXPECT_EQ(ABI_PKT_HAS_CC, ours.valid);
}

TEST(etm3_packet)
{
#define FIELD(a, b) SAME(abi_etm3_packet, ocsd_etmv3_pkt, a, b)
	FIELD(type, type);
	FIELD(isa, curr_isa);
	FIELD(isa_before, prev_isa);
	FIELD(context, context);
	FIELD(context.contextid, context.ctxtID);
	FIELD(context.vmid, context.VMID);
	FIELD(addr, addr);
	FIELD(addr.addr, addr.val);
	FIELD(addr.bits, addr.pkt_bits);
	FIELD(addr.valid, addr.valid_bits);
	FIELD(isync_reason, isync_info.reason);
	FIELD(exception, exception);
	FIELD(exception.kind, exception.type);
	FIELD(exception.number, exception.number);
	FIELD(exception.flags, exception.bits);
	FIELD(atoms.bits, atom.En_bits);
	FIELD(atoms.n, atom.num);
	FIELD(format, p_hdr_fmt);
	FIELD(cycle_count, cycle_count);
	FIELD(time, timestamp);
	FIELD(time_bits, ts_update_bits);
	FIELD(data.value, data.value);
	FIELD(data.addr, data.addr);
	FIELD(err_type, err_type);
#undef FIELD
	EXPECT_EQ(sizeof(ocsd_etmv3_pkt), sizeof(struct abi_etm3_packet));
}

TEST(etm3_packet_bits)
{
	ocsd_etmv3_pkt p = { 0 };
	struct abi_etm3_packet ours;

	p.context.curr_alt_isa = 1;
	p.context.curr_Hyp = 1;
	p.context.updated_v = 1;
	p.exception.bits.cancel = 1;
	p.exception.bits.cm_resume = 5;
	p.exception.bits.cm_irq_n = 300;
	p.isync_info.has_LSipAddress = 1;
	p.data.ooo_tag = 2;
	p.data.be = 1;
	p.data.update_addr = 1;
	memcpy(&ours, &p, sizeof(p));
	EXPECT_EQ(ABI_OLDER_ALT | ABI_OLDER_HYP | ABI_OLDER_VMID, ours.context.flags);
	EXPECT_EQ(ABI_OLDER_EXC_CANCEL | 5 << ABI_OLDER_EXC_RESUME | 300 << ABI_OLDER_EXC_IRQ,
		  ours.exception.flags);
	EXPECT_EQ(ABI_ETM3_HAS_LSIP, ours.isync_flags);
	EXPECT_EQ(2 | ABI_ETM3_DATA_BE | ABI_ETM3_DATA_HAS_ADDR, ours.data.flags);
	memset(&p, 0, sizeof(p));
	p.context.curr_NS = 1;
	p.context.updated = 1;
	p.context.updated_c = 1;
	p.exception.bits.present = 1;
	p.exception.bits.cm_type = 1;
	p.isync_info.has_cycle_count = 1;
	p.isync_info.no_address = 1;
	p.data.update_be = 1;
	p.data.update_dval = 1;
	memcpy(&ours, &p, sizeof(p));
	EXPECT_EQ(ABI_OLDER_NS | ABI_OLDER_UPDATED | ABI_OLDER_CID, ours.context.flags);
	EXPECT_EQ(ABI_OLDER_EXC | ABI_OLDER_EXC_M, ours.exception.flags);
	EXPECT_EQ(ABI_ETM3_HAS_CYCLES | ABI_ETM3_NO_ADDRESS, ours.isync_flags);
	EXPECT_EQ(ABI_ETM3_DATA_HAS_BE | ABI_ETM3_DATA_HAS_VALUE, ours.data.flags);
}

TEST(ptm_packet)
{
#define FIELD(a, b) SAME(abi_ptm_packet, ocsd_ptm_pkt, a, b)
	FIELD(type, type);
	FIELD(isa, curr_isa);
	FIELD(isa_before, prev_isa);
	FIELD(addr, addr);
	FIELD(context, context);
	FIELD(context.vmid, context.VMID);
	FIELD(atoms, atom);
	FIELD(isync_reason, i_sync_reason);
	FIELD(cycle_count, cycle_count);
	FIELD(has_cycles, cc_valid);
	FIELD(time, timestamp);
	FIELD(time_bits, ts_update_bits);
	FIELD(exception, exception);
	FIELD(exception.kind, exception.type);
	FIELD(exception.number, exception.number);
	FIELD(exception.flags, exception.bits);
	FIELD(err_type, err_type);
#undef FIELD
	EXPECT_EQ(sizeof(ocsd_ptm_pkt), sizeof(struct abi_ptm_packet));
}

TEST(stm_packet)
{
#define FIELD(a, b) SAME(abi_stm_packet, ocsd_stm_pkt, a, b)
	FIELD(type, type);
	FIELD(master, master);
	FIELD(channel, channel);
	FIELD(time, timestamp);
	FIELD(time_bits, pkt_ts_bits);
	FIELD(has_time, pkt_has_ts);
	FIELD(times, ts_type);
	FIELD(has_marker, pkt_has_marker);
	FIELD(d8, payload.D8);
	FIELD(d16, payload.D16);
	FIELD(d32, payload.D32);
	FIELD(d64, payload.D64);
	FIELD(err_type, err_type);
#undef FIELD
	EXPECT_EQ(sizeof(ocsd_stm_pkt), sizeof(struct abi_stm_packet));
	EXPECT_EQ(sizeof(ocsd_stm_cfg), sizeof(struct abi_stm_config));
	SAME(abi_stm_config, ocsd_stm_cfg, tcsr, reg_tcsr);
	SAME(abi_stm_config, ocsd_stm_cfg, feat3r, reg_feat3r);
	SAME(abi_stm_config, ocsd_stm_cfg, devid, reg_devid);
	SAME(abi_stm_config, ocsd_stm_cfg, feat1r, reg_feat1r);
	SAME(abi_stm_config, ocsd_stm_cfg, hwev_mast, reg_hwev_mast);
	SAME(abi_stm_config, ocsd_stm_cfg, hw_event, hw_event);
}

/* Our own numbers, where 1.8.0's header is not there. */
TEST(itm_structures)
{
	EXPECT_EQ(20, sizeof(struct abi_itm_packet));
	EXPECT_EQ(4, offsetof(struct abi_itm_packet, source));
	EXPECT_EQ(8, offsetof(struct abi_itm_packet, value));
	EXPECT_EQ(13, offsetof(struct abi_itm_packet, more));
	EXPECT_EQ(72, offsetof(struct abi_element, itm.kind));
	EXPECT_EQ(77, offsetof(struct abi_element, itm.size));
	EXPECT_EQ(80, offsetof(struct abi_element, itm_value));
	EXPECT_EQ(84, offsetof(struct abi_element, itm_overflow));
	EXPECT_EQ(88, offsetof(struct abi_element, extended));
}

TEST(other_structures)
{
	EXPECT_EQ(sizeof(ocsd_etmv4_cfg), sizeof(struct abi_etm4_config));
	SAME(abi_etm4_config, ocsd_etmv4_cfg, configr, reg_configr);
	SAME(abi_etm4_config, ocsd_etmv4_cfg, traceidr, reg_traceidr);
	SAME(abi_etm4_config, ocsd_etmv4_cfg, profile, core_prof);
	EXPECT_EQ(sizeof(ocsd_ete_cfg), sizeof(struct abi_ete_config));
	SAME(abi_ete_config, ocsd_ete_cfg, devarch, reg_devarch);
	SAME(abi_ete_config, ocsd_ete_cfg, traceidr, reg_traceidr);
	EXPECT_EQ(sizeof(ocsd_etmv3_cfg), sizeof(struct abi_older_config));
	EXPECT_EQ(sizeof(ocsd_ptm_cfg), sizeof(struct abi_older_config));
	SAME(abi_older_config, ocsd_etmv3_cfg, idr, reg_idr);
	SAME(abi_older_config, ocsd_etmv3_cfg, ctrl, reg_ctrl);
	SAME(abi_older_config, ocsd_etmv3_cfg, ccer, reg_ccer);
	SAME(abi_older_config, ocsd_etmv3_cfg, trc_id, reg_trc_id);
	SAME(abi_older_config, ocsd_etmv3_cfg, profile, core_prof);
	SAME(abi_older_config, ocsd_ptm_cfg, idr, reg_idr);
	SAME(abi_older_config, ocsd_ptm_cfg, ctrl, reg_ctrl);
	SAME(abi_older_config, ocsd_ptm_cfg, ccer, reg_ccer);
	SAME(abi_older_config, ocsd_ptm_cfg, trc_id, reg_trc_id);
	SAME(abi_older_config, ocsd_ptm_cfg, profile, core_prof);
	EXPECT_EQ(sizeof(ocsd_decode_stats_t), sizeof(struct abi_stats));
	SAME(abi_stats, ocsd_decode_stats_t, total, channel_total);
	SAME(abi_stats, ocsd_decode_stats_t, bad_sequences, bad_sequence_errs);
	SAME(abi_stats, ocsd_decode_stats_t, demux, demux);
	EXPECT_EQ(sizeof(ocsd_file_mem_region_t), sizeof(struct abi_region));
	SAME(abi_region, ocsd_file_mem_region_t, addr, start_address);
	SAME(abi_region, ocsd_file_mem_region_t, n, region_size);
}

TEST(numbers)
{
	static const int pairs[][2] = {
		{ OCSD_ERR_NO_PROTOCOL, ABI_ERR_NO_PROTOCOL },
		{ OCSD_ERR_ATTACH_TOO_MANY, ABI_ERR_ATTACH_TOO_MANY },
		{ OCSD_ERR_BAD_PACKET_SEQ, ABI_ERR_BAD_PACKET_SEQ },
		{ OCSD_ERR_HW_CFG_UNSUPP, ABI_ERR_HW_CFG_UNSUPP },
		{ OCSD_ERR_COMMIT_PKT_OVERRUN, ABI_ERR_COMMIT_PKT_OVERRUN },
		{ OCSD_ERR_MEM_ACC_OVERLAP, ABI_ERR_MEM_ACC_OVERLAP },
		{ OCSD_ERR_MEM_ACC_BAD_LEN, ABI_ERR_MEM_ACC_BAD_LEN },
		{ OCSD_ERR_DCDREG_NAME_UNKNOWN, ABI_ERR_DCDREG_NAME_UNKNOWN },
		{ OCSD_ERR_DCD_INTERFACE_UNUSED, ABI_ERR_DCD_INTERFACE_UNUSED },
		{ OCSD_ERR_LAST, ABI_ERR_LAST }, { OCSD_ERR_SEV_WARN, ABI_SEV_WARN },
		{ OCSD_RESP_WAIT, ABI_WAIT }, { OCSD_RESP_FATAL_SYS_ERR, ABI_FATAL_SYS_ERR },
		{ OCSD_OP_RESET, ABI_OP_RESET }, { OCSD_TRC_SRC_SINGLE, ABI_SRC_SINGLE },
		{ OCSD_DFRMTR_RESET_ON_4X_FSYNC, ABI_FRAMES_BARRIER },
		{ OCSD_CREATE_FLG_FULL_DECODER, ABI_CREATE_DECODER },
		{ ETE_OPFLG_PKTDEC_SRCADDR_N_ATOMS, ABI_CREATE_SRC_ADDR_N },
		{ OCSD_PROTOCOL_ETMV4I, ABI_PROTOCOL_ETMV4I },
		{ OCSD_PROTOCOL_ETE, ABI_PROTOCOL_ETE },
		{ OCSD_MEM_SPACE_EL2S, ABI_SPACE_EL2S }, { profile_CortexA, ABI_PROFILE_A },
		{ ocsd_isa_aarch64, ABI_A64 }, { OCSD_INSTR_TSTART, ABI_INSN_TSTART },
		{ OCSD_S_INSTR_V7_IMPLIED_RET, ABI_SUB_V7_RET }, { UNSYNC_EOT, ABI_UNSYNC_END },
		{ OCSD_C_API_CB_PKT_MON, ABI_CB_MONITOR },
		{ C_API_MSGLOGOUT_FLG_STDOUT, ABI_LOG_STDOUT },
		{ ETM4_PKT_I_CANCEL_F1_MISPRED, ABI_PKT_CANCEL1_MISP },
		{ ETM4_PKT_I_ADDR_L_64IS1, ABI_PKT_ADDR64 + 1 }, { ETM4_PKT_I_Q, ABI_PKT_Q },
		{ ETM4_PKT_I_ATOM_F4, ABI_PKT_ATOM4 }, { ETM4_PKT_I_OVERFLOW, ABI_PKT_OVERFLOW },
		{ ETM4_PKT_I_NO_ERR_TYPE, ABI_PKT_NO_ERR },
		{ ETE_PKT_I_TRANS_FAIL, ABI_PKT_TM_FAIL },
		{ ETM4_PKT_I_RESERVED_CFG, ABI_PKT_RESERVED_CONFIG },
		{ ETE_PKT_I_SRC_ADDR_L_64IS0, ABI_PKT_SRC64 },
		{ OCSD_PROTOCOL_ETMV3, ABI_PROTOCOL_ETMV3 },
		{ OCSD_PROTOCOL_PTM, ABI_PROTOCOL_PTM }, { ocsd_isa_jazelle, ABI_JAZELLE },
		{ ETM3_PKT_BRANCH_ADDRESS, ABI_ETM3_BRANCH }, { ETM3_PKT_P_HDR, ABI_ETM3_ATOMS },
		{ ETM3_PKT_NORM_DATA, ABI_ETM3_DATA }, { ETM3_PKT_VMID, ABI_ETM3_VMID },
		{ ETM3_PKT_TIMESTAMP, ABI_ETM3_TIME }, { ETM3_PKT_RESERVED, ABI_ETM3_RESERVED },
		{ ETM3_PKT_BAD_SEQUENCE, ABI_ETM3_BAD_SEQUENCE },
		{ PTM_PKT_WPOINT_UPDATE, ABI_PTM_WAYPOINT }, { PTM_PKT_ATOM, ABI_PTM_ATOMS },
		{ PTM_PKT_EXCEPTION_RET, ABI_PTM_ERET }, { PTM_PKT_RESERVED, ABI_PTM_RESERVED },
		{ PTM_PKT_BAD_SEQUENCE, ABI_PTM_BAD_SEQUENCE },
		{ Excp_SyncDataAbort, ABI_EXC_DATA_ABORT }, { Excp_CMIRQn, ABI_EXC_M_IRQ },
		{ Excp_ThumbEECheckFail, ABI_EXC_TEE_CHECK },
		{ OCSD_PROTOCOL_STM, ABI_PROTOCOL_STM }, { STM_PKT_ASYNC, ABI_STM_ASYNC },
		{ STM_PKT_MERR, ABI_STM_MERR }, { STM_PKT_D64, ABI_STM_D64 },
		{ STM_PKT_RESERVED, ABI_STM_RESERVED }, { STM_TS_GREY, ABI_STM_TIMES_GRAY },
		{ SWT_ID_VALID_MASK, ABI_SWT_ID_VALID },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		EXPECT_EQ(pairs[i][0], pairs[i][1]) {
			TH_LOG("number %zu", i);
		}
	}
}

#else

TEST(element)
{
	SKIP(return, "no libopencsd-dev");
}

#endif

TEST_HARNESS_MAIN
