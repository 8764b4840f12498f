/* CUDA's memory, from rank 0 to rank 1, in the order of a stream.    mpiexec -n 2 cuda */
#include <cuda_runtime_api.h>
#include <cudampi.h>
#include <stdio.h>

enum { width = 600, height = 480, row = 4 * width };

int main(int argc, char **argv) {
    unsigned *host;
    void *device;
    size_t pitch;
    cudaStream_t stream;
    pixMPI_Surface picture;
    int rank, gpus, i, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL); /* a call that fails ends the job */
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);         /* once, by all ranks */
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        fprintf(stderr, "rank %d has no GPU with CUDA\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    cudaSetDevice(rank % gpus);
    cudaStreamCreate(&stream);
    cudaMallocHost((void **)&host, height * row);
    cudaMallocPitch(&device, &pitch, row, height);

    for (i = 0; i < width * height; ++i)
        host[i] = rank == 0 ? 0xff008cff : 0; /* orange */
    cudaMemcpy2DAsync(device, pitch, host, row, row, height, cudaMemcpyHostToDevice, stream);

    picture = cudaMPI_Memory(device, PIXMPI_RGBA8, width, height);
    picture.row_bytes = (ptrdiff_t)pitch;
    picture = cudaMPI_On_stream(picture, stream); /* the message waits for the copy above; the program does not */
    if (rank == 0)
        cudaMPI_Send(picture, PIXMPI_WHOLE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        cudaMPI_Recv(picture, PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    cudaMemcpy2DAsync(host, row, device, pitch, row, height, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (i = 0; rank < 2 && i < width * height; ++i)
        wrong += host[i] != 0xff008cff;
    if (rank == 1)
        printf("red %u, green %u, blue %u\n", host[0] & 255, host[0] >> 8 & 255, host[0] >> 16 & 255);

    cudaFree(device);
    cudaFreeHost(host);
    cudaStreamDestroy(stream);
    MPI_Finalize();
    return wrong > 0;
}
