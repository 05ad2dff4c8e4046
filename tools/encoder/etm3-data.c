// SPDX-License-Identifier: GPL-2.0-only
/* ETMv3: transfers of data. */
#include "etm3-unit.h"

#define LATE_MAX	6	/* blocks until a value comes that is late */
#define SUPPRESS_MAX	12	/* blocks whose transfers are dropped at once */

#define CR_CPRT		(1u << 1)
#define CR_VALUES	(1u << 2)
#define CR_ADDRESSES	(1u << 3)

/* ---------------------------------------------------------------- values that come late */

static void send_late(struct etm3_unit *u, unsigned int i)
{
	etm3_wire_late(&u->wire, u->late[i].value, i + 1);
	u->late[i].open = false;
}

void etm3_late(struct encoder *e, bool all)
{
	struct etm3_unit *u = etm3_of(e);

	for (unsigned int i = 0; i < ETM3_TAGS; i++)
		if (u->late[i].open && (all || !u->late[i].after--))
			send_late(u, i);
}

/* Return: the value comes later. */
static bool comes_late(struct encoder *e, const struct etm3_wire_data *data)
{
	struct etm3_unit *u = etm3_of(e);
	unsigned int i = 0;

	if (!u->wire.values || !unit_wanted(e, ENC_RATE_LATE))
		return false;
	while (i < ETM3_TAGS && u->late[i].open)
		i++;
	if (i == ETM3_TAGS)
		return false;
	u->late[i] = (struct etm3_late){ data->value, dice_below(&e->dice, LATE_MAX), true };
	etm3_wire_place(&u->wire, data, i + 1);
	return true;
}

/* ---------------------------------------------------------------- transfers */

/* Is this kind traced? */
static bool is_traced(const struct encoder *e, const struct enc_data *data)
{
	const uint32_t cr = e->setup.config.etmcr;

	return cr & (data->flags & ENC_DATA_REGISTER ? CR_CPRT : CR_VALUES | CR_ADDRESSES);
}

static enum etm3_wire_where where(struct encoder *e, const struct enc_data *data, bool first)
{
	struct etm3_unit *u = etm3_of(e);

	if (data->flags & ENC_DATA_REGISTER)
		return ETM3_WIRE_NOWHERE;
	if (u->dsync && !--u->dsync)
		return ETM3_WIRE_AT_ALL;
	/* The next word of a multiple transfer needs none. */
	if (!first && u->wire.data_known && data->addr == u->wire.data_last + 4 &&
	    !dice_once_in(&e->dice, 8))
		return ETM3_WIRE_NEXT;
	return ETM3_WIRE_AT;
}

/* @first: of its instruction; @multiple: one of several */
static void send(struct encoder *e, const struct enc_data *data, bool first, bool multiple)
{
	struct etm3_unit *u = etm3_of(e);
	const struct etm3_wire_data wire = {
		.addr = data->addr, .value = data->value, .big = data->flags & ENC_DATA_BIG,
		.where = where(e, data, first),
	};

	if (multiple && unit_wanted(e, ENC_RATE_UNTRACED))
		etm3_wire_untraced(&u->wire, &wire);
	else if (wire.where == ETM3_WIRE_NOWHERE || !comes_late(e, &wire))
		etm3_wire_data(&u->wire, &wire);
	if (data->flags & ENC_DATA_FAILED)
		etm3_wire_failed(&u->wire);
}

/* Transfers of an exception are told apart from those of the instruction before it. */
void etm3_entry(struct encoder *e, const struct enc_data *data)
{
	struct etm3_unit *u = etm3_of(e);

	u->kept = false;
	if (e->why != ENC_KEPT || u->owe || !is_traced(e, data))
		return;
	if (!u->entry)
		etm3_wire_stacking(&u->wire);
	send(e, data, !u->entry, true);
	u->entry = true;
	u->kept = true;
}

static bool is_suppressed(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);

	if (u->suppress) {
		u->suppress--;
		return true;
	}
	if (!unit_wanted(e, ENC_RATE_SUPPRESS))
		return false;
	etm3_wire_lost(&u->wire);
	u->suppress = dice_below(&e->dice, SUPPRESS_MAX);
	u->dsync = 1;
	return true;
}

void etm3_data(struct encoder *e)
{
	struct etm3_unit *u = etm3_of(e);
	const size_t n = e->n_data;

	u->kept = false;
	if (!n || is_suppressed(e))
		return;
	u->kept = true;
	for (size_t i = 0; i < n; i++) {
		if (!is_traced(e, &e->data[i]))
			continue;
		/* An I-sync that is due may come before the last transfers. */
		if (i && u->isync && dice_once_in(&e->dice, 2))
			etm3_isync(e, ETM3_WIRE_PERIODIC, true);
		send(e, &e->data[i], !i, n > 1);
	}
}

bool enc_data_kept(const struct encoder *e)
{
	const struct etm3_unit *u = e->own;

	return e->protocol == &etm3_unit && u->kept;
}
