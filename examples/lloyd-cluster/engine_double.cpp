// SPDX-License-Identifier: MIT
#include "engine_instance.hpp"

template struct program::Engine<double>;
