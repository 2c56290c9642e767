#pragma once
// Templates of loop.hpp. Filled in by io.
