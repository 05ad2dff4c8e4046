// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/options.h"
#include "snapshot-device.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *name;
	uint32_t bits;
} spaces[] = {
	{ "EL1S", SPACE_EL1S }, { "EL1N", SPACE_EL1N }, { "EL2", SPACE_EL2N },
	{ "EL2N", SPACE_EL2N }, { "H", SPACE_EL2N }, { "EL3", SPACE_EL3 },
	{ "EL2S", SPACE_EL2S }, { "EL1R", SPACE_EL1R }, { "EL2R", SPACE_EL2R },
	{ "ROOT", SPACE_ROOT }, { "ANY", SPACE_ANY },
	{ "S", SPACE_EL1S | SPACE_EL2S | SPACE_EL3 }, { "N", SPACE_EL1N | SPACE_EL2N },
	{ "R", SPACE_EL1R | SPACE_EL2R },
	{ "P", SPACE_EL1N }, { "NP", SPACE_EL1N }, { "SP", SPACE_EL1S },
};

/* Text before the first '.' or digit decides; the version after it does not. */
static const struct {
	const char *start;
	enum csf_protocol protocol;
} protocols[] = {
	{ "ETM4", CSF_PROTOCOL_ETM4 }, { "ETE", CSF_PROTOCOL_ETE }, { "ETM3", CSF_PROTOCOL_ETM3 },
	{ "PTM", CSF_PROTOCOL_PTM }, { "PFT", CSF_PROTOCOL_PTM }, { "ITM", CSF_PROTOCOL_ITM },
	{ "STM", CSF_PROTOCOL_STM }, { "MTB", CSF_PROTOCOL_MTB },
};

/* Without "-R" or "-M" after an architecture, the beginning of the name tells the profile. */
static const struct {
	const char *start;
	enum csf_profile profile;
} cores[] = {
	{ "Cortex-M", CSF_PROFILE_M }, { "STAR-MC", CSF_PROFILE_M }, { "SC000", CSF_PROFILE_M },
	{ "SC300", CSF_PROFILE_M }, { "Cortex-R", CSF_PROFILE_R }, { "Cortex-A", CSF_PROFILE_A },
	{ "Cortex-X", CSF_PROFILE_A }, { "Neoverse", CSF_PROFILE_A }, { "ARMv7-A", CSF_PROFILE_A },
	{ "ARMv8", CSF_PROFILE_A }, { "ARMv9", CSF_PROFILE_A }, { "ARM-AA64", CSF_PROFILE_A },
	{ "C1-", CSF_PROFILE_A },
};

uint32_t snapshot_space(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(spaces); i++)
		if (ini_same(spaces[i].name, name))
			return spaces[i].bits;
	return 0;
}

static enum csf_protocol protocol_of(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++)
		if (ini_begins(type, protocols[i].start))
			return protocols[i].protocol;
	return CSF_PROTOCOL_TOLD;
}

/* Is it an architecture of this profile: "ARMv8-M", "ARMv8.1-M.main"? */
static bool has_suffix(const char *type, const char *suffix)
{
	for (; *type; type++)
		if (ini_begins(type, suffix) && (!type[2] || type[2] == '.'))
			return true;
	return false;
}

bool snapshot_profile(const char *type, enum csf_profile *profile)
{
	*profile = has_suffix(type, "-M") ? CSF_PROFILE_M :
		   has_suffix(type, "-R") ? CSF_PROFILE_R : CSF_PROFILE_A;
	if (*profile != CSF_PROFILE_A)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(cores); i++) {
		if (!ini_begins(type, cores[i].start))
			continue;
		*profile = cores[i].profile;
		return true;
	}
	return false;
}

void *snapshot_grow(void *array, size_t n, size_t size)
{
	char *grown = array;

	if (!(n & (n - 1)))
		grown = realloc(array, (n ? 2 * n : 1) * size);
	if (grown)
		memset(grown + n * size, 0, size);
	return grown;
}

bool snapshot_number(struct problems *problems, const char *file, const struct ini_entry *entry,
		     uint64_t *number)
{
	char digits[40];
	size_t n = 0;

	for (const char *c = entry->value; *c && n < sizeof(digits) - 1; c++)
		if (*c != '_' && *c != ' ' && *c != '\t')
			digits[n++] = *c;
	digits[n] = '\0';
	if (!options_number(digits, number)) {
		problems_warn(problems, file, entry->line, "%s: '%s' is not a 64-bit number",
			      entry->key, entry->value);
		return false;
	}
	if (digits[0] == '0' && isdigit((unsigned char)digits[1]))
		problems_warn(problems, file, entry->line,
			      "%s: '%s' is taken for decimal, not octal", entry->key, entry->value);
	return true;
}

