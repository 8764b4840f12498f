/*
 * vkmpi: MPI messages between Vulkan images and buffers.
 *
 *     MPI_Init(&argc, &argv);
 *     pixMPI_Comm_attach(MPI_COMM_WORLD, NULL);              // once, by all ranks
 *     vkMPI_Context context;
 *     vkMPI_Context_create(NULL, &context);                  // or with the program's own device and queue
 *     ... create an image with VkImageCreateInfo info; its layout is VK_IMAGE_LAYOUT_GENERAL now ...
 *     vkMPI_Surface picture = vkMPI_Image(context, image, &info, VK_IMAGE_LAYOUT_GENERAL);
 *     if (rank == 0) vkMPI_Send(picture, PIXMPI_WHOLE, 1, tag, MPI_COMM_WORLD, NULL);
 *     else           vkMPI_Recv(picture, PIXMPI_WHOLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, NULL);
 *
 * Formats, regions, requests, waiting, options and errors are those of <pixmpi.h>, shared with other APIs; both ends of
 * a message may be of different APIs. Here are the surfaces of Vulkan, what stands for its devices and queues, and the
 * verbs that take them.
 *
 * Contexts and threads. A context is a device and one of its queues. The library submits to that queue inside its own
 * calls, and only there. A context belongs to the thread that made it, or that vkMPI_Context_bind moved it to; messages
 * of its surfaces make progress inside that thread's calls. vkQueueSubmit needs its queue to itself: a program that
 * uses the same queue in another thread gives the context a lock (lock_queue, unlock_queue). The library then holds
 * that lock around each submission, and all threads may use the context. A program with several threads or queues makes
 * a context for each.
 * If messages must not wait for the program's long work, make a context with a queue that the program does not use
 * itself. vkMPI_Sync and the surfaces' families set the order then.
 *
 * The lock of a queue. A thread that holds it must not call the library, and must not wait for a thread that does:
 * release the lock after your own vkQueueSubmit, then call. The library calls lock_queue and unlock_queue in one of
 * its own threads, and the calling thread waits. All contexts of one queue need the same lock. If a thread breaks the
 * rule, calls return PIXMPI_ERR_TIMEOUT:
 * - A call that waits for the library, while the library waits for the lock, returns it after 5 seconds.
 * - If lock_queue has not returned after 10 seconds, the message that wants to submit fails with it. Others of the
 *   context fail at once, until lock_queue returns.
 * So do not hold the lock for seconds for other reasons, such as vkQueueWaitIdle.
 *
 * Order. A message sees all work submitted to the context's queue before the call. Work submitted to that queue after
 * the message has completed sees the message's work. So no semaphore is needed on one queue; for everything else there
 * is vkMPI_Sync. Memory dependencies are the library's work: all writes before, all accesses after.
 *
 * Bits arrive unchanged, and mean the same in all APIs: 24-bit depths, for example, travel in the upper bits of a word.
 */
#ifndef VKMPI_H
#define VKMPI_H

#include <pixmpi.h>
#include <vulkan/vulkan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- contexts ----------------------------------------------------------------------------------------------- */

/** A device and a queue of it, and what the library keeps for them. */
typedef struct vkMPI_Context_tag *vkMPI_Context;
#define VKMPI_CONTEXT_NULL ((vkMPI_Context)0)

