// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

#include "play.h"
#include "replay.h"
#include "unit.h"

static unsigned int chunk;
module_param(chunk, uint, 0644);
MODULE_PARM_DESC(chunk, "Bytes to play back each time a buffer is emptied; 0: as many as fit");

static bool anywhere;
module_param(anywhere, bool, 0644);
MODULE_PARM_DESC(anywhere, "Cut recordings anywhere, even in the middle of a packet");

size_t play_piece(struct unit *unit, size_t room, size_t size, const u8 **bytes, size_t *lost)
{
	struct replay *r = unit->replay;
	size_t n;

	*lost = 0;
	if (!r)
		return 0;
	n = replay_piece(r, chunk && chunk < room ? chunk : room, room, size, anywhere, lost);
	*bytes = r->bytes + r->pos;
	r->pos += n;
	unit->lost += *lost;
	unit->sent += n;
	return n;
}
