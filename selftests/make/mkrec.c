// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkrec LOG PROGRAM FILE: a recording of PROGRAM, as two ETMv4 and an ETF would have made it.
 *
 * LOG is what qemu-aarch64 -singlestep -d exec,nochain wrote: each instruction
 * executed.  Packets are made from instructions that take an atom, and from targets of branches, by
 * section 7 of the architecture: they say only what a decoder cannot know.  User space is traced; a
 * system call ends with an exception packet, and after it tracing is on again.  The program moves
 * to the other CPU at every second system call.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../../perf-plugin/perf-write.h"

#define TID		4711
#define CALLS		2		/* system calls on one CPU before it moves */
#define STACK_MAX	15
#define ATOMS_MAX	24
#define TIME_EVERY	300		/* instructions */
#define TRACE_MAX	65536

/* The counter: 25 MHz; ten instructions to a tick, and a system call takes 200 ticks. */
#define TICK_NS		40
#define TICKS_START	0x1234567890ull
#define INSNS_A_TICK	10
#define TICKS_A_CALL	200

/**
 * struct unit - the trace unit of a CPU, while it traces
 * @config: of both of them
 * @bytes: packets, @n bytes
 * @atom: @n_atom outcomes that are not written yet
 * @stack: return stack, @depth addresses
 * @last: address of the last packet that had one
 */
struct unit {
	struct csf_config config;
	uint8_t bytes[TRACE_MAX];
	size_t n;
	char atom[ATOMS_MAX + 1];
	size_t n_atom;
	uint64_t stack[STACK_MAX];
	size_t depth;
	uint64_t last;
};

/* The executed code, and where it is */
struct program {
	const uint8_t *elf;
	uint64_t *pc;
	size_t n;
	Elf64_Phdr text;
	const uint8_t *build_id;
};

/* The file, and how far the rings of both CPUs are */
struct recorder {
	struct perf_writer *writer;
	struct perf_cs_cpu cpu[2];
	uint64_t head[2];
	int on;
	uint64_t ticks;
};

static void die(const char *what)
{
	fprintf(stderr, "mkrec: %s: %s\n", what, errno ? strerror(errno) : "not as expected");
	exit(1);
}

/* ---------------------------------------------------------------- packets */

__attribute__((format(printf, 2, 3)))
static void emit(struct unit *unit, const char *format, ...)
{
	struct csf_packet packet;
	const char *where = NULL;
	char words[160];
	va_list ap;
	int n;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	if (unit->n + CSF_PACKET_MAX > TRACE_MAX ||
	    csf_packet_parse(&unit->config, words, &packet, &where))
		die(words);
	n = csf_packet_write(&unit->config, unit->bytes + unit->n, &packet);
	if (n <= 0)
		die(words);
	unit->n += n;
}

/* Five at a time at most, but for a run of E. */
static void flush(struct unit *unit)
{
	size_t at = 0, n;

	while (at < unit->n_atom) {
		n = strspn(unit->atom + at, "E");
		if (n >= 4 && n < ATOMS_MAX && at + n < unit->n_atom)
			n++;				/* and the N after them */
		else if (n < 4)
			n = unit->n_atom - at < 3 ? unit->n_atom - at : 3;
		emit(unit, "atom %.*s", (int)n, unit->atom + at);
		at += n;
	}
	unit->n_atom = 0;
}

static void add_atom(struct unit *unit, char atom)
{
	unit->atom[unit->n_atom++] = atom;
	unit->atom[unit->n_atom] = 0;
	if (unit->n_atom == ATOMS_MAX - 1)
		flush(unit);
}

/* The shortest form, compared with the last address. */
static void emit_address(struct unit *unit, uint64_t addr)
{
	uint64_t changed = addr ^ unit->last;

	flush(unit);
	if (!changed)
		emit(unit, "addr.same 0");
	else if (changed < 1 << 9)
		emit(unit, "addr.s %#" PRIx64 "/9", addr & 0x1ff);
	else if (changed < 1 << 17)
		emit(unit, "addr.s %#" PRIx64 "/17", addr & 0x1ffff);
	else
		emit(unit, "addr %#" PRIx64, addr);
	unit->last = addr;
}

static void emit_start(struct unit *unit, uint64_t addr, uint64_t ticks)
{
	emit(unit, "on");
	emit(unit, "addr.ctx %#" PRIx64 " el0 ns 64 cid=%d", addr, TID);
	emit(unit, "time %#" PRIx64 "/56", ticks);
	unit->last = addr;
	unit->depth = 0;
}

static void push(struct unit *unit, uint64_t addr)
{
	if (unit->depth == STACK_MAX)
		memmove(unit->stack, unit->stack + 1, --unit->depth * sizeof(addr));
	unit->stack[unit->depth++] = addr;
}

