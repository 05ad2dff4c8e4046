/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Configuration: the caller's register values, checked once and taken apart. */
#ifndef CSF_CONFIG_H
#define CSF_CONFIG_H

#include "bytes.h"
#include "csflow.h"

/* Architecture versions as config_read() numbers them: major << 4 | minor; ETE 1.n is 0x5n. */
enum {
	ETM40 = 0x40, ETM42 = 0x42, ETM43 = 0x43, ETM45 = 0x45, ETM46 = 0x46,
	ETE10 = 0x50, ETE11 = 0x51, ETE13 = 0x53,
};

#define MANY_BLOCKS	32768u	/* config.many, but for tests */

/**
 * struct config - what the registers say, by meaning
 * @max_spec: P0 elements that may be uncommitted, TRCIDR8.MAXSPEC
 * @version: 0x4n: ETMv4.n, 0x5n: ETE 1.n
 * @profile: enum csf_profile
 * @vmid_size: bytes of a VMID in a context packet: 0, 1, 2, 4
 * @cid_size: bytes of a context ID: 0, 4
 * @cc_bits: width of the cycle counter, 12..27
 * @rule: CSF_RULE_x: which instructions take an atom
 * @commopt: cycle count packets have no commit: TRCIDR0.COMMOPT, or CCI is on and MAXSPEC 0
 * @retstack: the return stack is in use: TRCCONFIGR.RS
 * @cycles: cycles are counted: TRCCONFIGR.CCI
 * @bb: branches are broadcast: TRCCONFIGR.BB, maybe of some addresses alone
 * @cond: conditional instruction packets exist: TRCIDR0.TRCCOND
 * @condtype: their results are APSR flags: TRCIDR0.CONDTYPE
 * @q: Q packets exist: TRCIDR0.QSUPP
 * @data: data synchronisation markers exist: TRCIDR0.TRCDATA
 * @ite: TRCIDR0.ITE
 * @tsmark: timestamps have markers: TRCIDR0.TSMARK
 * @trans_p0: Transaction Start is a P0 element: TRCIDR0.COMMTRANS is 0
 * @marks: kinds of marks wanted
 * @run_max: most steps in a run
 * @without: CSF_WITHOUT_x
 * @many: from so many blocks of the image on, what is known of them is in no near cache
 * @ask_code: csf_ask_code()
 * @paths: csf_ask_paths()
 */
struct config {
	uint32_t max_spec;
	uint8_t version;
	uint8_t profile;
	uint8_t vmid_size;
	uint8_t cid_size;
	uint8_t cc_bits;
	uint8_t rule;
	bool commopt;
	bool retstack;
	bool cycles;
	bool bb;
	bool cond;
	uint8_t condtype;
	bool q;
	bool data;
	bool ite;
	bool tsmark;
	bool trans_p0;
	uint32_t marks;
	uint32_t run_max;
	uint32_t without;
	uint32_t many;
	bool ask_code;
	bool paths;
};

static inline bool config_is_ete(const struct config *c)
{
	return c->version >= ETE10;
}

/* Takes apart the caller's configuration, whatever its age.  Return: 0 or CSF_ERR_CONFIG. */
int config_read(struct config *own, const struct csf_config *config);

#endif /* CSF_CONFIG_H */
