// Kinds of numbers, and floats as bits.

// NUMBERS, as core/src/combine/for_shader.h has it.
const uint UNORM8 = 0u, UNORM16 = 1u, SNORM8 = 2u, SNORM16 = 3u, UINT8 = 4u, UINT16 = 5u, UINT32 = 6u, SINT8 = 7u,
           SINT16 = 8u, SINT32 = 9u, FLOAT16 = 10u, FLOAT32 = 11u, UNORM10 = 12u, UINT10 = 13u, FLOAT11 = 14u,
           UNORM8_BGR = 15u; // only for users' operations: they have to know which channel is which

// ---- floats; `mantissa`: its bits, of numbers with five bits of exponent

float decode_float(uint bits, uint mantissa, uint sign) {
    uint plain = bits & ~sign, exponent = plain >> mantissa, shift = 23u - mantissa;
    precise float number = uintBitsToFloat((plain << shift) + (exponent == 31u ? 224u << 23 : 112u << 23));
    if (exponent == 0u) // a power of two: exact
        number = float(plain) * uintBitsToFloat((113u - mantissa) << 23);
    return (bits & sign) != 0u ? -number : number;
}

uint encode_float(float value, uint mantissa, uint sign) {
    uint all = floatBitsToUint(value), plain = all & 0x7fffffffu, infinity = 31u << mantissa, shift = 23u - mantissa;
    if (plain > 0x7f800000u)
        return infinity | 1u << (mantissa - 1u);
    uint result = infinity, exponent = plain >> 23;
    if (exponent < 113u) { // below the normal numbers
        uint whole = (plain & 0x7fffffu) | 0x800000u, down = min(shift + 113u - exponent, 31u);
        uint rest = whole & ((1u << down) - 1u), middle = 1u << (down - 1u);
        result = whole >> down;
        result += rest > middle || (rest == middle && (result & 1u) != 0u) ? 1u : 0u;
    } else if (exponent < 143u) {
        result = (plain - (112u << 23) + (1u << (shift - 1u)) - 1u + (plain >> shift & 1u)) >> shift;
    }
    return result | ((all >> 31) != 0u ? sign : 0u);
}

uint bits_of(float value) {
    uint bits = floatBitsToUint(value);
    return (bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits;
}
