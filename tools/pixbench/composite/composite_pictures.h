// The pictures of the mode composite: what each rank has drawn, pixel by pixel. Integers and halves only, so that every
// compiler finds the same bits. No other header, so that a program outside this project can measure the same pictures.
#pragma once

#include <cmath>

enum class Cover {
    dense, ///< each rank's pixels cover the whole picture, and each rank is in front somewhere
    sparse ///< each rank covers a disc of about 1 / ranks of the picture; the discs overlap
};

struct CompositePicture {
    Cover cover = Cover::dense;
    int width = 0, height = 0;
    int rank = 0, ranks = 1;

    struct Box {
        int x, y, width, height;
    };

    /// Around all pixels that this rank covers.
    Box box() const {
        if (cover == Cover::dense)
            return {0, 0, width, height};
        const double side = std::fmin(1.0, std::sqrt(4 / 3.14159265 / ranks)); // an ellipse fills pi / 4 of its box
        const int wide = at_least_1(width * side), high = at_least_1(height * side);
        const double right = ranks > 1 ? static_cast<double>(rank) / (ranks - 1) : 0;
        const double up = std::fmod(rank * 0.618, 1.0);
        return {static_cast<int>((width - wide) * right), static_cast<int>((height - high) * up), wide, high};
    }

    bool covers(int x, int y) const {
        if (cover == Cover::dense)
            return true;
        const Box b = box();
        // In half pixels, from the centre of the box.
        const double dx = (2 * (x - b.x) + 1 - b.width) / static_cast<double>(b.width);
        const double dy = (2 * (y - b.y) + 1 - b.height) / static_cast<double>(b.height);
        return dx * dx + dy * dy <= 1;
    }

    /// 0 in front, 1 behind all: slanted waves, which begin elsewhere on each rank.
    float depth(int x, int y) const {
        if (!covers(x, y))
            return 1;
        const int place = (3 * x + 5 * y + wave * rank / ranks) % wave;
        const int height_of_wave = place < wave / 2 ? place : wave - place;
        return 0.25F + static_cast<float>(height_of_wave) / wave;
    }

    /// Red, green, blue and alpha, `to`: of a rank's own colour, and opaque. Background is all zero.
    void opaque(int x, int y, unsigned char *to) const { write(x, y, 255, to); }
    /// The same with an alpha that varies; the colours are multiplied by it.
    void translucent(int x, int y, unsigned char *to) const { write(x, y, 64 + (x + 2 * y + 37 * rank) % 128, to); }

  private:
    static constexpr int wave = 128; ///< in steps of 3 and 5 a pixel

    static int at_least_1(double size) { return size < 1 ? 1 : static_cast<int>(size); }
    void write(int x, int y, int alpha, unsigned char *to) const {
        const bool here = covers(x, y);
        const int colors[3] = {(x + 80 * rank) % 256, (y + 50 * rank) % 256, (60 + 90 * rank) % 256};
        for (int k = 0; k < 3; ++k)
            to[k] = static_cast<unsigned char>(here ? colors[k] * alpha / 255 : 0);
        to[3] = static_cast<unsigned char>(here ? alpha : 0);
    }
};