/* One instruction and where execution went from it.  Return: it was a system call. */
static bool trace_insn(struct unit *unit, uint32_t opcode, uint64_t pc, uint64_t next)
{
	struct csf_insn insn;

	csf_insn(&insn, opcode, pc, CSF_A64, 0);
	if (insn.kind == CSF_INSN_EXCEPTION) {
		flush(unit);
		emit(unit, "exception call addr");
		emit_address(unit, pc + 4);
		return true;
	}
	if (!(insn.flags & CSF_FLAG_P0))
		return false;
	if (insn.kind == CSF_INSN_BRANCH && next != insn.target) {
		add_atom(unit, 'N');
		return false;
	}
	if (insn.flags & CSF_FLAG_LINK)
		push(unit, pc + 4);
	add_atom(unit, 'E');
	if (insn.kind != CSF_INSN_INDIRECT)
		return false;
	if (unit->depth && unit->stack[unit->depth - 1] == next)
		unit->depth--;
	else
		emit_address(unit, next);
	return false;
}

/* ---------------------------------------------------------------- frames */

/*
 * 16 bytes: 15 of them are data or, at even places, an ID; the last one has the
 * low bits of data at even places, and which IDs hold only from the next but one
 * byte on.  Return: bytes of frames.
 */
static size_t make_frames(uint8_t *out, const uint8_t *p, size_t n, uint8_t id)
{
	uint8_t *frame = out;
	bool end = false;
	size_t at = 0;

	for (int first = 1; at < n || first; frame += 16) {
		memset(frame, 0, 16);
		for (int i = 0; i < 15; i++) {
			bool even = !(i & 1), last = at + 1 == n && i < 14;

			if (first && !i) {
				frame[i] = id << 1 | 1;
				first = 0;
			} else if (even && !end && (at == n || last)) {
				frame[i] = 1;		/* ID 0: nothing */
				frame[15] |= last << i / 2;
				end = true;
			} else if (at < n) {
				frame[i] = even ? p[at] & 0xfe : p[at];
				if (even)
					frame[15] |= (p[at] & 1) << i / 2;
				at++;
			}
		}
	}
	return frame - out;
}

/* ---------------------------------------------------------------- recording */

static uint64_t now(const struct recorder *rec)
{
	return (rec->ticks - TICKS_START) * TICK_NS + 1000000000;
}

/*
 * The bytes that the trace unit has written so far go into the ring of its CPU, and into the file.
 */
static void end_fragment(struct recorder *rec, const struct unit *unit)
{
	static uint8_t frames[TRACE_MAX * 2];
	const struct perf_cs_cpu *cpu = &rec->cpu[rec->on];
	size_t n = make_frames(frames, unit->bytes, unit->n, cpu->id);
	struct perf_write_who who = { .time = now(rec), .pid = TID, .tid = TID, .cpu = cpu->cpu };
	struct perf_aux_record aux = { .offset = rec->head[rec->on], .size = n };
	struct perf_auxtrace auxtrace = { .offset = aux.offset, .size = n, .idx = cpu->cpu,
					  .cpu = cpu->cpu, .tid = PERF_NO_TID,
					  .reference = 0x1000 + rec->head[0] + rec->head[1] };

	perf_write_aux(rec->writer, &who, &aux);
	perf_write_auxtrace(rec->writer, &auxtrace, frames);
	perf_write_round(rec->writer);
	rec->head[rec->on] += n;
}

static void start_unit(struct unit *unit, const struct recorder *rec)
{
	*unit = (struct unit){ .config = rec->cpu[0].config };
	emit(unit, "async");
	emit(unit, "info");
}

static uint32_t opcode_at(const struct program *program, uint64_t pc)
{
	uint32_t opcode;

	if (pc - program->text.p_vaddr >= program->text.p_filesz)
		die("an address that is not code of the program");
	memcpy(&opcode, program->elf + program->text.p_offset + (pc - program->text.p_vaddr),
	       sizeof(opcode));
	return opcode;
}

static void trace(struct recorder *rec, const struct program *program)
{
	static struct unit unit;
	int calls = 0;

	start_unit(&unit, rec);
	emit_start(&unit, program->pc[0], rec->ticks);
	for (size_t i = 0; i < program->n; i++) {
		uint64_t pc = program->pc[i], next = i + 1 < program->n ? program->pc[i + 1] : 0;

		rec->ticks += i % INSNS_A_TICK == 0;
		if (i && i % TIME_EVERY == 0) {
			flush(&unit);
			emit(&unit, "time %#" PRIx64 "/28", rec->ticks & 0xfffffff);
		}
		if (!trace_insn(&unit, opcode_at(program, pc), pc, next) || !next)
			continue;
		rec->ticks += TICKS_A_CALL;
		if (++calls % CALLS == 0) {
			end_fragment(rec, &unit);
			rec->on ^= 1;
			start_unit(&unit, rec);
		}
		emit_start(&unit, next, rec->ticks);
	}
	flush(&unit);
	end_fragment(rec, &unit);
}

