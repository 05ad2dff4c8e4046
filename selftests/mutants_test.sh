#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The mutants of `make mutants` still fit the source, and the document has them all.
exec "$(dirname "$0")/mutants.pl" apply
