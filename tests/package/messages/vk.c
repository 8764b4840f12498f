/* A buffer of rank 0 into a buffer of rank 1, on the device that the library chooses: rank 1 prints two of its pixels. */
#include <stdio.h>
#include <string.h>
#include <vkmpi.h>

enum { width = 301, height = 203 };

static void check(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "%s: %s\n", what, pixMPI_Error_text());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Memory that the CPU sees, for a buffer. */
static VkDeviceMemory make_memory(const vkMPI_Context_info *vk, VkBuffer buffer) {
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties memory;
    VkMemoryAllocateInfo allocate;
    VkDeviceMemory made = VK_NULL_HANDLE;
    uint32_t i = 0;
    vkGetBufferMemoryRequirements(vk->device, buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(vk->physical_device, &memory);
    while (i < memory.memoryTypeCount &&
           (!(needs.memoryTypeBits >> i & 1) || (memory.memoryTypes[i].propertyFlags & wanted) != wanted))
        ++i;
    memset(&allocate, 0, sizeof allocate);
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = i;
    check(vkAllocateMemory(vk->device, &allocate, NULL, &made) == VK_SUCCESS, "vkAllocateMemory");
    check(vkBindBufferMemory(vk->device, buffer, made, 0) == VK_SUCCESS, "vkBindBufferMemory");
    return made;
}

int main(int argc, char **argv) {
    int rank = 0, x, y, c;
    unsigned char(*pixels)[width][4];
    vkMPI_Context context;
    vkMPI_Context_info vk = VKMPI_CONTEXT_INFO_INIT;
    VkBufferCreateInfo info;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory;
    vkMPI_Surface surface;
    void *mapped = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check(pixMPI_Comm_attach(MPI_COMM_WORLD, NULL) == PIXMPI_SUCCESS, "pixMPI_Comm_attach");
    check(vkMPI_Context_create(NULL, &context) == PIXMPI_SUCCESS, "vkMPI_Context_create");
    check(vkMPI_Context_get_info(context, &vk) == PIXMPI_SUCCESS, "vkMPI_Context_get_info");
    memset(&info, 0, sizeof info);
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = (VkDeviceSize)width * height * 4;
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    check(vkCreateBuffer(vk.device, &info, NULL, &buffer) == VK_SUCCESS, "vkCreateBuffer");
    memory = make_memory(&vk, buffer);
    check(vkMapMemory(vk.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped) == VK_SUCCESS, "vkMapMemory");
    pixels = mapped;
    for (y = 0; y < height; ++y)
        for (x = 0; x < width; ++x)
            for (c = 0; c < 4; ++c)
                pixels[y][x][c] = (unsigned char)(rank ? 7 : c == 0 ? x : c == 1 ? y : c == 2 ? x / 256 : 99);
    surface = vkMPI_Buffer(context, buffer, PIXMPI_RGBA8, width, height);
    if (rank == 0) {
        check(vkMPI_Send(surface, PIXMPI_WHOLE, 1, 0, MPI_COMM_WORLD, NULL) == PIXMPI_SUCCESS, "vkMPI_Send");
    } else if (rank == 1) {
        const unsigned char *last = pixels[height - 1][width - 1], *inner = pixels[100][200];
        check(vkMPI_Recv(surface, PIXMPI_WHOLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, NULL) == PIXMPI_SUCCESS,
              "vkMPI_Recv");
        check(vkDeviceWaitIdle(vk.device) == VK_SUCCESS, "vkDeviceWaitIdle");
        printf("inner %d %d %d %d, last %d %d %d %d\n", inner[0], inner[1], inner[2], inner[3], last[0], last[1],
               last[2], last[3]);
    }
    vkDestroyBuffer(vk.device, buffer, NULL);
    vkFreeMemory(vk.device, memory, NULL);
    check(vkMPI_Context_free(&context) == PIXMPI_SUCCESS, "vkMPI_Context_free");
    MPI_Finalize();
    return 0;
}
