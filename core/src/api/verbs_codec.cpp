// Which codec: by its text, of a communicator, of a request.

#include "request/request_list.h"

using namespace pixmpi;

int pixMPI_Codec_named(const char *text, pixMPI_Codec *codec) {
    return call_without_lock("pixMPI_Codec_named", [&]() -> Status {
        if (!text || !codec)
            return fail(PIXMPI_ERR_ARGUMENT, "%s: null, expected a pointer", text ? "codec" : "text");
        return read_codec("text", text, *codec);
    });
}

int pixMPI_Comm_set_codec(MPI_Comm comm, pixMPI_Codec codec) {
    return public_call("pixMPI_Comm_set_codec", [&]() -> Status {
        CodecWish wish;
        if (const Status error = read_wish(codec, wish))
            return error;
        std::shared_ptr<Channel> channel;
        if (const Status error = find_channel(comm, channel))
            return error;
        channel->codec = codec;
        return PIXMPI_SUCCESS;
    });
}

int pixMPI_Request_set_codec(pixMPI_Request request, pixMPI_Codec codec) {
    return public_call("pixMPI_Request_set_codec", [&]() -> Status {
        CodecWish wish;
        if (const Status error = read_wish(codec, wish))
            return error;
        std::shared_ptr<Request> found;
        if (const Status error = find_inactive(runtime(), request, -1, found))
            return error;
        return found->set_codec(codec);
    });
}
