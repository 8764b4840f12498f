// How two pixels become one, as packed words: the arithmetic of core/src/combine, bit for bit. For OpenGL the source
// has the constants, numbers.glsl and then this before what includes it. For Vulkan the constants are specialization
// constants of the pipeline. Numbers are integers here, floats of less than 32 bits included, so that no driver's
// conversion has a say.
#ifdef VULKAN
layout(constant_id = 0) const uint OPERATION = 1u;
layout(constant_id = 1) const uint NUMBERS = 0u;
layout(constant_id = 2) const uint PRESENT_FIRST = 0u;
#endif

// OPERATION, as core/src/combine/operation.h has it.
const uint SUM = 1u, PROD = 2u, MIN = 3u, MAX = 4u, BAND = 5u, BOR = 6u, BXOR = 7u, OVER = 8u, OVER_STRAIGHT = 9u;
#ifdef VULKAN
#include "numbers.glsl"
#endif

/// In the order of the numbers; `sign`: that bit, or 0.
int key(uint bits, uint sign) { return (bits & sign) != 0u ? -1 - int(bits & ~sign) : int(bits); }

uint chosen_float(uint a, uint b, uint infinity, uint sign, uint quiet) {
    bool a_is_none = (a & ~sign) > infinity, b_is_none = (b & ~sign) > infinity;
    if (a_is_none)
        return b_is_none ? quiet : b;
    if (b_is_none)
        return a;
    return (OPERATION == MIN) == (key(a, sign) < key(b, sign)) ? a : b;
}

uint small_float(uint a, uint b, uint mantissa, uint sign) {
    if (OPERATION == MIN || OPERATION == MAX)
        return chosen_float(a, b, 31u << mantissa, sign, 63u << (mantissa - 1u));
    precise float x = decode_float(a, mantissa, sign), y = decode_float(b, mantissa, sign);
    precise float result = OPERATION == SUM ? x + y : x * y;
    return encode_float(result, mantissa, sign);
}

uint large_float(uint a, uint b) {
    if (OPERATION == MIN || OPERATION == MAX)
        return chosen_float(a, b, 0x7f800000u, 0x80000000u, 0x7fc00000u);
    precise float x = uintBitsToFloat(a), y = uintBitsToFloat(b);
    precise float result = OPERATION == SUM ? x + y : x * y;
    return bits_of(result);
}

// ---- one number of so many bits

uint unorm(uint a, uint b, uint one) {
    if (OPERATION == SUM)
        return min(a + b, one);
    if (OPERATION == PROD)
        return (a * b + one / 2u) / one;
    return OPERATION == MIN ? min(a, b) : max(a, b);
}

uint snorm(uint a, uint b, int bits) {
    int one = (1 << (bits - 1)) - 1;
    int x = max(bitfieldExtract(int(a), 0, bits), -one), y = max(bitfieldExtract(int(b), 0, bits), -one), result;
    if (OPERATION == SUM) {
        result = clamp(x + y, -one, one);
    } else if (OPERATION == PROD) {
        int product = abs(x * y); // the division of negative numbers is not to be relied upon
        result = (product + one / 2) / one;
        result = (x < 0) != (y < 0) ? -result : result;
    } else {
        result = OPERATION == MIN ? min(x, y) : max(x, y);
    }
    return uint(result);
}

uint integer(uint a, uint b, int bits, bool is_signed) {
    if (OPERATION == SUM)
        return a + b;
    if (OPERATION == PROD)
        return a * b;
    bool less = is_signed ? bitfieldExtract(int(a), 0, bits) < bitfieldExtract(int(b), 0, bits) : a < b;
    return (OPERATION == MIN) == less ? a : b;
}

uint number(uint a, uint b, int bits) {
    uint one = bits == 32 ? 0xffffffffu : (1u << bits) - 1u;
    switch (NUMBERS) {
    case UNORM8:
    case UNORM16:
    case UNORM10:
        return unorm(a, b, one);
    case SNORM8:
    case SNORM16:
        return snorm(a, b, bits);
    case SINT8:
    case SINT16:
    case SINT32:
        return integer(a, b, bits, true);
    case FLOAT16:
        return small_float(a, b, 10u, 0x8000u);
    case FLOAT11:
        return small_float(a, b, bits == 11 ? 6u : 5u, 0u);
    case FLOAT32:
        return large_float(a, b);
    default:
        return integer(a, b, bits, false);
    }
}

uint field(uint a, uint b, int at, int bits) {
    return number(bitfieldExtract(a, at, bits), bitfieldExtract(b, at, bits), bits);
}

