#include "system/x11/requests.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace mpiglut::x11 {
namespace {

enum Opcode : unsigned { change_property = 18, put_image = 72 };
constexpr unsigned add_glyphs = 20; ///< of the extension RENDER, whose number the server gives
constexpr std::size_t head_bytes = 32, max_glyph_bytes = 1u << 20;

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; }

/// By opcode, from 1.
constexpr const char *names[] = {"CreateWindow",
                                 "ChangeWindowAttributes",
                                 "GetWindowAttributes",
                                 "DestroyWindow",
                                 "DestroySubwindows",
                                 "ChangeSaveSet",
                                 "ReparentWindow",
                                 "MapWindow",
                                 "MapSubwindows",
                                 "UnmapWindow",
                                 "UnmapSubwindows",
                                 "ConfigureWindow",
                                 "CirculateWindow",
                                 "GetGeometry",
                                 "QueryTree",
                                 "InternAtom",
                                 "GetAtomName",
                                 "ChangeProperty",
                                 "DeleteProperty",
                                 "GetProperty",
                                 "ListProperties",
                                 "SetSelectionOwner",
                                 "GetSelectionOwner",
                                 "ConvertSelection",
                                 "SendEvent",
                                 "GrabPointer",
                                 "UngrabPointer",
                                 "GrabButton",
                                 "UngrabButton",
                                 "ChangeActivePointerGrab",
                                 "GrabKeyboard",
                                 "UngrabKeyboard",
                                 "GrabKey",
                                 "UngrabKey",
                                 "AllowEvents",
                                 "GrabServer",
                                 "UngrabServer",
                                 "QueryPointer",
                                 "GetMotionEvents",
                                 "TranslateCoords",
                                 "WarpPointer",
                                 "SetInputFocus",
                                 "GetInputFocus",
                                 "QueryKeymap",
                                 "OpenFont",
                                 "CloseFont",
                                 "QueryFont",
                                 "QueryTextExtents",
                                 "ListFonts",
                                 "ListFontsWithInfo",
                                 "SetFontPath",
                                 "GetFontPath",
                                 "CreatePixmap",
                                 "FreePixmap",
                                 "CreateGC",
                                 "ChangeGC",
                                 "CopyGC",
                                 "SetDashes",
                                 "SetClipRectangles",
                                 "FreeGC",
                                 "ClearArea",
                                 "CopyArea",
                                 "CopyPlane",
                                 "PolyPoint",
                                 "PolyLine",
                                 "PolySegment",
                                 "PolyRectangle",
                                 "PolyArc",
                                 "FillPoly",
                                 "PolyFillRectangle",
                                 "PolyFillArc",
                                 "PutImage",
                                 "GetImage",
                                 "PolyText8",
                                 "PolyText16",
                                 "ImageText8",
                                 "ImageText16",
                                 "CreateColormap",
                                 "FreeColormap",
                                 "CopyColormapAndFree",
                                 "InstallColormap",
                                 "UninstallColormap",
                                 "ListInstalledColormaps",
                                 "AllocColor",
                                 "AllocNamedColor",
                                 "AllocColorCells",
                                 "AllocColorPlanes",
                                 "FreeColors",
                                 "StoreColors",
                                 "StoreNamedColor",
                                 "QueryColors",
                                 "LookupColor",
                                 "CreateCursor",
                                 "CreateGlyphCursor",
                                 "FreeCursor",
                                 "RecolorCursor",
                                 "QueryBestSize",
                                 "QueryExtension",
                                 "ListExtensions"};
constexpr unsigned first_of_extensions = 128;

} // namespace

void Hash::mix(std::uint64_t word) { state_ = std::rotl(state_ ^ word, 29) * 0x9fb21c651e98df25ull; }

void Hash::add(std::span<const std::byte> bytes) {
    for (; !bytes.empty() && length_ % 8 != 0; bytes = bytes.subspan(1)) {
        carry_ |= std::to_integer<std::uint64_t>(bytes.front()) << (length_++ % 8 * 8);
        if (length_ % 8 == 0)
            mix(std::exchange(carry_, 0));
    }
    for (; bytes.size() >= 8; bytes = bytes.subspan(8), length_ += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data(), sizeof word);
        mix(word);
    }
    for (const std::byte byte : bytes)
        carry_ |= std::to_integer<std::uint64_t>(byte) << (length_++ % 8 * 8);
}

std::uint64_t Hash::value() const {
    Hash end = *this;
    end.mix(carry_);
    end.mix(length_);
    return end.state_ ^ (end.state_ >> 32);
}

/// The program speaks in the order of its own machine.
std::uint32_t Requests::at(std::size_t offset, std::size_t size) const {
    std::uint32_t value = 0;
    std::memcpy(&value, head_.data() + offset, size);
    return value;
}

void Requests::begin() {
    head_.clear();
    length_ = hashed_ = 0;
    masks_.clear();
    passed_ = 0;
    hash_ = {};
}

