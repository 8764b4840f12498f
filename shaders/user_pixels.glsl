// A user's operation on packed words, in the place of combine.glsl: takes pixels apart into a PIXEL (vec4, uvec4 or
// ivec4, red first, missing channels as 0 0 0 1), calls the user's function, and rounds and packs what that returns.
// core/src/combine/user_operation.cpp puts NUMBERS, PRESENT_FIRST, PIXEL, pixmpi_call() and numbers.glsl before this.

const bool WORD10 = NUMBERS == UNORM10 || NUMBERS == UINT10, WORD11 = NUMBERS == FLOAT11;
const bool SIGNED = NUMBERS == SNORM8 || NUMBERS == SNORM16;
const int CHANNEL_BITS =
    NUMBERS == UNORM8 || NUMBERS == UNORM8_BGR || NUMBERS == SNORM8 || NUMBERS == UINT8 || NUMBERS == SINT8 ? 8
    : NUMBERS == UINT32 || NUMBERS == SINT32 || NUMBERS == FLOAT32                                          ? 32
                                                                                                            : 16;
const int CHANNELS = WORD10 ? 4 : WORD11 ? 3 : 8 * BYTES / CHANNEL_BITS;
/// All bits of each channel.
const uvec4 MOST = WORD10 ? uvec4(1023u, 1023u, 1023u, 3u) : uvec4(0xffffffffu >> (32 - CHANNEL_BITS));

uvec4 channels_of(uvec4 packed_words) {
    if (WORD10)
        return packed_words.xxxx >> uvec4(0u, 10u, 20u, 30u) & MOST;
    if (WORD11)
        return packed_words.xxxx >> uvec4(0u, 11u, 22u, 0u) & uvec4(2047u, 2047u, 1023u, 0u);
    if (CHANNEL_BITS == 32)
        return packed_words;
    if (CHANNEL_BITS == 16)
        return packed_words.xxyy >> uvec4(0u, 16u, 0u, 16u) & MOST;
    uvec4 c = packed_words.xxxx >> uvec4(0u, 8u, 16u, 24u) & MOST;
    return NUMBERS == UNORM8_BGR ? c.zyxw : c;
}

uvec4 words_of(uvec4 c) {
    if (WORD10)
        return uvec4(c.x | c.y << 10 | c.z << 20 | c.w << 30, 0u, 0u, 0u);
    if (WORD11)
        return uvec4(c.x | c.y << 11 | c.z << 22, 0u, 0u, 0u);
    if (CHANNEL_BITS == 32)
        return c;
    if (CHANNEL_BITS == 16)
        return uvec4(c.x | c.y << 16, c.z | c.w << 16, 0u, 0u);
    c = NUMBERS == UNORM8_BGR ? c.zyxw : c;
    return uvec4(c.x | c.y << 8 | c.z << 16 | c.w << 24, 0u, 0u, 0u);
}

// ---- channels as numbers: of three overloads the one for PIXEL serves

void decode(uvec4 c, out vec4 pixel) {
    if (NUMBERS == FLOAT32)
        pixel = uintBitsToFloat(c);
    else if (NUMBERS == FLOAT16)
        pixel = vec4(decode_float(c.x, 10u, 0x8000u), decode_float(c.y, 10u, 0x8000u),
                     decode_float(c.z, 10u, 0x8000u), decode_float(c.w, 10u, 0x8000u));
    else if (WORD11)
        pixel = vec4(decode_float(c.x, 6u, 0u), decode_float(c.y, 6u, 0u), decode_float(c.z, 5u, 0u), 1.0);
    else if (SIGNED)
        pixel = max(vec4(bitfieldExtract(ivec4(c), 0, CHANNEL_BITS)) / vec4(MOST >> 1u), -1.0);
    else
        pixel = vec4(c) / vec4(MOST);
}
void decode(uvec4 c, out uvec4 pixel) { pixel = c; }
void decode(uvec4 c, out ivec4 pixel) { pixel = bitfieldExtract(ivec4(c), 0, CHANNEL_BITS); }

