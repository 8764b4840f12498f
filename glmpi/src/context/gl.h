// The functions of OpenGL that this library calls, loaded for each context from whatever made it. No prototypes, no GL
// library to link: programs bring their own.
#pragma once

#include <cstddef>
#include <GL/glcorearb.h>
#include <GL/glext.h>

namespace glmpi {

// clang-format off
#define GLMPI_GL_FUNCTIONS(X) \
    /* 3.3 */ \
    X(GETERROR, GetError) X(GETINTEGERV, GetIntegerv) X(GETFLOATV, GetFloatv) X(GETSTRING, GetString) \
    X(GETSTRINGI, GetStringi) X(ENABLE, Enable) X(DISABLE, Disable) X(ISENABLED, IsEnabled) X(FLUSH, Flush) \
    X(FINISH, Finish) X(VIEWPORT, Viewport) X(DEPTHMASK, DepthMask) X(DEPTHFUNC, DepthFunc) \
    X(POLYGONMODE, PolygonMode) X(DRAWARRAYS, DrawArrays) X(GENVERTEXARRAYS, GenVertexArrays) \
    X(DELETEVERTEXARRAYS, DeleteVertexArrays) X(BINDVERTEXARRAY, BindVertexArray) X(GETQUERYIV, GetQueryiv) \
    X(PIXELSTOREI, PixelStorei) X(READPIXELS, ReadPixels) \
    X(READBUFFER, ReadBuffer) X(DRAWBUFFER, DrawBuffer) X(DRAWBUFFERS, DrawBuffers) X(CLAMPCOLOR, ClampColor) \
    X(GENTEXTURES, GenTextures) X(DELETETEXTURES, DeleteTextures) X(ISTEXTURE, IsTexture) \
    X(BINDTEXTURE, BindTexture) X(TEXPARAMETERI, TexParameteri) X(TEXIMAGE2D, TexImage2D) \
    X(GETTEXPARAMETERIV, GetTexParameteriv) \
    X(TEXSUBIMAGE1D, TexSubImage1D) X(TEXSUBIMAGE2D, TexSubImage2D) X(TEXSUBIMAGE3D, TexSubImage3D) \
    X(GETTEXIMAGE, GetTexImage) X(GETTEXLEVELPARAMETERIV, GetTexLevelParameteriv) \
    X(GENFRAMEBUFFERS, GenFramebuffers) X(DELETEFRAMEBUFFERS, DeleteFramebuffers) X(ISFRAMEBUFFER, IsFramebuffer) \
    X(BINDFRAMEBUFFER, BindFramebuffer) X(CHECKFRAMEBUFFERSTATUS, CheckFramebufferStatus) \
    X(FRAMEBUFFERTEXTURE1D, FramebufferTexture1D) X(FRAMEBUFFERTEXTURE2D, FramebufferTexture2D) \
    X(FRAMEBUFFERTEXTURELAYER, FramebufferTextureLayer) X(FRAMEBUFFERRENDERBUFFER, FramebufferRenderbuffer) \
    X(GETFRAMEBUFFERATTACHMENTPARAMETERIV, GetFramebufferAttachmentParameteriv) \
    X(BLITFRAMEBUFFER, BlitFramebuffer) X(ISRENDERBUFFER, IsRenderbuffer) X(BINDRENDERBUFFER, BindRenderbuffer) \
    X(GETRENDERBUFFERPARAMETERIV, GetRenderbufferParameteriv) X(GENBUFFERS, GenBuffers) \
    X(DELETEBUFFERS, DeleteBuffers) X(ISBUFFER, IsBuffer) X(BINDBUFFER, BindBuffer) X(BUFFERDATA, BufferData) \
    X(MAPBUFFERRANGE, MapBufferRange) X(UNMAPBUFFER, UnmapBuffer) X(GETBUFFERSUBDATA, GetBufferSubData) \
    X(BUFFERSUBDATA, BufferSubData) X(GETBUFFERPARAMETERIV, GetBufferParameteriv) \
    X(GETBUFFERPARAMETERI64V, GetBufferParameteri64v) X(COPYBUFFERSUBDATA, CopyBufferSubData) \
    X(FENCESYNC, FenceSync) X(DELETESYNC, DeleteSync) X(CLIENTWAITSYNC, ClientWaitSync) \
    X(GETQUERYOBJECTUIV, GetQueryObjectuiv) X(BEGINCONDITIONALRENDER, BeginConditionalRender) \
    X(ENDCONDITIONALRENDER, EndConditionalRender) X(ISENABLEDI, IsEnabledi) X(ENABLEI, Enablei) \
    X(DISABLEI, Disablei) X(GETINTEGER64V, GetInteger64v) X(GETINTEGERI_V, GetIntegeri_v) \
    X(GETINTEGER64I_V, GetInteger64i_v) \
    X(CREATESHADER, CreateShader) X(SHADERSOURCE, ShaderSource) X(COMPILESHADER, CompileShader) \
    X(DELETESHADER, DeleteShader) X(CREATEPROGRAM, CreateProgram) X(ATTACHSHADER, AttachShader) \
    X(LINKPROGRAM, LinkProgram) X(GETPROGRAMIV, GetProgramiv) X(DELETEPROGRAM, DeleteProgram) \
    X(GETSHADERIV, GetShaderiv) X(GETSHADERINFOLOG, GetShaderInfoLog) X(GETPROGRAMINFOLOG, GetProgramInfoLog) \
    X(USEPROGRAM, UseProgram) X(UNIFORM1I, Uniform1i) X(UNIFORM4I, Uniform4i) X(UNIFORM2UI, Uniform2ui) \
    X(UNIFORM3UI, Uniform3ui) X(UNIFORM4UI, Uniform4ui) X(UNIFORM4UIV, Uniform4uiv) \
    X(BINDBUFFERBASE, BindBufferBase) \
    X(BINDBUFFERRANGE, BindBufferRange) X(GENSAMPLERS, GenSamplers) X(DELETESAMPLERS, DeleteSamplers) \
    X(BINDSAMPLER, BindSampler) X(SAMPLERPARAMETERI, SamplerParameteri) \
    /* where Features says so */ \
    X(GETFLOATI_V, GetFloati_v) X(VIEWPORTINDEXEDFV, ViewportIndexedfv) X(VIEWPORTINDEXEDF, ViewportIndexedf) \
    X(TEXSTORAGE2D, TexStorage2D) X(COPYIMAGESUBDATA, CopyImageSubData) X(OBJECTLABEL, ObjectLabel) \
    X(GETOBJECTLABEL, GetObjectLabel) X(BUFFERSTORAGE, BufferStorage) X(DISPATCHCOMPUTE, DispatchCompute) \
    X(MEMORYBARRIER, MemoryBarrier) X(BINDIMAGETEXTURE, BindImageTexture) \
    X(GETTEXTURELEVELPARAMETERIV, GetTextureLevelParameteriv) X(GETTEXTUREPARAMETERIV, GetTextureParameteriv) \
    X(TEXTURESUBIMAGE1D, TextureSubImage1D) X(TEXTURESUBIMAGE2D, TextureSubImage2D) \
    X(TEXTURESUBIMAGE3D, TextureSubImage3D) X(GETTEXTURESUBIMAGE, GetTextureSubImage) \
    X(CREATEQUERIES, CreateQueries) X(DELETEQUERIES, DeleteQueries) \
    X(CREATEMEMORYOBJECTSEXT, CreateMemoryObjectsEXT) X(DELETEMEMORYOBJECTSEXT, DeleteMemoryObjectsEXT) \
    X(IMPORTMEMORYFDEXT, ImportMemoryFdEXT) X(MEMORYOBJECTPARAMETERIVEXT, MemoryObjectParameterivEXT) \
    X(BUFFERSTORAGEMEMEXT, BufferStorageMemEXT) \
    X(GETUNSIGNEDBYTEVEXT, GetUnsignedBytevEXT) X(GETUNSIGNEDBYTEI_VEXT, GetUnsignedBytei_vEXT)
// clang-format on

struct Gl {
#define X(TYPE, name) PFNGL##TYPE##PROC name = nullptr;
    GLMPI_GL_FUNCTIONS(X)
#undef X
    bool debug_output = false; ///< GL_DEBUG_OUTPUT can be switched off: 4.3 or KHR_debug
};

/// What the context has beyond 3.3.
struct Features {
    int version = 0; ///< 45 for 4.5
    bool compatibility = false;
    bool no_errors = false;      ///< a context of KHR_no_error
    bool direct_state = false;   ///< textures by name, and reads of parts of them: 4.5
    bool texture_target = false; ///< GL_TEXTURE_TARGET can be asked for; Mesa answers in the core profile only
    bool buffer_storage = false; ///< persistent mappings: 4.4
    bool copy_image = false;     ///< 4.3
    bool compute = false;        ///< 4.3
    bool labels = false;         ///< 4.3 or KHR_debug
    bool texture_storage = false;
    /// Levels of fixed textures that lie before the base level are reached all the same. NVIDIA's driver (580.159)
    /// reads and writes the base level in their place.
    bool hidden_levels = true;
    bool pack_invert = false; ///< MESA_pack_invert
    bool indexed_scissor = false;
    bool depth_bounds = false;        ///< EXT_depth_bounds_test
    bool window_rectangles = false;   ///< EXT_window_rectangles
    bool pipeline_statistics = false; ///< queries: 4.6
    bool memory_descriptors = false;  ///< EXT_memory_object_fd
    bool multiview = false;           ///< OVR_multiview
};

/// Loads the functions by name; false when one of 3.3 is missing.
bool load_functions(void *(*lookup)(const char *name), Gl &gl);
Features find_features(const Gl &gl);

} // namespace glmpi
