// SPDX-License-Identifier: GPL-2.0-only
/*
 * A message is a header of 32 bits, and what it says that there is, in this order: GUID, location,
 * length, timestamp, payload, checksum.  All numbers are little-endian, GUIDs are as they are
 * printed.
 *
 * Header: 3:0 type, 6:4 severity, 8 location, 9 length, 10 checksum, 11 timestamp, 15:12 unit,
 * 22:16 origin, 23 GUID, 29:24 subtype.  A short message has only a header, of which the upper bits
 * are the payload.
 */
#include <stdio.h>
#include <string.h>

#include "syst.h"
#include "syst-format.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum {
	TYPE_BUILD = 0, TYPE_SHORT32 = 1, TYPE_STRING = 2, TYPE_CATALOG = 3, TYPE_RAW = 6,
	TYPE_SHORT64 = 7, TYPE_CLOCK = 8,
};

enum { BUILD_COMPACT32 = 0, BUILD_COMPACT64 = 1, BUILD_LONG = 2 };
enum { STRING_PRINTF32 = 11, STRING_PRINTF64 = 12 };

#define HAS_LOCATION	(1u << 8)
#define HAS_LENGTH	(1u << 9)
#define HAS_CHECKSUM	(1u << 10)
#define HAS_TIME	(1u << 11)
#define HAS_GUID	(1u << 23)

#define CHECKSUM_SIZE	4

/* A message that does not say where it ends is not longer: its end is where its checksum fits. */
#define SEARCH_MAX	4096
/* A client may have written larger arguments than its format says. */
#define SLACK		16

struct decoding {
	const struct syst_catalog *catalog;
	struct syst_message *m;
	struct syst_bytes bytes;
	uint32_t header;
	int client;
	bool whole;
};

const char *syst_status(enum syst_status status)
{
	static const char *const words[] = { "ok", "bad-checksum", "incomplete", "unknown" };

	return words[status];
}

static unsigned int type_of(uint32_t header)
{
	return header & 15;
}

static unsigned int subtype_of(uint32_t header)
{
	return header >> 24 & 63;
}