static void begin(struct recorder *rec, int fd, const struct program *program, const char *name)
{
	struct perf_write_who who = { .time = 999990000, .pid = TID, .tid = TID };
	struct perf_mmap map = {
		.addr = program->text.p_vaddr & ~0xfffull, .len = 0x1000, .name = name,
		.pgoff = program->text.p_offset & ~0xfffull, .prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE, .build_id = program->build_id, .n_build_id = 20,
	};
	struct perf_build_id build_id = { .name = name, .id = program->build_id, .size = 20,
					  .pid = -1 };
	struct perf_write_setup setup = {
		.version = 1, .exclude_kernel = true, .cpu = rec->cpu, .n_cpu = 2,
		.release = "6.1.0", .time_conv = { .mult = TICK_NS, .mask = UINT64_MAX,
			.zero = 1000000000 - TICKS_START * TICK_NS },
	};

	for (int i = 0; i < 2; i++)
		rec->cpu[i] = (struct perf_cs_cpu){
			.cpu = i, .id = 0x10 + 2 * i,
			.protocol = CSF_PROTOCOL_ETM4, .authstatus = 0x8c,
			.config = {
				.size = sizeof(struct csf_config), .trcconfigr = 0x1840,
				.trcidr0 = 0x28000ea1, .trcidr1 = 0x4100f422, .trcidr2 = 0x20001088,
			},
		};
	if (perf_write_new(&rec->writer, fd, &setup))
		die("perf_write_new");
	perf_write_comm(rec->writer, &who, strrchr(name, '/') + 1, true);
	perf_write_mmap(rec->writer, &who, &map);
	perf_write_itrace_start(rec->writer, &who);
	perf_write_build_id(rec->writer, &build_id);
}

/* ---------------------------------------------------------------- input */

static void read_elf(struct program *program, const char *path)
{
	int fd = open(path, O_RDONLY);
	const Elf64_Ehdr *header;
	const Elf64_Phdr *segment;
	off_t n;

	if (fd < 0)
		die(path);
	n = lseek(fd, 0, SEEK_END);
	program->elf = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (program->elf == MAP_FAILED)
		die(path);
	header = (const Elf64_Ehdr *)program->elf;
	segment = (const Elf64_Phdr *)(program->elf + header->e_phoff);
	for (int i = 0; i < header->e_phnum; i++) {
		if (segment[i].p_type == PT_LOAD && segment[i].p_flags & PF_X)
			program->text = segment[i];
		if (segment[i].p_type == PT_NOTE)	/* of 12 bytes, "GNU", and the id */
			program->build_id = program->elf + segment[i].p_offset + 16;
	}
	if (!program->text.p_filesz || !program->build_id)
		die(path);
	close(fd);
}

/* Trace 0: HOST [CS_BASE/PC/FLAGS/CFLAGS] SYMBOL */
static void read_log(struct program *program, const char *path)
{
	FILE *log = fopen(path, "r");
	char line[512];
	uint64_t pc;

	if (!log)
		die(path);
	while (fgets(line, sizeof(line), log)) {
		if (sscanf(line, "Trace %*d: %*s [%*x/%" SCNx64, &pc) != 1)
			continue;
		if (!(program->n & (program->n - 1)))
			program->pc = realloc(program->pc, (2 * program->n + 1) * sizeof(pc));
		if (!program->pc)
			die(path);
		program->pc[program->n++] = pc;
	}
	fclose(log);
	if (!program->n)
		die(path);
}

int main(int argc, char **argv)
{
	struct perf_task task = { .pid = TID, .tid = TID, .ppid = 1, .ptid = 1 };
	struct perf_write_who who = { .pid = TID, .tid = TID };
	struct recorder rec = { .ticks = TICKS_START };
	struct program program = { 0 };
	char name[256];
	int fd;

	if (argc != 4) {
		fprintf(stderr, "usage: mkrec LOG PROGRAM FILE\n");
		return 2;
	}
	read_log(&program, argv[1]);
	read_elf(&program, argv[2]);
	snprintf(name, sizeof(name), "/%s", basename(argv[2]));
	fd = open(argv[3], O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0)
		die(argv[3]);
	begin(&rec, fd, &program, name);
	trace(&rec, &program);
	who.time = now(&rec) + 1000;
	who.cpu = rec.on;
	perf_write_exit(rec.writer, &who, &task);
	errno = 0;
	if (perf_write_finish(rec.writer))
		die(argv[3]);
	printf("%s: %zu instructions, %" PRIu64 " bytes of trace\n", argv[3], program.n,
	       rec.head[0] + rec.head[1]);
	free(program.pc);
	close(fd);
	return 0;
}