/// All numbers of a word.
uint combine_word(uint a, uint b) {
    if (OPERATION >= BAND && OPERATION <= BXOR)
        return OPERATION == BAND ? a & b : OPERATION == BOR ? a | b : a ^ b;
    uint all = 0u;
    if (NUMBERS == UINT32 || NUMBERS == SINT32 || NUMBERS == FLOAT32)
        return number(a, b, 32);
    if (NUMBERS == UNORM10 || NUMBERS == UINT10) {
        for (int at = 0; at < 40; at += 10)
            all = bitfieldInsert(all, field(a, b, at, at < 30 ? 10 : 2), at, at < 30 ? 10 : 2);
        return all;
    }
    if (NUMBERS == FLOAT11)
        return field(a, b, 0, 11) | field(a, b, 11, 11) << 11 | field(a, b, 22, 10) << 22;
    bool bytes = NUMBERS == UNORM8 || NUMBERS == SNORM8 || NUMBERS == UINT8 || NUMBERS == SINT8;
    int bits = bytes ? 8 : 16;
    for (int at = 0; at < 32; at += bits)
        all = bitfieldInsert(all, field(a, b, at, bits), at, bits);
    return all;
}

// ---- one pixel over another: three colours and alpha

uvec4 channels(uvec4 words) {
    if (NUMBERS == UNORM8)
        return words.xxxx >> uvec4(0u, 8u, 16u, 24u) & 255u;
    if (NUMBERS == UNORM10)
        return words.xxxx >> uvec4(0u, 10u, 20u, 30u) & uvec4(1023u, 1023u, 1023u, 3u);
    if (NUMBERS == FLOAT32)
        return words;
    return words.xxyy >> uvec4(0u, 16u, 0u, 16u) & 0xffffu;
}

uvec4 joined(uvec4 c) {
    if (NUMBERS == UNORM8)
        return uvec4(c.x | c.y << 8 | c.z << 16 | c.w << 24, 0u, 0u, 0u);
    if (NUMBERS == UNORM10)
        return uvec4(c.x | c.y << 10 | c.z << 20 | c.w << 30, 0u, 0u, 0u);
    if (NUMBERS == FLOAT32)
        return c;
    return uvec4(c.x | c.y << 16, c.z | c.w << 16, 0u, 0u);
}

uvec4 over_integers(uvec4 first, uvec4 second) {
    uint most = NUMBERS == UNORM8 ? 255u : NUMBERS == UNORM10 ? 1023u : 65535u;
    uint opaque = NUMBERS == UNORM10 ? 3u : most, rest = opaque - first.w;
    if (OPERATION == OVER)
        return min(uvec4(uvec3(most), opaque), first + (second * rest + opaque / 2u) / opaque);
    uint one = first.w * opaque, two = second.w * rest, all = one + two, divisor = max(all, 1u);
    uvec3 colors = (2u * (first.xyz * one + second.xyz * two) + divisor) / (2u * divisor);
    return uvec4(all == 0u ? uvec3(0u) : colors, (all + opaque / 2u) / opaque);
}

vec4 numbers_of(uvec4 c) {
    if (NUMBERS == FLOAT32)
        return uintBitsToFloat(c);
    return vec4(decode_float(c.x, 10u, 0x8000u), decode_float(c.y, 10u, 0x8000u), decode_float(c.z, 10u, 0x8000u),
                decode_float(c.w, 10u, 0x8000u));
}

uint bits_of_float(float value) { return NUMBERS == FLOAT32 ? bits_of(value) : encode_float(value, 10u, 0x8000u); }

uvec4 over_floats(uvec4 one, uvec4 two) {
    precise vec4 first = numbers_of(one), second = numbers_of(two), result;
    precise float rest = 1.0 - first.w;
    precise vec4 share = second * rest;
    result = first + share;
    if (OPERATION == OVER_STRAIGHT) {
        precise vec3 above = first.xyz * first.w, below = second.xyz * share.w;
        precise vec3 sum = above + below;
        precise vec3 mean = sum / result.w;
        result.xyz = result.w == 0.0 ? vec3(0.0) : mean;
    }
    return uvec4(bits_of_float(result.x), bits_of_float(result.y), bits_of_float(result.z), bits_of_float(result.w));
}

/// The words of one pixel, by BYTES; or, except for OVER, of any numbers.
uvec4 combine(uvec4 present, uvec4 incoming) {
    if (OPERATION == OVER || OPERATION == OVER_STRAIGHT) {
        uvec4 here = channels(present), there = channels(incoming);
        uvec4 first = PRESENT_FIRST != 0u ? here : there, second = PRESENT_FIRST != 0u ? there : here;
        return joined(NUMBERS == FLOAT16 || NUMBERS == FLOAT32 ? over_floats(first, second)
                                                               : over_integers(first, second));
    }
    uvec4 result = uvec4(combine_word(present.x, incoming.x), 0u, 0u, 0u);
#if BYTES > 4
    result.y = combine_word(present.y, incoming.y);
#endif
#if BYTES > 8
    result.z = combine_word(present.z, incoming.z);
    result.w = combine_word(present.w, incoming.w);
#endif
    return result;
}
