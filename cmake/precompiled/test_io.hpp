// Precompiled for tests of what stands on io.
#pragma once

#include "io.hpp"
#include "test.hpp"