/* CRC-32C */
static uint32_t checksum(const uint8_t *bytes, size_t n)
{
	uint32_t crc = ~0u;

	while (n--) {
		crc ^= *bytes++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

/* ---------------------------------------------------------------- names */

static void put_type(struct syst_message *m, const char *type, const char *subtype,
		     unsigned int number)
{
	if (subtype)
		snprintf(m->type, sizeof(m->type), "%s:%s", type, subtype);
	else
		snprintf(m->type, sizeof(m->type), "%s:%u", type, number);
}

static void name_raw(struct decoding *d, unsigned int sub)
{
	const struct syst_format *f = syst_catalog_format(d->catalog, d->client, SYST_WRITE, sub);
	uint8_t argument[4] = { sub & (f ? ~f->mask : 0) };
	struct syst_bytes bytes = { argument, argument + sizeof(argument), false };
	char name[32];
	size_t n = 0;

	if (f)
		n = syst_format(f->text, strlen(f->text), &bytes, false, name, sizeof(name) - 1);
	name[n] = '\0';
	put_type(d->m, "RAW", f ? name : NULL, sub);
}

static void name_type(struct decoding *d)
{
	static const char *const builds[] = { "COMPACT32", "COMPACT64", "LONG" };
	static const char *const catalogs[] = {
		NULL, "ID32P32", "ID64P32", NULL, NULL, "ID32P64", "ID64P64",
	};
	static const char *const strings[] = {
		NULL, "GENERIC", "FUNCTIONENTER", "FUNCTIONEXIT", NULL, "INVALIDPARAM", NULL,
		"ASSERT", NULL, NULL, NULL, "PRINTF32", "PRINTF64",
	};
	static const char *const clocks[] = { NULL, "TRANSPORT_SYNC" };
	const unsigned int sub = subtype_of(d->header);

#define NAME(type, names) \
	put_type(d->m, type, sub < ARRAY_SIZE(names) ? (names)[sub] : NULL, sub)
	switch (type_of(d->header)) {
	case TYPE_BUILD:
		NAME("BUILD", builds);
		break;
	case TYPE_STRING:
		NAME("STRING", strings);
		break;
	case TYPE_CATALOG:
		NAME("CATALOG", catalogs);
		break;
	case TYPE_CLOCK:
		NAME("CLOCK", clocks);
		break;
	case TYPE_RAW:
		name_raw(d, sub);
		break;
	default:
		put_type(d->m, "TYPE", NULL, type_of(d->header));
		break;
	}
#undef NAME
}

/* A client that only the transport names has a GUID of its master, channel and origin. */
static void find_client(struct decoding *d, const struct syst_source *source)
{
	const unsigned int origin = d->header >> 16 & 127;
	uint8_t guid[16] = {
		[4] = source->master >> 8, source->master, source->channel >> 8, source->channel,
		origin,
	};
	const struct syst_format *module;
	const char *name = NULL;

	if (d->header & HAS_GUID)
		for (int i = 0; i < 16; i++)
			guid[i] = syst_number(&d->bytes, 1);
	d->client = syst_catalog_client(d->catalog, guid);
	if (d->client >= 0)
		name = d->catalog->client[d->client];
	module = syst_catalog_format(d->catalog, d->client, SYST_MODULE, origin);
	if (!name && !(d->header & HAS_GUID) && module)
		name = module->text;
	if (name)
		snprintf(d->m->origin, sizeof(d->m->origin), "%s", name);
	else if (d->header & HAS_GUID)
		snprintf(d->m->origin, sizeof(d->m->origin),
			 "%02X%02X%02X%02X-%02X%02X-%02X%02X-%02X%02X-%02X%02X%02X%02X%02X%02X",
			 guid[0], guid[1], guid[2], guid[3], guid[4], guid[5], guid[6], guid[7],
			 guid[8], guid[9], guid[10], guid[11], guid[12], guid[13], guid[14],
			 guid[15]);
	else
		snprintf(d->m->origin, sizeof(d->m->origin), "%u", origin);
}

static void put_location(struct decoding *d, uint32_t file, uint32_t line)
{
	const struct syst_format *f = syst_catalog_format(d->catalog, d->client, SYST_FILE, file);
	struct syst_message *m = d->m;

	if (f)
		snprintf(m->location, sizeof(m->location), "%s:%u", f->text, line);
	else
		snprintf(m->location, sizeof(m->location), "%u:%u", file, line);
}

/* Its first byte says what follows: file and line in 2 bytes each or 4, or an address. */
static void read_location(struct decoding *d)
{
	const unsigned int form = syst_number(&d->bytes, 1), size = form & 1 ? 8 : 4;
	const uint64_t v = syst_number(&d->bytes, size);

	if (form & 2)
		snprintf(d->m->location, sizeof(d->m->location), "0x%llx", (unsigned long long)v);
	else
		put_location(d, size == 8 ? (uint32_t)v : v & 0xffff, v >> (size == 8 ? 32 : 16));
}

/* ---------------------------------------------------------------- payload */

static void put_number(struct syst_message *m, const char *format, unsigned long long v)
{
	m->n_text += snprintf(m->text + m->n_text, sizeof(m->text) - m->n_text, format, v);
}

static void put_bytes(struct syst_message *m, const char *bytes, size_t n)
{
	if (n > sizeof(m->text) - m->n_text)
		n = sizeof(m->text) - m->n_text;
	memcpy(m->text + m->n_text, bytes, n);
	m->n_text += n;
}

static void put_format(struct decoding *d, const char *format, size_t n, bool wide)
{
	struct syst_message *m = d->m;

	m->n_text += syst_format(format, n, &d->bytes, wide, m->text + m->n_text,
				 sizeof(m->text) - m->n_text);
}

static void read_build(struct decoding *d)
{
	const char *text;
	size_t n;

	if (subtype_of(d->header) != BUILD_LONG) {
		d->m->status = SYST_UNKNOWN;
		return;
	}
	put_number(d->m, "0x%016llx ", syst_number(&d->bytes, 8));
	text = syst_text(&d->bytes, d->whole, &n);
	put_bytes(d->m, text, n);
}

static void read_string(struct decoding *d)
{
	const unsigned int sub = subtype_of(d->header);
	size_t n;
	const char *text = syst_text(&d->bytes, d->whole, &n);

	if (sub == STRING_PRINTF32 || sub == STRING_PRINTF64)
		put_format(d, text, n, sub == STRING_PRINTF64);
	else
		put_bytes(d->m, text, n);
}

static void read_catalog(struct decoding *d)
{
	const unsigned int sub = subtype_of(d->header);
	const bool long_id = sub == 2 || sub == 6, wide = sub >= 5;
	const uint64_t id = syst_number(&d->bytes, long_id ? 8 : 4);
	const struct syst_format *f = syst_catalog_format(d->catalog, d->client, long_id ?
							  SYST_CATALOG64 : SYST_CATALOG32, id);

	if (!f) {
		put_number(d->m, long_id ? "0x%016llx" : "0x%08llx", id);
		d->m->status = SYST_UNKNOWN;
		return;
	}
	put_format(d, f->text, strlen(f->text), wide);
	if (!*d->m->location && f->line)
		put_location(d, f->file, f->line);
}

static void read_raw(struct decoding *d)
{
	if (!d->whole)
		d->m->status = SYST_UNKNOWN;	/* it does not say where it ends */
	while (d->whole && d->bytes.at < d->bytes.end && d->m->n_text + 3 < sizeof(d->m->text))
		put_number(d->m, "%02llX", *d->bytes.at++);
	d->bytes.at = d->bytes.end;
}

static void read_clock(struct decoding *d)
{
	put_number(d->m, "clock %llu", syst_number(&d->bytes, 8));
	put_number(d->m, " at %llu Hz", syst_number(&d->bytes, 8));
}

static void read_payload(struct decoding *d)
{
	switch (type_of(d->header)) {
	case TYPE_BUILD:
		read_build(d);
		break;
	case TYPE_STRING:
		read_string(d);
		break;
	case TYPE_CATALOG:
		read_catalog(d);
		break;
	case TYPE_RAW:
		read_raw(d);
		break;
	case TYPE_CLOCK:
		read_clock(d);
		break;
	default:
		d->m->status = SYST_UNKNOWN;
		break;
	}
}

/* ---------------------------------------------------------------- messages */

static size_t decode_short(struct decoding *d, const uint8_t *bytes, size_t n)
{
	const bool is_64 = type_of(d->header) == TYPE_SHORT64;
	const unsigned int size = is_64 ? 8 : 4;
	struct syst_bytes all = { bytes, bytes + n, false };
	const uint64_t v = syst_number(&all, size) >> 4;
	const struct syst_format *f = syst_catalog_format(d->catalog, -1, is_64 ? SYST_SHORT64 :
							  SYST_SHORT32, v);
	uint64_t argument = v & (f ? ~f->mask : 0);
	uint8_t argument_bytes[8];

	snprintf(d->m->type, sizeof(d->m->type), is_64 ? "SHORT64" : "SHORT32");
	d->m->severity = "MAX";
	d->m->length = size;
	for (int i = 0; i < 8; i++)
		argument_bytes[i] = argument >> 8 * i;
	d->bytes = (struct syst_bytes){ argument_bytes, argument_bytes + 8, false };
	if (f)
		put_format(d, f->text, strlen(f->text), true);
	else
		put_number(d->m, "0x%llx", v);
	if (!f)
		d->m->status = SYST_UNKNOWN;
	if (all.failed)
		d->m->status = SYST_SHORT;
	return all.failed ? (d->whole ? n : 0) : size;
}

/* The payload and the parts before it end where the checksum begins. */
static void read_parts(struct decoding *d, const struct syst_source *source)
{
	find_client(d, source);
	name_type(d);
	if (d->header & HAS_LOCATION)
		read_location(d);
	if (d->header & HAS_LENGTH) {
		const size_t length = syst_number(&d->bytes, 2);
		const size_t after = d->header & HAS_TIME ? 8 : 0;

		if (length + after < d->bytes.end - d->bytes.at)
			d->bytes.end = d->bytes.at + length + after;
		else if (length + after > d->bytes.end - d->bytes.at)
			d->bytes.failed = true;
		d->whole = true;
	}
	if (d->header & HAS_TIME) {
		d->m->time = syst_number(&d->bytes, 8);
		d->m->has_time = true;
	}
	if (!d->bytes.failed)
		read_payload(d);
	if (d->header & HAS_LENGTH)
		d->bytes.at = d->bytes.end;
}

static bool checks(const uint8_t *bytes, size_t n)
{
	struct syst_bytes last = { bytes + n - CHECKSUM_SIZE, bytes + n, false };

	return checksum(bytes, n - CHECKSUM_SIZE) == syst_number(&last, CHECKSUM_SIZE);
}

size_t syst_decode(const struct syst_catalog *catalog, const struct syst_source *source,
		   const uint8_t *bytes, size_t n, bool whole, struct syst_message *m)
{
	static const char *const severities[] = {
		"MAX", "FATAL", "ERROR", "WARNING", "INFO", "USER1", "USER2", "DEBUG",
	};
	struct decoding d = {
		.catalog = catalog, .m = m, .bytes = { bytes, bytes + n, false }, .whole = whole,
	};
	size_t tail;

	memset(m, 0, offsetof(struct syst_message, text));
	d.header = syst_number(&d.bytes, 4);
	if (!d.bytes.failed && (type_of(d.header) == TYPE_SHORT32 ||
				type_of(d.header) == TYPE_SHORT64))
		return decode_short(&d, bytes, n);
	m->severity = severities[d.header >> 4 & 7];
	m->unit = d.header >> 12 & 15;
	tail = d.header & HAS_CHECKSUM ? CHECKSUM_SIZE : 0;
	if (d.bytes.end - d.bytes.at < tail)
		d.bytes.failed = true;
	d.bytes.end -= d.bytes.failed ? 0 : tail;
	if (!d.bytes.failed)
		read_parts(&d, source);
	if (d.bytes.failed && !whole)
		return 0;
	m->length = whole ? n : d.bytes.at - bytes + tail;
	if (!whole && tail && (m->status || !checks(bytes, m->length))) {
		if (checks(bytes, n))
			return syst_decode(catalog, source, bytes, n, true, m);
		if (n < (m->status ? SEARCH_MAX : m->length + SLACK))
			return 0;
	}
	if (d.bytes.failed)
		m->status = SYST_SHORT;
	else if (tail && !checks(bytes, m->length))
		m->status = SYST_CHECKSUM;
	return m->length;
}