/** The parts of a context. All of them stay the program's, and have to live longer than the context. */
typedef struct vkMPI_Context_info {
    size_t struct_size; /* set by VKMPI_CONTEXT_INFO_INIT. */
    PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* null: that of the system's Vulkan loader. */
    VkInstance instance;                              /* Vulkan 1.2 or later. */
    VkPhysicalDevice physical_device;
    VkDevice device;       /* Vulkan 1.2 or later, with the feature timelineSemaphore enabled. */
    VkQueue queue;         /* of any family that has graphics, compute or transfer; the one that the program draws
                              with, or another one, which messages have for themselves. */
    uint32_t queue_family; /* the queue's. */
    uint32_t extension_count;      /* how many device extensions are enabled. */
    const char *const *extensions; /* their names: those that vkMPI_Device_extensions lists make messages faster, others
                                      do no harm. */
    void (*lock_queue)(void *data);   /* null: the queue is used in the context's thread only. See above. */
    void (*unlock_queue)(void *data); /* called in the thread that has called lock_queue. */
    void *lock_data;
    VkQueue message_queue;   /* null: none; a queue for the messages of running shaders (vkmpi_device.h). One of another
                                family than `queue` works during a dispatch of `queue`. Only the library uses it. */
    uint32_t message_family; /* its family, with compute or transfer. */
    uint64_t features;       /* further features of Vulkan that are enabled: VKMPI_FEATURE_PRIVATE_DATA, or 0. */
} vkMPI_Context_info;
#define VKMPI_CONTEXT_INFO_INIT {sizeof(vkMPI_Context_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/** privateData (VkPhysicalDevicePrivateDataFeatures: VK_EXT_private_data, or Vulkan 1.3). The library attaches a number
 *  to each image, and so it can keep what shaders need of an image from message to message. Without the feature, a
 *  message of an image takes up to 15 microseconds more on NVIDIA GPUs. */
#define VKMPI_FEATURE_PRIVATE_DATA ((uint64_t)1)

/**
 * Makes a context, which belongs to the calling thread.
 *
 * info: the program's own device and queue. Null: the library makes an instance, a device and a queue without a window.
 * The library uses the first device of the most capable kind (discrete, integrated, virtual, CPU); if there are
 * several of that kind, the ranks of one host share them. PIXMPI_VK_DEVICE in the environment chooses another device,
 * by its number in the loader's list or by a part of its name.
 *
 * Returns PIXMPI_ERR_ARGUMENT (a null handle, half a lock), PIXMPI_ERR_DEVICE (no Vulkan loader, no device, a device or
 * queue family without what is needed), PIXMPI_ERR_MEMORY. The error text names what is missing, and lists what was
 * found where no device will do.
 */
PIXMPI_API int vkMPI_Context_create(const vkMPI_Context_info *info, vkMPI_Context *context);

/** Frees a context, in the context's own thread, and sets the handle to VKMPI_CONTEXT_NULL. A device that the library
 *  made for the context is also destroyed. The call waits for what the library has submitted. PIXMPI_ERR_REQUEST while
 *  messages of this context have not completed, or persistent requests on its surfaces have not been freed.
 *  PIXMPI_ERR_TIMEOUT while lock_queue, which a message has given up waiting for, has not returned. PIXMPI_ERR_DEVICE
 *  when what was submitted has not ended after ten seconds: the context stays as it was, and you may call again. */
PIXMPI_API int vkMPI_Context_free(vkMPI_Context *context);

/** Returns the parts of a context, for programs that let the library choose. The pointers are valid as long as the
 *  context. */
PIXMPI_API int vkMPI_Context_get_info(vkMPI_Context context, vkMPI_Context_info *info);

/** Makes the calling thread the context's thread. No other thread may be in a call with this context meanwhile. */
PIXMPI_API int vkMPI_Context_bind(vkMPI_Context context);

/** The device's name and driver; valid as long as the context. */
PIXMPI_API int vkMPI_Context_name(vkMPI_Context context, const char **name);

/** How fast a context moves pixels of a format, measured on first use: bytes per second from an image to a stage
 *  (`pack`) and back (`unpack`). Either pointer may be null. PIXMPI_ERR_FORMAT: not a format of this device's images.
 *  PIXMPI_ERR_MEMORY: the stage memory does not hold a few MiB. PIXMPI_ERR_CONTEXT. */
PIXMPI_API int vkMPI_Context_rates(vkMPI_Context context, pixMPI_Format format, double *pack, double *unpack);

/**
 * The device extensions that the library can use and that this device has, for VkDeviceCreateInfo.
 *
 * count: in, room in `names`; out, how many there are. names: may be null; then only `count` is written. The strings
 * are constants. get_instance_proc_addr: as in vkMPI_Context_info.
 */
PIXMPI_API int vkMPI_Device_extensions(PFN_vkGetInstanceProcAddr get_instance_proc_addr, VkInstance instance,
                                       VkPhysicalDevice physical_device, uint32_t *count, const char **names);