/// Numbers below 0 become 0, NaNs stay.
float not_negative(float value) { return value < 0.0 ? 0.0 : value; }

uvec4 encode(vec4 p) {
    if (NUMBERS == FLOAT32)
        return uvec4(bits_of(p.x), bits_of(p.y), bits_of(p.z), bits_of(p.w));
    if (NUMBERS == FLOAT16)
        return uvec4(encode_float(p.x, 10u, 0x8000u), encode_float(p.y, 10u, 0x8000u),
                     encode_float(p.z, 10u, 0x8000u), encode_float(p.w, 10u, 0x8000u));
    if (WORD11)
        return uvec4(encode_float(not_negative(p.x), 6u, 0u), encode_float(not_negative(p.y), 6u, 0u),
                     encode_float(not_negative(p.z), 5u, 0u), 0u);
    bvec4 is_none = greaterThan(floatBitsToUint(p) & 0x7fffffffu, uvec4(0x7f800000u));
    precise vec4 share = clamp(mix(p, vec4(0.0), is_none), SIGNED ? -1.0 : 0.0, 1.0);
    precise vec4 exact = abs(share) * vec4(SIGNED ? MOST >> 1u : MOST);
    precise vec4 above = exact + 0.5; // halves away from 0
    vec4 nearest = floor(above);
    return uvec4(ivec4(mix(nearest, -nearest, lessThan(share, vec4(0.0))))) & MOST;
}
uvec4 encode(uvec4 p) { return p & MOST; }
uvec4 encode(ivec4 p) { return uvec4(p) & MOST; }

// ---- pixels

PIXEL pixel_of(uvec4 packed_words) {
    PIXEL p;
    decode(channels_of(packed_words), p);
    PIXEL otherwise = PIXEL(0, 0, 0, 1);
    return PIXEL(p.x, CHANNELS > 1 ? p.y : otherwise.y, CHANNELS > 2 ? p.z : otherwise.z,
                 CHANNELS > 3 ? p.w : otherwise.w);
}

uvec4 combine_pixel(uvec4 present, uvec4 incoming) {
    PIXEL here = pixel_of(present), there = pixel_of(incoming);
    return words_of(encode(PRESENT_FIRST != 0u ? pixmpi_call(here, there) : pixmpi_call(there, here)));
}

// In words of several pixels: one with the bits from `at` on, and one in their place, as words.
uvec4 bits_from(uvec4 all, uint at) {
    for (; at > 31u; at -= 32u)
        all = uvec4(all.yzw, 0u);
    return at == 0u ? all : all >> at | uvec4(all.yzw, 0u) << (32u - at);
}
uvec4 bits_to(uvec4 all, uint at) {
    for (; at > 31u; at -= 32u)
        all = uvec4(0u, all.xyz);
    return at == 0u ? all : all << at | uvec4(0u, all.xyz) >> (32u - at);
}

/// Words of one pixel or, where pixels are no whole words, of several: pixels of 3 and 6 bytes fill three words.
uvec4 combine(uvec4 present, uvec4 incoming) {
#if BYTES == 1 || BYTES == 2
    uvec4 all = uvec4(0u);
    for (uint at = 0u; at < 32u; at += 8u * uint(BYTES))
        all.x |= (combine_pixel(present >> at, incoming >> at).x & (0xffffffffu >> (32 - 8 * BYTES))) << at;
    return all;
#elif BYTES == 3 || BYTES == 6
    uvec4 all = uvec4(0u), pixel = BYTES == 3 ? uvec4(0xffffffu, 0u, 0u, 0u) : uvec4(0xffffffffu, 0xffffu, 0u, 0u);
    for (uint at = 0u; at < 96u; at += 8u * uint(BYTES))
        all |= bits_to(combine_pixel(bits_from(present, at), bits_from(incoming, at)) & pixel, at);
    return all;
#else
    return combine_pixel(present, incoming);
#endif
}
