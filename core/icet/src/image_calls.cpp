// The calls on images. They work without a context, except their errors' lines.
#include "context.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace icet;

namespace {

Image *image_of(IceTImage image) { return static_cast<Image *>(image.opaque_internals); }

/// From now on the program may write there.
template <class Type> Type *lend(IceTImage image, Type *pixels) {
    if (pixels)
        image_of(image)->lent = true;
    return pixels;
}

template <class Type> Type *color_of(const char *call, IceTImage image, bool fits, const char *expected) {
    if (fits)
        return reinterpret_cast<Type *>(image_of(image)->color.get());
    icetInternalRaise(call, ICET_INVALID_OPERATION, expected);
    return nullptr;
}

IceTUByte *bytes_of(const char *call, IceTImage image) {
    return color_of<IceTUByte>(call, image, icetImageGetColorFormat(image) == ICET_IMAGE_COLOR_RGBA_UBYTE,
                               "image: expected one with colours of 8 bits");
}

IceTFloat *floats_of(const char *call, IceTImage image) {
    const IceTEnum format = icetImageGetColorFormat(image);
    return color_of<IceTFloat>(call, image,
                               format == ICET_IMAGE_COLOR_RGBA_FLOAT || format == ICET_IMAGE_COLOR_RGB_FLOAT,
                               "image: expected one with colours of floats");
}

IceTFloat *depths_of(const char *call, IceTImage image) {
    if (icetImageGetDepthFormat(image) == ICET_IMAGE_DEPTH_FLOAT)
        return reinterpret_cast<IceTFloat *>(image_of(image)->depth.get());
    icetInternalRaise(call, ICET_INVALID_OPERATION, "image: expected one with depth");
    return nullptr;
}

float to_float(float value) { return value; }
float to_float(IceTUByte value) { return static_cast<float>(value) / 255; }
void from_float(float value, float &to) { to = value; }
void from_float(float value, IceTUByte &to) {
    to = static_cast<IceTUByte>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255));
}

template <class From, class To>
void convert(const std::byte *from, int from_channels, To *to, int to_channels, std::size_t pixels) {
    const auto *values = reinterpret_cast<const From *>(from);
    for (std::size_t i = 0; i < pixels; ++i, values += from_channels, to += to_channels)
        for (int channel = 0; channel < to_channels; ++channel)
            from_float(channel < from_channels ? to_float(values[channel]) : 1.0f, to[channel]);
}

template <class To> void copy_color(const char *call, IceTImage handle, To *to, IceTEnum format, bool fits) {
    const Image *const image = image_of(handle);
    if (!image || image->formats.color == ICET_IMAGE_COLOR_NONE)
        return icetInternalRaise(call, ICET_INVALID_OPERATION, "image: expected one with colours");
    if (!fits)
        return icetInternalRaise(call, ICET_INVALID_ENUM, "color_format: not of the type of color_buffer");
    if (!to)
        return icetInternalRaise(call, ICET_INVALID_VALUE, "color_buffer: null, expected room for the pixels");
    const auto pixels = static_cast<std::size_t>(icetImageGetNumPixels(handle));
    if (image->formats.color == format)
        std::memcpy(to, image->color.get(), pixels * static_cast<std::size_t>(color_bytes(format)));
    else if (image->formats.color == ICET_IMAGE_COLOR_RGBA_UBYTE)
        convert<IceTUByte>(image->color.get(), 4, to, channels(format), pixels);
    else
        convert<IceTFloat>(image->color.get(), channels(image->formats.color), to, channels(format), pixels);
}

} // namespace

IceTImage icetImageNull(void) { return {nullptr}; }
IceTBoolean icetImageIsNull(const IceTImage image) { return image.opaque_internals == nullptr; }

IceTEnum icetImageGetColorFormat(const IceTImage image) {
    return image_of(image) ? image_of(image)->formats.color : IceTEnum{ICET_IMAGE_COLOR_NONE};
}
IceTEnum icetImageGetDepthFormat(const IceTImage image) {
    return image_of(image) ? image_of(image)->formats.depth : IceTEnum{ICET_IMAGE_DEPTH_NONE};
}
IceTSizeType icetImageGetWidth(const IceTImage image) { return image_of(image) ? image_of(image)->width : 0; }
IceTSizeType icetImageGetHeight(const IceTImage image) { return image_of(image) ? image_of(image)->height : 0; }
IceTSizeType icetImageGetNumPixels(const IceTImage image) {
    return icetImageGetWidth(image) * icetImageGetHeight(image);
}

IceTUByte *icetImageGetColorub(IceTImage image) { return lend(image, bytes_of("icetImageGetColorub", image)); }
IceTUInt *icetImageGetColorui(IceTImage image) {
    return lend(image, reinterpret_cast<IceTUInt *>(bytes_of("icetImageGetColorui", image)));
}
IceTFloat *icetImageGetColorf(IceTImage image) { return lend(image, floats_of("icetImageGetColorf", image)); }
IceTFloat *icetImageGetDepthf(IceTImage image) { return lend(image, depths_of("icetImageGetDepthf", image)); }
const IceTUByte *icetImageGetColorcub(const IceTImage image) { return bytes_of("icetImageGetColorcub", image); }
const IceTUInt *icetImageGetColorcui(const IceTImage image) {
    return reinterpret_cast<const IceTUInt *>(bytes_of("icetImageGetColorcui", image));
}
const IceTFloat *icetImageGetColorcf(const IceTImage image) { return floats_of("icetImageGetColorcf", image); }
const IceTFloat *icetImageGetDepthcf(const IceTImage image) { return depths_of("icetImageGetDepthcf", image); }

void icetImageCopyColorub(const IceTImage image, IceTUByte *color_buffer, IceTEnum color_format) {
    copy_color("icetImageCopyColorub", image, color_buffer, color_format, color_format == ICET_IMAGE_COLOR_RGBA_UBYTE);
}

void icetImageCopyColorf(const IceTImage image, IceTFloat *color_buffer, IceTEnum color_format) {
    copy_color("icetImageCopyColorf", image, color_buffer, color_format,
               color_format == ICET_IMAGE_COLOR_RGBA_FLOAT || color_format == ICET_IMAGE_COLOR_RGB_FLOAT);
}

void icetImageCopyDepthf(const IceTImage image, IceTFloat *depth_buffer, IceTEnum depth_format) {
    const char *const call = "icetImageCopyDepthf";
    const IceTFloat *const depths = depths_of(call, image);
    if (!depths)
        return;
    if (depth_format != ICET_IMAGE_DEPTH_FLOAT)
        return icetInternalRaise(call, ICET_INVALID_ENUM, "depth_format: expected ICET_IMAGE_DEPTH_FLOAT");
    if (!depth_buffer)
        return icetInternalRaise(call, ICET_INVALID_VALUE, "depth_buffer: null, expected room for the pixels");
    std::memcpy(depth_buffer, depths, static_cast<std::size_t>(icetImageGetNumPixels(image)) * sizeof(IceTFloat));
}