/* ---- surfaces ----------------------------------------------------------------------------------------------- */

typedef enum vkMPI_Kind PIXMPI_ENUM { VKMPI_NONE = 0, VKMPI_IMAGE, VKMPI_BUFFER } vkMPI_Kind;

/** What holds the pixels: a plain value, made by the functions below. The Vulkan object has to live until the message
 *  has completed. Vulkan cannot be asked about its objects, so the program says what they are; a wrong answer is as
 *  wrong as in a call of Vulkan. */
typedef struct vkMPI_Surface {
    vkMPI_Kind kind;
    vkMPI_Context context;

    VkImage image;
    VkImageCreateFlags flags;  /* as the image was created; sparse, protected and subsampled images are refused. */
    VkImageType type;
    VkFormat format;
    VkExtent3D extent;         /* of level 0. */
    uint32_t levels, layers;   /* how many it has. */
    VkSampleCountFlagBits samples; /* more than 1 is refused: resolve it first. */
    VkImageTiling tiling;
    VkImageUsageFlags usage;   /* VK_IMAGE_USAGE_TRANSFER_SRC_BIT to send, _DST_BIT to receive. */
    VkImageUsageFlags stencil_usage; /* of the stencils (VkImageStencilUsageCreateInfo), or 0: they have no usage of
                                        their own. To move stencils it needs the same bits as `usage`, too. */
    VkBool32 no_integer_views; /* VK_TRUE: the image has a list of view formats (VkImageFormatListCreateInfo), and the
                                  format that vkMPI_Integer_format names is not in it. Copy commands move its pixels,
                                  not shaders. */
    VkImageAspectFlags aspect; /* VK_IMAGE_ASPECT_COLOR_BIT, DEPTH, STENCIL, or DEPTH and STENCIL together. */
    uint32_t level, layer, slice; /* which part: mipmap level, layer of an array, slice of a 3D image. */
    VkImageLayout layout;         /* the image's when the message begins; _UNDEFINED: what is not received is lost. */
    VkImageLayout layout_after;   /* the image's when the message is over; neither _UNDEFINED nor _PREINITIALIZED. */
    VkBool32 separate_stencil;    /* VK_TRUE, for a format with depth and stencil, on a device with the feature
                                     separateDepthStencilLayouts: the two layouts above are those of the depths, the two
                                     below those of the stencils. A message changes the layout and the owner of those
                                     that it moves (`aspect`), and leaves the others alone. VK_FALSE: the two below do
                                     not count. */
    VkImageLayout stencil_layout, stencil_layout_after;

    VkBuffer buffer;
    VkBufferUsageFlags buffer_usage; /* VK_BUFFER_USAGE_TRANSFER_SRC_BIT to send, _DST_BIT to receive; with
                                        _STORAGE_BUFFER_BIT many small rectangles are faster, and reductions. */
    VkDeviceSize buffer_bytes;       /* the buffer's size; 0: unknown, and nothing is checked against it. Shaders want
                                        it where the last pixel does not end with a word of four bytes. */
    VkDeviceSize offset;             /* bytes before pixel (0, 0). */
    int width, height;               /* pixels. */
    int64_t row_bytes;               /* from one row to the next. */
    pixMPI_Format pixels;            /* what it holds. */

    /* The queue families that own the image or buffer before and after the message. VK_QUEUE_FAMILY_IGNORED: the
       context's family, or sharing is concurrent. Another family before: the program releases the object to the
       context's family with the layout unchanged (a barrier with oldLayout and newLayout `layout`), and the message
       waits for that by a semaphore of vkMPI_Sync. Another family after: the program acquires the object from the
       context's family with the layout unchanged (`layout_after`), behind a semaphore that the message signals. */
    uint32_t family, family_after;
} vkMPI_Surface;

/** All aspects that images of such a format have: colour, or depth, stencil, or both. */
PIXMPI_API VkImageAspectFlags vkMPI_Aspects_of(VkFormat format);

/** Vulkan's unsigned integers of the same size as the pixels of a colour format: see vkMPI_Surface::no_integer_views.
 *  VK_FORMAT_UNDEFINED where there are none. */
