// The verbs, for whichever API the end of a message belongs to.
#include "job.h"
#include "object.h"

namespace {

constexpr int tag = 7;

} // namespace

End end_of(Object &o) {
    End end;
    end.gl = o.kind != ObjectKind::memory;
    if (o.kind == ObjectKind::memory)
        end.memory = pixMPI_Memory(o.memory.data(), o.format, o.width, o.height);
    else if (o.kind == ObjectKind::buffer)
        end.surface = glMPI_Buffer(o.buffer, o.format, o.width, o.height);
    else if (o.kind == ObjectKind::framebuffer)
        end.surface = glMPI_Framebuffer(o.framebuffer, gl_attachment(o.format));
    else
        end.surface = glMPI_Texture2D(o.texture);
    if (end.gl && o.kind != ObjectKind::buffer && gl_native(o.format) != o.format)
        end.surface = glMPI_As(end.surface, o.format);
    return end;
}

End end_of(HostMemory &memory, pixMPI_Format format, std::int64_t pixels) {
    End end;
    end.memory = pixMPI_Memory(memory.data(), format, static_cast<int>(pixels), 1);
    return end;
}

void send(const End &end, pixMPI_Region region, int dest, MPI_Comm comm) {
    check(end.gl ? glMPI_Send(end.surface, region, dest, tag, comm) : pixMPI_Send(end.memory, region, dest, tag, comm));
}

void receive(const End &end, pixMPI_Region region, int source, MPI_Comm comm) {
    check(end.gl ? glMPI_Recv(end.surface, region, source, tag, comm, MPI_STATUS_IGNORE)
                 : pixMPI_Recv(end.memory, region, source, tag, comm, MPI_STATUS_IGNORE));
}

void exchange(const End &out, const End &in, pixMPI_Region region, int dest, int source, MPI_Comm comm) {
    check(
        out.gl
            ? glMPI_Sendrecv(out.surface, region, dest, tag, in.surface, region, source, tag, comm, MPI_STATUS_IGNORE)
            : pixMPI_Sendrecv(out.memory, region, dest, tag, in.memory, region, source, tag, comm, MPI_STATUS_IGNORE));
}

pixMPI_Request make_send(const End &end, pixMPI_Region region, int dest, MPI_Comm comm, bool persistent) {
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    if (end.gl)
        check((persistent ? glMPI_Send_init : glMPI_Isend)(end.surface, region, dest, tag, comm, &request));
    else
        check((persistent ? pixMPI_Send_init : pixMPI_Isend)(end.memory, region, dest, tag, comm, &request));
    return request;
}

pixMPI_Request make_receive(const End &end, pixMPI_Region region, int source, MPI_Comm comm, bool persistent) {
    pixMPI_Request request = PIXMPI_REQUEST_NULL;
    if (end.gl)
        check((persistent ? glMPI_Recv_init : glMPI_Irecv)(end.surface, region, source, tag, comm, &request));
    else
        check((persistent ? pixMPI_Recv_init : pixMPI_Irecv)(end.memory, region, source, tag, comm, &request));
    return request;
}
