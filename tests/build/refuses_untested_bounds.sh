#!/usr/bin/env bash
# The check of docs/security.md has to fail for a test that is not there and for a bound without an end-to-end test.
. "$(dirname "$0")/refusals.sh"
root=$1 page=docs/security.md check=security_names_tests.py
expect_refused 's/`BodyBudget.*`/`BodyBudget.WasNeverWritten`/' "there is no test BodyBudget.WasNeverWritten"
expect_refused 's/^| journal | out | \(.*\) | [^|]* |$/| journal | out | \1 | none yet |/' "no test drives a running gateway past"
expect_refused 's/^| journal | out | \(.*\) | [^|]* |$/| journal | out | \1 | `WriterTest.WhatIsTooMuchIsDroppedCountedAndToldInTheJournalItself` |/' "no test drives a running gateway past"