PIXMPI_API VkFormat vkMPI_Integer_format(VkFormat format);

/** Level 0, layer 0, slice 0 of an image; colour, or depth, or stencil, whatever the format has (both: depth and
 *  stencil together). Of the structures that pNext of `info` leads to, the list of view formats and the usage of
 *  stencils count; the result keeps what it needs of them, and no pointer. `layout` is the image's before the message
 *  and, unless the program changes layout_after, after it. No image can return to _UNDEFINED or _PREINITIALIZED, so for
 *  these layout_after becomes VK_IMAGE_LAYOUT_GENERAL. */
PIXMPI_API vkMPI_Surface vkMPI_Image(vkMPI_Context context, VkImage image, const VkImageCreateInfo *info,
                                     VkImageLayout layout);

/** Pixels in a buffer, rows without gaps; offset, row_bytes, buffer_usage and buffer_bytes of the result may be
 *  changed. */
PIXMPI_API vkMPI_Surface vkMPI_Buffer(vkMPI_Context context, VkBuffer buffer, pixMPI_Format format, int width,
                                      int height);

/** The format of an image's pixels in messages: those of one aspect, or depth and stencil together. PIXMPI_FORMAT_NONE
 *  when pixmpi.h has none (compressed, multi-planar, 16-bit packed and so on). */
PIXMPI_API pixMPI_Format vkMPI_Format_from_vulkan(VkFormat format, VkImageAspectFlags aspect);
/** Vulkan's format for an image with pixels of that kind; VK_FORMAT_UNDEFINED when Vulkan has none (BGR8 has one,
 *  DEPTH24 is VK_FORMAT_X8_D24_UNORM_PACK32). Whether a device has images of that format is another question. */
PIXMPI_API VkFormat vkMPI_Format_to_vulkan(pixMPI_Format format);

/* ---- synchronisation ---------------------------------------------------------------------------------------- */

/**
 * The semaphores that a message waits for before it touches its surface, and signals after it has touched the surface
 * for the last time. The library reads the arrays during the call only. A null pointer instead of this structure, or
 * counts of zero: no semaphores.
 *
 * The GPU waits and signals; no call waits on the host for a semaphore. Every message that was started waits and
 * signals, even if it then fails, is cancelled, or goes to MPI_PROC_NULL; `layout_after` and `family_after` also hold
 * then. A call that returns an error of its arguments (PIXMPI_ERR_ARGUMENT, _COMM, _RANK, _TAG, _REGION, _SURFACE,
 * _CONTEXT, _REQUEST, _FORMAT) has started nothing: it neither waits nor signals, and the layout stays. The next start
 * does not find its semaphores either. A collective with a codec that does not accept its pixels (_FORMAT) has started,
 * as it has on other ranks. If a call returns PIXMPI_ERR_MEMORY or _DEVICE, the library waits and signals if Vulkan
 * lets it: do not wait for such a signal without a limit.
 *
 * Signals of a nonblocking call have been submitted when its request has completed. Vulkan wants the signal of a binary
 * semaphore submitted before the wait, so complete the request before you submit that wait; a wait for a timeline
 * semaphore may be submitted at any time. Messages that are under way at once may end in any order, so let each of them
 * signal its own timeline.
 *
 * A message may wait for a timeline value that the program signals only later. The message then travels when the value
 * is reached, and blocking calls block until then. Later submissions to the context's queue wait behind this
 * message.
 */
typedef struct vkMPI_Sync {
    uint32_t wait_count;
    const VkSemaphore *waits;
    const uint64_t *wait_values; /* of timeline semaphores; for binary ones ignored. Null: all are binary. */
    uint32_t signal_count;
    const VkSemaphore *signals;
    const uint64_t *signal_values;
} vkMPI_Sync;

/** The surface as a pixMPI_Surface, which all pixMPI_ verbs accept, collectives among them. Contexts, threads and
 *  external synchronisation stay those of this header.
 *
 *  surface, sync: what holds the pixels; what the call waits for and signals on behalf of this surface, or null. Only
 *  the two addresses are kept: both have to live until the call that takes the result returns.
 *
 *  In an _init call `sync` is for the first start that does not fail; vkMPI_Start gives the later ones theirs. A call
 *  that sends from and receives into this surface by several messages waits before the first, and signals after the
 *  last of them. */
