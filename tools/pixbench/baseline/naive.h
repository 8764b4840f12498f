// What pixbench compares with: pixels sent by hand. See naive.cpp.
#pragma once

#include "measure/job.h"
#include "object/object.h"

#include <vector>

class Naive {
  public:
    /// Finds the layout that the ranks together move fastest. Collective over the team.
    Naive(Object &object, const Team &team);
    /// The other end of that one's messages: the same layout.
    Naive(Object &object, const Naive &other);

    void send(pixMPI_Rect rect, int dest);
    void receive(pixMPI_Rect rect, int source);
    /// Sends of `out` what is received into this one's object.
    void exchange(Naive &out, pixMPI_Rect rect, int dest, int source);

    /// The parts of these, for other messages: where pixels to be sent lie, read back if they have to be; where they
    /// may be received; and what follows then.
    std::byte *read_back(pixMPI_Rect rect);
    std::byte *landing(pixMPI_Rect rect);
    void upload(pixMPI_Rect rect);

    /// A message for each rectangle.
    void send_each(const std::vector<pixMPI_Rect> &rects, int dest);
    void receive_each(const std::vector<pixMPI_Rect> &rects, int source);
    /// A call for each rectangle, all of them in one message.
    void pack_all(const std::vector<pixMPI_Rect> &rects);
    void unpack_all(const std::vector<pixMPI_Rect> &rects);
    void send_packed(int dest);
    void receive_packed(int source);

    Object &object() const { return object_; }

    /// In which of the object's layouts its pixels travel.
    int layout() const { return layout_; }

  private:
    int bytes(pixMPI_Rect rect) const { return rect.width * rect.height * object_.pixel_bytes; }
    double seconds_of(int layout);
    void make_memory();

    Object &object_;
    const Team &team_;
    int layout_ = 0;
    HostMemory memory_;
    std::byte *pixels_ = nullptr; ///< of a whole object; made and touched once
    int packed_ = 0;              ///< bytes
};
