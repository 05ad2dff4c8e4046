// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names for the numbers of csflow.h. */
#include "csflow.h"

CSF_API const char *csf_strerror(int err)
{
	struct csf_report report;

	if (csf_report_code(CSF_REPORT_CALL, err, &report) > 0)
		return report.words;
	return err < 0 ? "unknown error" : "success";
}

/* The name of @number in @names; "unknown" if it has none. */
static const char *name_of(const char *const *names, size_t n, unsigned int number)
{
	return number < n && names[number] ? names[number] : "unknown";
}

#define name_in(names, number)	name_of(names, sizeof(names) / sizeof(*(names)), number)

CSF_API const char *csf_protocol_name(enum csf_protocol protocol)
{
	static const char *const names[] = {
		[CSF_PROTOCOL_ETM4] = "ETMv4", [CSF_PROTOCOL_ETE] = "ETE",
		[CSF_PROTOCOL_ETM3] = "ETMv3", [CSF_PROTOCOL_PTM] = "PTM",
		[CSF_PROTOCOL_ITM] = "ITM", [CSF_PROTOCOL_STM] = "STM",
		[CSF_PROTOCOL_MTB] = "MTB",
	};

	return name_in(names, protocol);
}

CSF_API const char *csf_profile_name(enum csf_profile profile)
{
	static const char *const names[] = {
		[CSF_PROFILE_A] = "A", [CSF_PROFILE_R] = "R", [CSF_PROFILE_M] = "M",
	};

	return name_in(names, profile);
}

CSF_API const char *csf_isa_name(enum csf_isa isa)
{
	static const char *const names[] = {
		[CSF_A64] = "A64", [CSF_A32] = "A32", [CSF_T32] = "T32",
	};

	return name_in(names, isa);
}

CSF_API const char *csf_insn_kind_name(enum csf_insn_kind kind)
{
	static const char *const names[] = {
		[CSF_INSN_OTHER] = "other", [CSF_INSN_BRANCH] = "branch",
		[CSF_INSN_INDIRECT] = "indirect", [CSF_INSN_ISB] = "isb",
		[CSF_INSN_WFX] = "wfx", [CSF_INSN_TSTART] = "tstart",
		[CSF_INSN_LOAD] = "load", [CSF_INSN_STORE] = "store",
		[CSF_INSN_BARRIER] = "barrier", [CSF_INSN_EXCEPTION] = "exception",
	};

	return name_in(names, kind);
}

CSF_API const char *csf_security_name(enum csf_security security)
{
	static const char *const names[] = {
		[CSF_SECURE] = "secure", [CSF_NONSECURE] = "nonsecure",
		[CSF_ROOT] = "root", [CSF_REALM] = "realm",
	};

	return name_in(names, security);
}

CSF_API const char *csf_mark_name(uint32_t mark)
{
	static const char *const names[] = {
		"time", "cycles", "event", "ite", "marker", "source", "walk", "q", "eret",
		"return", "same", "info", "packet", "data", "cond",
	};
	const bool is_one = mark && !(mark & (mark - 1));

	return name_in(names, is_one ? __builtin_ctz(mark) : UINT32_MAX);
}

CSF_API const char *csf_end_name(enum csf_end_kind end)
{
	static const char *const names[] = {
		[CSF_END_FULL] = "full", [CSF_END_CONTEXT] = "context",
		[CSF_END_EXCEPTION] = "exception", [CSF_END_TRANSACTION] = "transaction",
		[CSF_END_Q] = "q", [CSF_END_GAP] = "gap", [CSF_END_TIME] = "time",
		[CSF_END_TRACE] = "trace", [CSF_END_CODE] = "code",
	};

	return name_in(names, end);
}

CSF_API const char *csf_transaction_name(enum csf_transaction transaction)
{
	static const char *const names[] = {
		[CSF_TRANS_INIT] = "init", [CSF_TRANS_START] = "start",
		[CSF_TRANS_COMMIT] = "commit", [CSF_TRANS_FAIL] = "fail",
	};

	return name_in(names, transaction);
}

