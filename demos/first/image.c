/* A Vulkan image, from rank 0 to rank 1.    mpiexec -n 2 image */
#include <stdio.h>
#include <vkmpi.h>

enum { width = 640, height = 480 };

int main(int argc, char **argv) {
    static unsigned pixels[width * height];
    pixMPI_Surface host = pixMPI_Memory(pixels, PIXMPI_RGBA8, width, height);
    vkMPI_Context context;
    vkMPI_Context_info gpu = VKMPI_CONTEXT_INFO_INIT;
    vkMPI_Surface picture;
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements needs;
    VkDeviceMemory memory;
    VkImage image;
    int rank, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pixMPI_Set_errhandler(pixMPI_Errors_abort, NULL); /* a call that fails ends the job */
    pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);         /* once, by all ranks */
    vkMPI_Context_create(NULL, &context);             /* makes a device; or give it your own device and queue */
    vkMPI_Context_get_info(context, &gpu);

    info.imageType = VK_IMAGE_TYPE_2D, info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent.width = width, info.extent.height = height, info.extent.depth = 1;
    info.mipLevels = info.arrayLayers = 1, info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    vkCreateImage(gpu.device, &info, NULL, &image);
    vkGetImageMemoryRequirements(gpu.device, image, &needs);
    allocate.allocationSize = needs.size;
    while (!(needs.memoryTypeBits >> allocate.memoryTypeIndex & 1)) /* the first type that suits the image */
        ++allocate.memoryTypeIndex;
    vkAllocateMemory(gpu.device, &allocate, NULL, &memory);
    vkBindImageMemory(gpu.device, image, memory, 0);

    picture = vkMPI_Image(context, image, &info, VK_IMAGE_LAYOUT_UNDEFINED); /* GENERAL after the copy */
    for (i = 0; rank == 0 && i < width * height; ++i)
        pixels[i] = 0xff008cff; /* orange */
    pixMPI_Copy(host, PIXMPI_WHOLE, vkMPI_Any(&picture, NULL), PIXMPI_WHOLE);
    picture.layout = VK_IMAGE_LAYOUT_GENERAL;

    if (rank == 0)
        vkMPI_Send(picture, PIXMPI_WHOLE, 1, 0, MPI_COMM_WORLD, NULL);
    if (rank == 1)
        vkMPI_Recv(picture, PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, NULL);
    pixMPI_Copy(vkMPI_Any(&picture, NULL), PIXMPI_WHOLE, host, PIXMPI_WHOLE);
    if (rank == 1)
        printf("red %u, green %u, blue %u\n", pixels[0] & 255, pixels[0] >> 8 & 255, pixels[0] >> 16 & 255);

    vkDestroyImage(gpu.device, image, NULL);
    vkFreeMemory(gpu.device, memory, NULL);
    vkMPI_Context_free(&context);
    MPI_Finalize();
    return rank < 2 && pixels[width * height - 1] != 0xff008cff;
}