/* The brackets after a name: size:BITS, id:NUMBER, or the number alone. */
static void reg_info(struct snapshot *s, const struct snapshot_device *d, struct snapshot_reg *reg,
		     const struct ini_entry *entry)
{
	char *info = strchr(reg->name, '(');
	char *save = NULL;

	if (!info)
		return;
	*info++ = '\0';
	info[strcspn(info, ")")] = '\0';
	for (char *word = strtok_r(info, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		bool size = ini_begins(word += strspn(word, " \t"), "size:");
		uint64_t number;

		word += size ? 5 : ini_begins(word, "id:") ? 3 : 0;
		if (!options_number(word, &number) || number > UINT32_MAX)
			problems_warn(&s->problems, d->ini, entry->line,
				      "'%s' is neither size nor id of a register", word);
		else if (size)
			reg->bits = number;
		else
			reg->id = number;
	}
	for (size_t n = strlen(reg->name); n && isspace((unsigned char)reg->name[n - 1]); n--)
		reg->name[n - 1] = '\0';
}

static int add_reg(struct snapshot *s, struct snapshot_device *d, const struct ini_entry *entry)
{
	struct snapshot_reg *reg = snapshot_grow(d->reg, d->n_reg, sizeof(*reg));

	if (!reg)
		return -ENOMEM;
	d->reg = reg;
	reg = &d->reg[d->n_reg];
	reg->name = strdup(entry->key);
	if (!reg->name)
		return -ENOMEM;
	d->n_reg++;
	reg->bits = 32;
	reg->id = -1;
	reg_info(s, d, reg, entry);
	if (reg->bits <= 64)
		reg->known = snapshot_number(&s->problems, d->ini, entry, &reg->value);
	return 0;
}

static void dump_numbers(struct snapshot *s, const struct snapshot_device *d,
			 struct snapshot_dump *dump, const struct ini_section *section)
{
	const struct ini_entry *entry;

	dump->length = UINT64_MAX;
	entry = ini_entry(section, "length");
	if (entry)
		snapshot_number(&s->problems, d->ini, entry, &dump->length);
	entry = ini_entry(section, "offset");
	if (entry)
		snapshot_number(&s->problems, d->ini, entry, &dump->offset);
	dump->space = SPACE_ANY;
	entry = ini_entry(section, "space");
	if (!entry)
		return;
	dump->space = snapshot_space(entry->value);
	if (dump->space)
		return;
	problems_warn(&s->problems, d->ini, entry->line, "there is no memory space '%s', taken for ANY",
		      entry->value);
	dump->space = SPACE_ANY;
}

static int add_dump(struct snapshot *s, struct snapshot_device *d,
		    const struct ini_section *section)
{
	const struct ini_entry *file = ini_entry(section, "file");
	const struct ini_entry *address = ini_entry(section, "address");
	struct snapshot_dump *dump;
	uint64_t start;

	if (!file || !address) {
		problems_warn(&s->problems, d->ini, section->line, "[%s] has no %s", section->name,
			      file ? "address" : "file");
		return 0;
	}
	if (!snapshot_number(&s->problems, d->ini, address, &start))
		return 0;
	dump = snapshot_grow(d->dump, d->n_dump, sizeof(*dump));
	if (!dump)
		return -ENOMEM;
	d->dump = dump;
	dump = &d->dump[d->n_dump];
	dump->path = snapshot_path(s, file->value);
	if (!dump->path)
		return -ENOMEM;
	d->n_dump++;
	if (!*dump->path)
		problems_warn(&s->problems, d->ini, file->line,
			      "'%s' leads out of the folder", file->value);
	dump->ini = d->ini;
	dump->line = section->line;
	dump->address = start;
	dump_numbers(s, d, dump, section);
	return 0;
}

static char *copy(const struct ini_entry *entry)
{
	return strdup(entry ? entry->value : "");
}

static const char *const classes[] = {
	[CLASS_OTHER] = "nothing that is used here", [CLASS_CORE] = "core",
	[CLASS_SOURCE] = "trace_source", [CLASS_MEMORY] = "memory_space",
};

/* Finds it by TRCDEVARCH, or by a register of one protocol only; else CSF_PROTOCOL_TOLD. */
static enum csf_protocol protocol_by_registers(const struct snapshot_device *d)
{
	const uint64_t arch = snapshot_reg(d, "TRCDEVARCH", 0) & 0xffff;

	if (arch == 0x5a13)
		return CSF_PROTOCOL_ETE;
	if (arch == 0x4a13 || snapshot_reg(d, "TRCIDR1", 0))
		return CSF_PROTOCOL_ETM4;
	if (snapshot_has_reg(d, "POSITION") && snapshot_has_reg(d, "MASTER"))
		return CSF_PROTOCOL_MTB;
	return CSF_PROTOCOL_TOLD;
}

/*
 * Guesses the class of a device by its type, its registers and the rest of its file.  Devices of
 * other classes, @given, may have registers, too.
 */
static enum snapshot_class guess_class(const struct snapshot_device *d, bool given)
{
	enum csf_profile profile;

	if (protocol_of(d->type) || protocol_by_registers(d))
		return CLASS_SOURCE;
	if (given)
		return CLASS_OTHER;
	if ((*d->type && snapshot_profile(d->type, &profile)) || d->n_reg)
		return CLASS_CORE;
	return d->n_dump ? CLASS_MEMORY : CLASS_OTHER;
}

static void find_class(struct snapshot *s, struct snapshot_device *d, const struct ini *ini)
{
	const struct ini_section *section = ini_section(ini, "device");
	const struct ini_entry *class = ini_entry(section, "class");
	const unsigned int line = class ? class->line : section ? section->line : 0;

	for (size_t i = CLASS_CORE; class && i < ARRAY_SIZE(classes); i++)
		if (ini_same(class->value, classes[i]))
			d->class = i;
	if (!class && ini_section(ini, "global"))
		d->class = CLASS_CORE;
	if (d->class != CLASS_OTHER)
		return;
	d->class = guess_class(d, class);
	if (class && d->class == CLASS_OTHER)
		return;
	if (class)
		problems_warn(&s->problems, ini->name, line,
			      "class '%s' is none of core, trace_source, memory_space; taken for %s by its type and registers",
			      class->value, classes[d->class]);
	else
		problems_warn(&s->problems, ini->name, line,
			      "the device has no class=; taken for %s by its type and registers",
			      classes[d->class]);
}

static void find_protocol(struct snapshot *s, struct snapshot_device *d, const struct ini *ini)
{
	static const char *const taken[] = {
		[CSF_PROTOCOL_TOLD] = ": want ETM4, ETE, ETM3, PTM, MTB, ITM or STM",
		[CSF_PROTOCOL_ETE] = ", taken for ETE by its registers",
		[CSF_PROTOCOL_ETM4] = ", taken for ETM4 by its registers",
		[CSF_PROTOCOL_MTB] = ", taken for MTB by its registers",
	};
	const struct ini_section *section = ini_section(ini, "device");

	d->protocol = protocol_of(d->type);
	if (d->protocol != CSF_PROTOCOL_TOLD)
		return;
	d->protocol = protocol_by_registers(d);
	problems_warn(&s->problems, ini->name, section ? section->line : 0,
		      "trace source of unknown type '%s'%s", d->type, taken[d->protocol]);
}

static void check_core(struct snapshot *s, const struct snapshot_device *d, const struct ini *ini)
{
	const struct ini_entry *type = ini_entry(ini_section(ini, "device"), "type");
	enum csf_profile profile;

	if (type && !snapshot_profile(d->type, &profile))
		problems_warn(&s->problems, ini->name, type->line,
			      "core type '%s' is not known: taken for A profile", d->type);
}

static int read_device(struct snapshot *s, struct snapshot_device *d, const struct ini *ini)
{
	const struct ini_section *section = ini_section(ini, "device");
	const struct ini_section *global = ini_section(ini, "global");
	const struct ini_entry *name = ini_entry(section, "name");
	const char *slash = strrchr(ini->name, '/');

	if (!name)
		name = ini_entry(global, "core");
	if (name && !*name->value)
		name = NULL;
	d->ini = strdup(ini->name);
	d->name = name ? copy(name) : strdup(slash ? slash + 1 : ini->name);
	d->type = copy(ini_entry(section, "type"));
	d->location = copy(ini_entry(section, "location"));
	if (!d->ini || !d->name || !d->type || !d->location)
		return -ENOMEM;
	if (!name)
		problems_warn(&s->problems, ini->name, section ? section->line : 0,
			      "the device has no name: it gets that of its file");
	return 0;
}

int snapshot_device_add(struct snapshot *s, const struct ini *ini)
{
	static const char *const known[] = { "device", "regs", "global", NULL };
	struct snapshot_device *d = snapshot_grow(s->device, s->n_device, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	s->device = d;
	d = &s->device[s->n_device++];
	ini_warn_unknown(ini, known, "dump", &s->problems);
	err = read_device(s, d, ini);
	for (size_t i = 0; i < ini->n && !err; i++) {
		const struct ini_section *section = &ini->section[i];

		if (ini_same(section->name, "regs"))
			for (size_t j = 0; j < section->n && !err; j++)
				err = add_reg(s, d, &section->entry[j]);
		else if (ini_begins(section->name, "dump"))
			err = add_dump(s, d, section);
	}
	if (err)
		return err;
	if (*d->name && snapshot_device(s, d->name) != d)
		problems_warn(&s->problems, ini->name, 0,
			      "device '%s' is repeated: the name means the one of %s",
			      d->name, snapshot_device(s, d->name)->ini);
	find_class(s, d, ini);
	if (d->class == CLASS_SOURCE)
		find_protocol(s, d, ini);
	if (d->class == CLASS_CORE)
		check_core(s, d, ini);
	return 0;
}

void snapshot_device_free(struct snapshot_device *d)
{
	for (size_t i = 0; i < d->n_reg; i++)
		free(d->reg[i].name);
	for (size_t i = 0; i < d->n_dump; i++)
		free(d->dump[i].path);
	free(d->reg);
	free(d->dump);
	free(d->ini);
	free(d->name);
	free(d->type);
	free(d->location);
}

uint64_t snapshot_reg(const struct snapshot_device *device, const char *name, uint64_t fallback)
{
	for (size_t i = device->n_reg; i > 0; i--)
		if (device->reg[i - 1].known && ini_same(device->reg[i - 1].name, name))
			return device->reg[i - 1].value;
	return fallback;
}

bool snapshot_has_reg(const struct snapshot_device *device, const char *name)
{
	return snapshot_reg(device, name, 0) == snapshot_reg(device, name, 1);
}

/* Of an ETMv3 or a PTM. */
static void etm_config(const struct snapshot_device *source, struct csf_config *config,
		       uint8_t *id)
{
	config->protocol = source->protocol;
	config->etmcr = snapshot_reg(source, "ETMCR", 0);
	config->etmccer = snapshot_reg(source, "ETMCCER", 0);
	config->etmidr = snapshot_reg(source, "ETMIDR", 0);
	*id = snapshot_reg(source, "ETMTRACEIDR", 0) & 0x7f;
}

/* The register has several names, and the trace ID in it. */
static void itm_config(const struct snapshot_device *source, struct csf_config *config,
		       uint8_t *id)
{
	static const char *const names[] = { "CONTROL_REGISTER", "ITM_CTRL", "ITM_TCR", "ITMTCR" };

	config->protocol = CSF_PROTOCOL_ITM;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		config->itmtcr = snapshot_reg(source, names[i], config->itmtcr);
	*id = config->itmtcr >> 16 & 0x7f;
}

int snapshot_config(const struct snapshot_device *source, const struct snapshot_device *core,
		    struct csf_config *config, uint8_t *id)
{
	bool ete = source->protocol == CSF_PROTOCOL_ETE;
	bool older = source->protocol == CSF_PROTOCOL_ETM3 ||
		     source->protocol == CSF_PROTOCOL_PTM;
	enum csf_profile profile = CSF_PROFILE_A;

	if (source->protocol != CSF_PROTOCOL_ETM4 && !ete && !older &&
	    source->protocol != CSF_PROTOCOL_ITM && source->protocol != CSF_PROTOCOL_STM &&
	    source->protocol != CSF_PROTOCOL_MTB)
		return -1;
	if (core)
		snapshot_profile(core->type, &profile);
	if (source->protocol == CSF_PROTOCOL_MTB) {
		*config = (struct csf_config){
			.size = sizeof(*config), .protocol = source->protocol,
			.profile = CSF_PROFILE_M,
		};
		*id = 0;
		return 0;
	}
	if (older) {
		*config = (struct csf_config){ .size = sizeof(*config), .profile = profile };
		etm_config(source, config, id);
		return 0;
	}
	if (source->protocol == CSF_PROTOCOL_STM) {
		*config = (struct csf_config){
			.size = sizeof(*config), .protocol = source->protocol,
		};
		*id = snapshot_reg(source, "STMTCSR", 0) >> 16 & 0x7f;
		return 0;
	}
	if (source->protocol == CSF_PROTOCOL_ITM) {
		*config = (struct csf_config){ .size = sizeof(*config), .profile = profile };
		itm_config(source, config, id);
		return 0;
	}
	*config = (struct csf_config){
		.size = sizeof(*config),
		.trcidr0 = snapshot_reg(source, "TRCIDR0", 0),
		.trcidr1 = snapshot_reg(source, "TRCIDR1", 0x4100f403),
		.trcidr2 = snapshot_reg(source, "TRCIDR2", 0),
		.trcidr8 = snapshot_reg(source, "TRCIDR8", 0),
		.trcidr9 = snapshot_reg(source, "TRCIDR9", 0),
		.trcidr10 = snapshot_reg(source, "TRCIDR10", 0),
		.trcidr11 = snapshot_reg(source, "TRCIDR11", 0),
		.trcidr12 = snapshot_reg(source, "TRCIDR12", 0),
		.trcidr13 = snapshot_reg(source, "TRCIDR13", 0),
		.trcconfigr = snapshot_reg(source, "TRCCONFIGR", 0),
		.trcdevarch = ete ? snapshot_reg(source, "TRCDEVARCH", 0x47705a13) : 0,
		.profile = profile,
	};
	*id = snapshot_reg(source, "TRCTRACEIDR", 0) & 0x7f;
	return 0;
}