CSF_API const char *csf_gap_name(enum csf_gap gap)
{
	static const char *const names[] = {
		[CSF_GAP_START] = "start", [CSF_GAP_OFF] = "off",
		[CSF_GAP_OVERFLOW] = "overflow", [CSF_GAP_DISCARD] = "discard",
		[CSF_GAP_PACKET] = "packet", [CSF_GAP_CUT] = "cut", [CSF_GAP_IMAGE] = "image",
		[CSF_GAP_ADDRESS] = "address", [CSF_GAP_STACK] = "stack",
		[CSF_GAP_WALK] = "walk", [CSF_GAP_SPECULATION] = "speculation",
		[CSF_GAP_BREAK] = "break",
	};

	return name_in(names, gap);
}

CSF_API const char *csf_bad_name(enum csf_bad bad)
{
	static const char *const names[] = {
		[CSF_BAD_RESERVED] = "reserved", [CSF_BAD_CONFIG] = "not of this trace unit",
		[CSF_BAD_SEQUENCE] = "malformed", [CSF_BAD_CUT] = "cut off",
		[CSF_BAD_UNSYNC] = "out of sync", [CSF_BAD_LOST] = "lost",
	};

	return name_in(names, bad);
}

CSF_API const char *csf_frame_kind_name(enum csf_frame_kind kind)
{
	static const char *const names[] = {
		[CSF_FRAME_DATA] = "data", [CSF_FRAME_FSYNC] = "full sync",
		[CSF_FRAME_HSYNC] = "half sync", [CSF_FRAME_BARRIER] = "barrier",
		[CSF_FRAME_SKIPPED] = "skipped", [CSF_FRAME_BAD] = "out of sync",
		[CSF_FRAME_PARTIAL] = "incomplete", [CSF_FRAME_TRAILER] = "trailer",
	};

	return name_in(names, kind);
}

CSF_API const char *csf_message_name(enum csf_message_kind kind)
{
	static const char *const names[] = {
		[CSF_MESSAGE_DATA] = "data", [CSF_MESSAGE_COUNTERS] = "counters",
		[CSF_MESSAGE_EXCEPTION] = "exception", [CSF_MESSAGE_PC] = "pc",
		[CSF_MESSAGE_NO_PC] = "no-pc", [CSF_MESSAGE_PMU] = "pmu",
		[CSF_MESSAGE_ACCESS_PC] = "access-pc", [CSF_MESSAGE_ACCESS_ADDR] = "access-addr",
		[CSF_MESSAGE_READ] = "read", [CSF_MESSAGE_WRITE] = "write",
		[CSF_MESSAGE_MATCH] = "match", [CSF_MESSAGE_TIME] = "time",
		[CSF_MESSAGE_GLOBAL_TIME] = "global-time", [CSF_MESSAGE_OVERFLOW] = "overflow",
		[CSF_MESSAGE_FLAG] = "flag", [CSF_MESSAGE_TRIGGER] = "trigger",
		[CSF_MESSAGE_FREQUENCY] = "frequency",
		[CSF_MESSAGE_CROSS_SYNC] = "cross-sync", [CSF_MESSAGE_USER] = "user",
		[CSF_MESSAGE_ERROR] = "error",
		[CSF_MESSAGE_OTHER] = "other", [CSF_MESSAGE_RANGE] = "range",
		[CSF_MESSAGE_CUSTOM] = "custom", [CSF_MESSAGE_GAP] = "gap",
	};

	return name_in(names, kind);
}

#define STR_(x)	#x
#define STR(x)	STR_(x)

CSF_API const char *csf_version(void)
{
	return STR(CSF_VERSION_MAJOR) "." STR(CSF_VERSION_MINOR);
}
