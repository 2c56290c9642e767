#!/usr/bin/env bash
# The check of docs/requirements.md has to fail for a test that is not there, for one elsewhere and for a missing row.
. "$(dirname "$0")/refusals.sh"
root=$1 page=docs/requirements.md check=requirements_are_proved.py
expect_refused 's/`Message.CarriesErrorDataAsItCame`/`Message.WasNeverWritten`/' "there is no test Message.WasNeverWritten"
expect_refused 's|(mcp/protocol/message_test.cpp)|(mcp/protocol/codec_test.cpp)|' "is not a test of mcp/protocol/codec_test.cpp"
expect_refused '/^| S4-08 /d' "S4-08 is missing"
expect_refused 's/^| S4-13 .*/| S4-13 | empty | no test yet |/' "a row without a test"
