#include "base/dimension.h"

#include <stddef.h>

static const gb_unit byte_units[] = {
    {"B", 1, true},
    {"KiB", 1ull << 10, true},
    {"MiB", 1ull << 20, true},
    {"GiB", 1ull << 30, true},
    {"TiB", 1ull << 40, true},
    {"kB", 1000, false},
    {"MB", 1000000, false},
    {"GB", 1000000000, false},
    {"TB", 1000000000000, false},
    {NULL, 0, false},
};
const gb_dimension gb_bytes_dimension = {
    "a size", "bytes",   "B", "B, KiB, MiB, GiB, TiB (1024) or kB, MB, GB, TB (1000)",
    "64MiB",  byte_units};

static const gb_unit time_units[] = {
    {"ns", 1, true},
    {"us", 1000, true},
    {"\xC2\xB5s", 1000, false}, /* micro sign */
    {"\xCE\xBCs", 1000, false}, /* Greek mu, which looks the same */
    {"ms", 1000000, true},
    {"s", 1000000000, true},
    {"m", 60000000000, false},
    {"h", 3600000000000, false},
    {NULL, 0, false},
};
const gb_dimension gb_time_dimension = {"a duration", "nanoseconds", "ns", "ns, us, ms, s, m or h",
                                        "100ms",      time_units};

/* Rates are powers of 1000 alone: nobody means 1024 by the GB of a data sheet's GB/s. */
static const gb_unit bandwidth_units[] = {
    {"B/s", 1, true},           {"kB/s", 1000, true},          {"MB/s", 1000000, true},
    {"GB/s", 1000000000, true}, {"TB/s", 1000000000000, true}, {NULL, 0, false},
};
const gb_dimension gb_bandwidth_dimension = {"a bandwidth", "bytes a second",
                                             "B/s",         "B/s, kB/s, MB/s, GB/s or TB/s",
                                             "32GB/s",      bandwidth_units};

/* Data sheets of memories write Gbps, of links GT/s; both are one bit a second and pin. */
static const gb_unit data_rate_units[] = {
    {"Mbps", 1000000, false},   {"Mb/s", 1000000, false},    {"MT/s", 1000000, false},
    {"Gbps", 1000000000, true}, {"Gb/s", 1000000000, false}, {"GT/s", 1000000000, false},
    {NULL, 0, false},
};
const gb_dimension gb_data_rate_dimension = {
    "a data rate", "bits a second", "bps", "Mbps, Gbps, Mb/s, Gb/s, MT/s or GT/s (of one pin)",
    "14Gbps",      data_rate_units};

static const gb_unit clock_units[] = {
    {"Hz", 1, true},           {"kHz", 1000, true}, {"MHz", 1000000, true},
    {"GHz", 1000000000, true}, {NULL, 0, false},
};
const gb_dimension gb_clock_dimension = {"a clock", "hertz",    "Hz", "Hz, kHz, MHz or GHz",
                                         "1593MHz", clock_units};

/* Here alone M is a million and B a billion, as in the names of models ("7B"). */
static const gb_unit parameter_units[] = {
    {"", 1, true},           {"K", 1000, true},          {"M", 1000000, true},
    {"B", 1000000000, true}, {"T", 1000000000000, true}, {NULL, 0, false},
};
const gb_dimension gb_parameters_dimension = {"a number of parameters",
                                              "parameters",
                                              "",
                                              "K, M, B or T (thousand, million, billion, trillion)",
                                              "7B",
                                              parameter_units};
