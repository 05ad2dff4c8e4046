/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arm snapshots: a folder with snapshot.ini, which names the devices (cores,
 * trace sources, memory) and the trace buffers.
 *
 * The reader is tolerant: it uses everything that it can, and reports the rest in
 * @problems with file, line and reason.  Documentation/format/snapshot.rst describes the format.
 */
#ifndef CSF_SNAPSHOT_H
#define CSF_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../decoder/csflow.h"
#include "../lib/problems.h"

/* Memory spaces, as bits: a dump is visible if it shares a bit with the processor state. */
enum snapshot_space {
	SPACE_EL1S = 0x01,
	SPACE_EL1N = 0x02,
	SPACE_EL2N = 0x04,
	SPACE_EL3 = 0x08,
	SPACE_EL2S = 0x10,
	SPACE_EL1R = 0x20,
	SPACE_EL2R = 0x40,
	SPACE_ROOT = 0x80,
	SPACE_ANY = 0xff,
};

enum snapshot_class { CLASS_OTHER, CLASS_CORE, CLASS_SOURCE, CLASS_MEMORY };
enum snapshot_format { FORMAT_FRAMES, FORMAT_DSTREAM, FORMAT_RAW, FORMAT_CRASH, FORMAT_OTHER };

/**
 * struct snapshot_reg - a register of a device
 * @id: its number, address / 4; -1: not given
 * @bits: 32 unless given
 * @known: @value is valid; not for registers of more than 64 bits, or with garbage
 */
struct snapshot_reg {
	char *name;
	uint64_t value;
	int64_t id;
	uint32_t bits;
	bool known;
};

/**
 * struct snapshot_dump - part of a file that was at an address
 * @path: file; @line: the line of its section in @ini
 * @length: UINT64_MAX: to the end of the file
 * @space: SPACE_x or-ed
 */
struct snapshot_dump {
	char *path;
	const char *ini;
	uint64_t address, length, offset;
	uint32_t space;
	unsigned int line;
};

/**
 * struct snapshot_device - a core, a trace source, memory
 * @ini: the file that it comes from
 * @location: as written, or NULL
 */
struct snapshot_device {
	char *ini, *name, *type, *location;
	struct snapshot_reg *reg;
	struct snapshot_dump *dump;
	size_t n_reg, n_dump;
	enum snapshot_class class;
	enum csf_protocol protocol;
};

/**
 * struct snapshot_buffer - a trace buffer
 * @path: its files, one after another
 * @line: of file= in trace.ini
 */
struct snapshot_buffer {
	char *id, *name;
	char **path;
	size_t n_path;
	enum snapshot_format format;
	unsigned int line;
};

/* The streams of a trace source; their trace IDs follow one another. */
enum snapshot_stream { STREAM_INSTRUCTIONS, STREAM_DATA };

/* One row of a map in trace.ini: core to source, or source to buffer.  @stream -1: not given. */
struct snapshot_link {
	char *from, *to;
	int stream;
	unsigned int line;
};

/**
 * struct snapshot - an Arm snapshot
 * @buffer: in the order of their sections in the file: the default is the first
 * @source_core: from: source, to: core
 * @source_buffer: from: source, to: buffer
 */
struct snapshot {
	char *dir;
	char *version, *description, *trace_ini;
	struct snapshot_device *device;
	struct snapshot_buffer *buffer;
	struct snapshot_link *source_core, *source_buffer;
	size_t n_device, n_buffer, n_source_core, n_source_buffer;
	struct problems problems;
};

/* Is it a folder, of whatever kind, or a file named snapshot.ini? */
bool snapshot_is(const char *path);

/*
 * @dir: the folder, or its snapshot.ini
 *
 * Return: 0, or -1: it is unusable, and @problems has the reason.  Close it either way.
 */
int snapshot_open(struct snapshot *s, const char *dir);
void snapshot_close(struct snapshot *s);

/* Finds a device.  @name is matched exactly, then tolerantly; "@..": its location. */
const struct snapshot_device *snapshot_device(const struct snapshot *s, const char *name);
const struct snapshot_device *snapshot_core(const struct snapshot *s,
					    const struct snapshot_device *source);
const struct snapshot_buffer *snapshot_buffer(const struct snapshot *s, const char *name);

/* Is @stream of @source recorded in @buffer?  Without a map every source is in every buffer. */
bool snapshot_in_buffer(const struct snapshot *s, const struct snapshot_device *source,
			enum snapshot_stream stream, const struct snapshot_buffer *buffer);

/* The value of a register, by name without brackets; @fallback if there is none. */
uint64_t snapshot_reg(const struct snapshot_device *device, const char *name, uint64_t fallback);

/* Has it a register of that name, with a value? */
bool snapshot_has_reg(const struct snapshot_device *device, const char *name);

/**
 * snapshot_raw_unit() - the trace unit of a buffer without frames
 *
 * Return: of those that wrote into it the first by name, and rather one that sends no messages;
 * NULL: there is none.
 */
const struct snapshot_device *snapshot_raw_unit(const struct snapshot *s,
						const struct snapshot_buffer *buffer);

/**
 * snapshot_config() - configuration of a trace unit
 * @core: the core it traces; NULL: unknown, profile A
 * @id: trace ID
 *
 * Return: 0, or -1: it is another protocol.
 */
int snapshot_config(const struct snapshot_device *source, const struct snapshot_device *core,
		    struct csf_config *config, uint8_t *id);

/* Profile of a core type such as "Cortex-M33" or "ARMv8-R".  Return: the type is known. */
bool snapshot_profile(const char *type, enum csf_profile *profile);

/* "EL1S", "S", "ANY", ... to SPACE_x or-ed; 0: there is no such space. */
uint32_t snapshot_space(const char *name);

/* Keeps names inside the folder: "" for an absolute path, or one with "..". */
char *snapshot_path(struct snapshot *s, const char *name);

#endif /* CSF_SNAPSHOT_H */
