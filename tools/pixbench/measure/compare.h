// Whether the pixels that came are those that were sent.
#pragma once

#include "measure/job.h"
#include "object/object.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

std::vector<std::byte> pixels_of(Object &object);
/// Fills the object with test_pixels().
void put_test_pixels(Object &object, std::uint32_t seed);
std::uint64_t digest(Object &object);
/// Of every rank's object. Collective.
std::vector<std::uint64_t> digests(Object &object, const Team &team);
/// Which pixels of `got` are others than were sent: how many, from where to where.
std::string difference(Object &got, std::span<const std::byte> sent);
