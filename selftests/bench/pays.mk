# SPDX-License-Identifier: GPL-2.0-only
# The files that pays.sh makes, and their sources. Newer files stay, so a run that was ended goes on
# where it was. In folder $O/pays, by pays.sh, which tells:
#	pays		itself, which has the steps
#	here		folder of the sources of json
#	csflow, unit	the command and its trace unit
#	PROGRAMS	those that are wanted

.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += -r

inputs   := same other
variants := plain use lines probes theirs bolt
ours     := $(csflow) $(unit)

numbers: $(foreach p,$(PROGRAMS),$p.row)
	@cat $^ > $@

json.plain json.probed json.generate json.use json.lines json.probes: $(here)/programs/json.c

# Without a profile, for one of lines and for BOLT; for one of probes
%.plain: unpacked $(pays)
	@$(pays) build $@ -g -fdebug-info-for-profiling -funique-internal-linkage-names
%.probed: unpacked $(pays)
	@$(pays) build $@ -g -fpseudo-probe-for-profiling -funique-internal-linkage-names

# By clang's instruments
%.generate: unpacked $(pays)
	@$(pays) build $@ -fprofile-generate
%.profdata: %.generate %.same
	@$(pays) by_instruments $*
%.use: %.profdata
	@$(pays) build $@ -fprofile-use=$<

# By csflow pgo: profiles, and the lines that it prints
%.plain.prof %.lines.how: %.plain %.same $(ours)
	@$(pays) pgo clang $*.plain $*.plain.prof $*.lines.how
%.probed.prof %.probes.how: %.probed %.same $(ours)
	@$(pays) pgo clang $*.probed $*.probed.prof $*.probes.how
%.fdata %.bolt.how: %.plain %.same $(ours)
	@$(pays) pgo bolt $*.plain $*.fdata $*.bolt.how
%.lines: %.lines.how
	@$(pays) build_as $@
%.probes: %.probes.how
	@$(pays) build_as $@
%.bolt %.bolt.stats: %.bolt.how
	@$(pays) bolt $*

# By BOLT's instruments
%.theirs.fdata: %.plain %.same
	@$(pays) by_bolt_instruments $*
%.theirs %.theirs.stats: %.theirs.fdata %.bolt.how
	@$(pays) bolt_theirs $*

# The profile of lines, as llvm-profgen makes it of the same counts
%.overlap: %.plain.prof
	@$(pays) overlap $*

# variant, input: what it takes then, and that it prints what it did before
define measure
%.$(1).$(2).taken: %.$(1) %.$(2) $(if $(filter-out plain,$(1)),%.plain.$(2).taken) $(ours)
	@$$(pays) taken $$* $(1) $(2)
endef
$(foreach i,$(inputs),$(foreach v,$(variants),$(eval $(call measure,$v,$i))))

%.row: $(foreach i,$(inputs),$(foreach v,$(variants),%.$v.$i.taken)) %.theirs.stats %.bolt.stats %.overlap
	@$(pays) row $* "$(variants)" "$(inputs)" > $@
