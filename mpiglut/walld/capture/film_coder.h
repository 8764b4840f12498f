// Films that browsers play, by the program ffmpeg, which gets raw pictures through a pipe. All of it belongs to one
// thread that may wait.
#pragma once

#include "child/descriptor.h"

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <sys/types.h>

namespace mpiglut::walld {

/// What ffmpeg is called and what it can code with; `encoder` is empty where films are AVI files of JPEG pictures.
struct FilmTool {
    std::string program, encoder, ending = ".avi";
    std::string note; ///< why there is no other
};
/// Asks ffmpeg, that of MPIGLUT_FFMPEG if this is set ("none": it is not used). Takes as long as ffmpeg does.
FilmTool find_film_tool();

class FilmCoder {
  public:
    /// `file`: a descriptor for ffmpeg to write to, which knows no name.
    FilmCoder(FilmTool tool, int file, std::chrono::milliseconds patience = std::chrono::seconds(10))
        : tool_(std::move(tool)), file_(file), patience_(patience) {}
    ~FilmCoder() { finish(); }
    FilmCoder(const FilmCoder &) = delete;
    FilmCoder &operator=(const FilmCoder &) = delete;

    /// RGB rows from the top, all of one size. False when that fails; error() says why.
    bool add(std::span<const std::byte> rgb, int columns, int rows);
    /// Waits until the file is complete.
    void finish();
    const std::string &error() const { return error_; }

  private:
    bool start(int columns, int rows);
    bool write(std::span<const std::byte> bytes);
    void fail(const std::string &error);
    /// Until it has ended, or for so long; what it says is kept.
    bool listen(std::chrono::milliseconds longest);

    FilmTool tool_;
    launcher::Descriptor file_, pictures_, words_;
    std::chrono::milliseconds patience_;
    std::string said_, error_;
    pid_t pid_ = -1;
    int columns_ = 0, rows_ = 0;
    bool over_ = false;
};

} // namespace mpiglut::walld
