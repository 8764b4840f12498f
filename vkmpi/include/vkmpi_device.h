/*
 * Messages from inside a running compute shader of Vulkan. <pixmpi_device.h> has the words, and what endpoints of all
 * APIs share; "pixmpi_device.glsl" is what shaders include; docs/reference/device.md is the guide.
 *
 *     vkMPI_Surface field;
 *     vkMPI_Window_create(context, bytes, &field, &memory);
 *     pixMPI_Endpoint_info info = {.slots = 2};
 *     vkMPI_Endpoint_create(context, MPI_COMM_WORLD, &info, 1, &field, &endpoint);    // by all ranks
 *     vkMPI_Endpoint_layout(endpoint, &set_layout);            // the shader's set 0; the program's own sets follow
 *     ... make the pipeline layout and the pipeline ...
 *     vkMPI_Kernel kernel = VKMPI_KERNEL_INIT;
 *     kernel.pipeline = pipeline, kernel.layout = layout, kernel.groups = 2;
 *     vkMPI_Endpoint_run(endpoint, &kernel);
 *     pixMPI_Endpoint_free(&endpoint);                         // by all ranks
 *
 * Contexts and threads are those of <vkmpi.h>: an endpoint belongs to its context, and its runs make progress in the
 * calls of that context's thread. All dispatches go to the context's queue, the copies of allocated windows to its
 * message queue. Work that was submitted to the context's queue before a run has completed when the run begins. Work
 * that is submitted after a run has completed sees what its shader has written.
 */
#ifndef VKMPI_DEVICE_H
#define VKMPI_DEVICE_H

#include <pixmpi_device.h>
#include <vkmpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Memory for a window: a storage buffer that the device and the CPU see. It is filled with zeros. In a context with a
 * message queue (vkMPI_Context_info; contexts that the library makes have one on GPUs) it is GPU memory: the message
 * queue moves its bytes while a dispatch waits for them, the CPU writes it fast, and reads it slowly (20 MB/s).
 * Otherwise, and if the GPU shows the CPU too little of its memory, it is host memory.
 *
 * bytes: its size, 1 to 2^31 - 1. window: receives the buffer as a surface of `bytes` pixels of PIXMPI_R8, which has
 * the VkBuffer for the program's descriptor sets. memory: receives the address at which the CPU sees it. Null: the CPU
 * need not see it. With a message queue, on a GPU of CUDA, GPUs of other processes of the host then put to and get from
 * the window by themselves (docs/reference/device.md).
 *
 * Returns PIXMPI_ERR_ARGUMENT, PIXMPI_ERR_CONTEXT, PIXMPI_ERR_MEMORY, PIXMPI_ERR_DEVICE. Called in the context's
 * thread. The window lives until vkMPI_Window_free.
 */
PIXMPI_API int vkMPI_Window_create(vkMPI_Context context, size_t bytes, vkMPI_Surface *window, void **memory);

/** Frees a window, and sets it to zero. PIXMPI_ERR_SURFACE: vkMPI_Window_create has not made it, or it has been
 * freed; PIXMPI_ERR_REQUEST: an endpoint has it. */
PIXMPI_API int vkMPI_Window_free(vkMPI_Surface *window);

/**
 * Makes an endpoint. Collective over `comm`, which is attached; ranks without shaders take part with an endpoint that
 * they do not run.
 *
 * info: null, or what the endpoint is like. windows: what messages of its shaders are about, by their
 * numbers: memory of vkMPI_Window_create (any bytes may travel); your buffers (whole pixels of the surface's
 * format may travel, from any pixel on); images (they travel as a whole, from offset 0). They have to live as
 * long as the endpoint. For puts and gets, both processes need a window with the same number; sizes may
 * differ.
 *
 * Returns PIXMPI_ERR_ARGUMENT (a null handle, an option out of range: the text names it), PIXMPI_ERR_COMM,
 * PIXMPI_ERR_SURFACE and others of the windows, PIXMPI_ERR_MEMORY, PIXMPI_ERR_DEVICE. Where one rank fails, all do; the
 * others get PIXMPI_ERR_PEER.
 *
 * Source: slots as ranks are those of DCGN (Stuart and Owens, IPDPS 2009), contexts of workgroups and one-sided
 * operations those of ComP-Net (LeBeane et al., PACT 2018).
 */
PIXMPI_API int vkMPI_Endpoint_create(vkMPI_Context context, MPI_Comm comm, const pixMPI_Endpoint_info *info,
                                     int window_count, const vkMPI_Surface windows[], pixMPI_Endpoint *endpoint);

/** The layout of descriptor set 0 of the endpoint's shaders: three storage buffers. It stays the endpoint's. Layouts of
 *  all endpoints are alike, so a pipeline serves all of them. */
PIXMPI_API int vkMPI_Endpoint_layout(pixMPI_Endpoint endpoint, VkDescriptorSetLayout *layout);

/** A shader, and what it is bound to. All of it has to live until the run has completed, and as long as a persistent
 *  request; the arrays are read during the call. */
typedef struct vkMPI_Kernel {
    size_t struct_size; /* set by VKMPI_KERNEL_INIT */
    VkPipeline pipeline;     /* compute */
    VkPipelineLayout layout; /* set 0: as vkMPI_Endpoint_layout says */
    uint32_t set_count;      /* of your own descriptor sets, 1, 2 ... */
    const VkDescriptorSet *sets;
    uint32_t push_bytes; /* push constants for the stage compute, from offset 0 on; 0: none */
    const void *push;
    int groups; /* workgroups: pm_workgroup() is 0 to groups - 1 */
} vkMPI_Kernel;
#define VKMPI_KERNEL_INIT {sizeof(vkMPI_Kernel), 0, 0, 0, 0, 0, 0, 0}

/**
 * Runs a shader until all its workgroups have come to PM_END and all messages that they have begun are over.
 *
 * An error of a call in the shader ends the run: no workgroup is dispatched any more, what is under way is given up,
 * and the error says which slot, workgroup and step it was. So does the time-out of the endpoint's info
 * (PIXMPI_ERR_TIMEOUT), which also says what is waited for. What other slots have in their windows is not touched.
 *
 * Returns PIXMPI_ERR_ARGUMENT (a null argument, groups), PIXMPI_ERR_REQUEST (another run of the endpoint is under way),
 * PIXMPI_ERR_CONTEXT, PIXMPI_ERR_DEVICE, and the errors of the shader's calls: PIXMPI_ERR_RANK, _TAG, _REGION, _FORMAT,
 * _TRUNCATE, _ARGUMENT, _MEMORY (info.state_words is too small), _PEER, _TIMEOUT.
 */
PIXMPI_API int vkMPI_Endpoint_run(pixMPI_Endpoint endpoint, const vkMPI_Kernel *kernel);
/** The same as a request, for Wait, Test and so on. pixMPI_Cancel ends it with PIXMPI_ERR_REQUEST. */
PIXMPI_API int vkMPI_Endpoint_irun(pixMPI_Endpoint endpoint, const vkMPI_Kernel *kernel, pixMPI_Request *request);
/** The same as a persistent request, which pixMPI_Start starts. */
PIXMPI_API int vkMPI_Endpoint_run_init(pixMPI_Endpoint endpoint, const vkMPI_Kernel *kernel, pixMPI_Request *request);

#ifdef __cplusplus
}
#endif

#endif