PIXMPI_API pixMPI_Surface vkMPI_Any(const vkMPI_Surface *surface, const vkMPI_Sync *sync);

/* ---- verbs -------------------------------------------------------------------------------------------------- */

/*
 * As pixMPI_Send and so on in <pixmpi.h>, argument for argument, with surfaces of Vulkan and a last argument `sync`
 * (may be null): vkMPI_Send(surface, ..., sync) is pixMPI_Send(vkMPI_Any(&surface, sync), ...).
 * Nonblocking calls never wait for the GPU.
 *
 * Threads: the context's (see above), otherwise PIXMPI_ERR_CONTEXT. External synchronisation, in Vulkan's sense:
 * - The context's queue, during the call, unless the context has a lock.
 * - Each semaphore of `sync`, during the call; a binary one until it has been waited for.
 * - The image or buffer, from the call until the message has completed. While an image is sent, others may only read
 *   it, and only in the layout VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL (GENERAL, if `layout` is GENERAL). Messages of one
 *   image that are under way at once therefore all have layout and layout_after VK_IMAGE_LAYOUT_GENERAL.
 *
 * Further return codes: PIXMPI_ERR_CONTEXT (no context, or another thread's), PIXMPI_ERR_SURFACE (no such level, layer
 * or slice; multisampled, sparse, protected, subsampled; usage without what the verb needs; a layout that an image
 * cannot be left in, or that is not for all aspects), PIXMPI_ERR_FORMAT (a format that pixmpi.h does not have, or that
 * the codec does not accept), PIXMPI_ERR_MEMORY, PIXMPI_ERR_DEVICE (an error of Vulkan). After the loss of a device
 * all messages of its contexts fail with PIXMPI_ERR_DEVICE; the contexts can still be freed.
 */
PIXMPI_API int vkMPI_Send(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                          const vkMPI_Sync *sync);
PIXMPI_API int vkMPI_Recv(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                          MPI_Status *status, const vkMPI_Sync *sync);
PIXMPI_API int vkMPI_Isend(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                           pixMPI_Request *request, const vkMPI_Sync *sync);
PIXMPI_API int vkMPI_Irecv(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                           pixMPI_Request *request, const vkMPI_Sync *sync);
/** Two surfaces that are not the same image or buffer, or both of layout GENERAL; each has its own `sync`. */
PIXMPI_API int vkMPI_Sendrecv(vkMPI_Surface sendsurface, pixMPI_Region sendregion, int dest, int sendtag,
                              vkMPI_Surface recvsurface, pixMPI_Region recvregion, int source, int recvtag,
                              MPI_Comm comm, MPI_Status *status, const vkMPI_Sync *sendsync,
                              const vkMPI_Sync *recvsync);
PIXMPI_API int vkMPI_Sendrecv_replace(vkMPI_Surface surface, pixMPI_Region region, int dest, int sendtag, int source,
                                      int recvtag, MPI_Comm comm, MPI_Status *status, const vkMPI_Sync *sync);
/** Persistent requests have no `sync`: each start has its own. */
PIXMPI_API int vkMPI_Send_init(vkMPI_Surface surface, pixMPI_Region region, int dest, int tag, MPI_Comm comm,
                               pixMPI_Request *request);
PIXMPI_API int vkMPI_Recv_init(vkMPI_Surface surface, pixMPI_Region region, int source, int tag, MPI_Comm comm,
                               pixMPI_Request *request);
/** Starts a persistent request that the calls above have made. pixMPI_Start does the same without semaphores. */
PIXMPI_API int vkMPI_Start(pixMPI_Request *request, const vkMPI_Sync *sync);
/** syncs: `count` of them, or null. If a request cannot be started although its arguments are right (PIXMPI_ERR_MEMORY,
 *  PIXMPI_ERR_DEVICE), those before it in the list have been started, and those after it have not. */
PIXMPI_API int vkMPI_Startall(int count, pixMPI_Request requests[], const vkMPI_Sync syncs[]);

#ifdef __cplusplus
}
#endif

#endif
