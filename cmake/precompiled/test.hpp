// Precompiled for tests of what does no I/O.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "std.hpp"
