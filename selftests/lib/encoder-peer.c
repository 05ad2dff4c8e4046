// SPDX-License-Identifier: GPL-2.0-only
#include "encoder-units.h"
#include "peer.h"

#define ELEMENTS_MAX	100000

bool units_peer(struct trial *t)
{
	static struct peer_element e[ELEMENTS_MAX];
	struct peer_code code[4];
	long n;

	for (unsigned int i = 0; i < t->program.n_area; i++) {
		const struct area *a = &t->program.area[i];

		code[i] = (struct peer_code){ a->addr, a->code, a->n };
	}
	n = peer_list(&t->setup.config, code, t->program.n_area, t->trace, t->n_trace, e,
		      ELEMENTS_MAX);
	if (n < 0 || n > ELEMENTS_MAX)
		return false;
	for (long i = 0; i < n; i++) {
		uint64_t pc = e[i].start;

		if (!e[i].end)
			trial_decoded(t, (struct item){
				.kind = ITEM_EXCEPTION, .addr = pc, .value = e[i].number,
			});
		while (pc < e[i].end) {
			const struct op *op = program_op(&t->program, pc);

			trial_decoded(t, (struct item){
				.kind = ITEM_INSN, .addr = pc, .isa = e[i].number,
			});
			pc += op && op->size ? op->size : 4;
		}
	}
	return true;
}