void Requests::find_length() {
    const std::size_t held = head_.size();
    if (!set_up_) {
        if (held >= 12)
            length_ = 12 + padded(at(6, 2)) + padded(at(8, 2));
    } else if (held >= 4) {
        length_ = std::uint64_t{at(2, 2)} * 4;
        if (length_ == 0 && held >= 8) // of BIG-REQUESTS
            length_ = std::max<std::uint64_t>(std::uint64_t{at(4, 4)} * 4, 8);
    }
}

bool Requests::may_be_glyphs() const {
    return set_up_ && at(0, 1) >= first_of_extensions && at(1, 1) == add_glyphs && at(2, 2) != 0 && length_ >= 28 &&
           length_ <= max_glyph_bytes;
}

bool Requests::has_head() const {
    if (length_ == 0)
        return false;
    return head_.size() >= (may_be_glyphs() ? length_ : std::min<std::uint64_t>(length_, head_bytes));
}

std::vector<Requests::Mask> Requests::masks() const {
    if (!set_up_) { // every rank has a cookie of its own
        const std::uint64_t cookie = 12 + padded(at(6, 2));
        return {{.begin = cookie, .end = length_, .stride = length_}};
    }
    if (may_be_glyphs())
        return masks_of_glyphs();
    if (length_ < head_bytes || at(2, 2) == 0)
        return {};
    const unsigned code = at(0, 1);
    constexpr std::uint32_t wm_hints = 35;
    if (code == change_property && at(8, 4) == wm_hints && at(12, 4) == wm_hints && length_ >= 60)
        return {{.begin = 56, .end = 60, .stride = 60}}; // the group: SDL puts a pointer there
    if (code == put_image && at(21, 1) <= 8) {
        // Rows end at whole words, and the rest of a word is whatever was there.
        const std::uint64_t bits = at(21, 1) == 1 ? 1 : 8, format = at(1, 1);
        const std::uint64_t width = at(12, 2) + (format == 2 ? 0 : at(20, 1)), used = (width * bits + 7) / 8;
        if (used > 0)
            return {{.begin = 24, .end = length_, .stride = padded(used), .used = used}};
    }
    return {};
}

/// The same rows, of glyphs with a byte for each pixel. It is such a request if its length says so.
std::vector<Requests::Mask> Requests::masks_of_glyphs() const {
    const std::uint64_t count = at(8, 4);
    std::uint64_t from = 12 + 16 * count;
    std::vector<Mask> rows;
    for (std::uint64_t glyph = 0; count <= length_ / 16 && from <= length_ && glyph < count; ++glyph) {
        const std::size_t facts = 12 + 4 * count + 12 * glyph;
        const std::uint64_t width = at(facts, 2), height = at(facts + 2, 2), stride = padded(width);
        if (width != stride && height > 0 && width > 0)
            rows.push_back({.begin = from, .end = from + stride * height, .stride = stride, .used = width});
        from += stride * height;
    }
    return from == length_ ? rows : std::vector<Mask>();
}

void Requests::hash(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        while (passed_ < masks_.size() && hashed_ >= masks_[passed_].end)
            ++passed_;
        bool counts = true;
        std::uint64_t run = bytes.size();
        if (passed_ < masks_.size()) {
            const Mask &mask = masks_[passed_];
            if (hashed_ < mask.begin) {
                run = mask.begin - hashed_;
            } else {
                const std::uint64_t in_row = (hashed_ - mask.begin) % mask.stride;
                counts = in_row < mask.used;
                run = std::min((counts ? mask.used : mask.stride) - in_row, mask.end - hashed_);
            }
        }
        run = std::min<std::uint64_t>(run, bytes.size());
        if (counts)
            hash_.add(bytes.first(run));
        hashed_ += run;
        bytes = bytes.subspan(run);
    }
}

std::vector<Requests::Word> Requests::add(std::span<const std::byte> bytes) {
    std::vector<Word> words;
    while (!bytes.empty()) {
        // The head first: what is left out follows from it.
        if (hashed_ == 0) {
            head_.push_back(bytes.front());
            bytes = bytes.subspan(1);
            if (length_ == 0)
                find_length();
            if (!has_head())
                continue;
            masks_ = masks();
            hash(head_);
        } else {
            const auto rest = bytes.first(std::min<std::uint64_t>(bytes.size(), length_ - hashed_));
            hash(rest);
            bytes = bytes.subspan(rest.size());
        }
        if (hashed_ < length_)
            continue;
        const Word code = set_up_ ? at(0, 1) : 0;
        words.push_back(code << 24 | static_cast<Word>(hash_.value() & 0xffffff));
        complete_ += set_up_;
        last_ = code;
        set_up_ = true;
        begin();
    }
    return words;
}

std::string name_of_request(unsigned opcode) {
    const std::string number = "opcode " + std::to_string(opcode);
    if (opcode == 0)
        return "the connection's set-up";
    if (opcode >= first_of_extensions)
        return "a request of an extension (" + number + ")";
    return opcode <= std::size(names) ? std::string(names[opcode - 1]) + " (" + number + ")" : number;
}

} // namespace mpiglut::x11
