#!/bin/bash
# tests/structure/test_errors_doc.sh: docs/errors.md says what the lists of messages say.
exec "$(dirname "$0")/../../tools/errors" --check
