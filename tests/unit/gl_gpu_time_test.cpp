// The GPU's own clock during the queries of a program.
#include "gl_rig.h"

#include "gl/draw/gpu_time.h"

using namespace rig;

namespace {

class GpuTime : public testing::Test {
  protected:
    Tile tile{part(0, 0, width, height)};
    void SetUp() override { tile.drawable.make_current(); }
    void TearDown() override { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }
};

void draw(int times) {
    for (int i = 0; i < times; ++i)
        backdrop(static_cast<unsigned>(i));
}

} // namespace

TEST_F(GpuTime, IsThatOfWhatIsDrawnBetween) {
    draw(1);
    glFinish();
    mpiglut::gl::begin_gpu_time();
    draw(20);
    const auto time = mpiglut::gl::end_gpu_time();
    ASSERT_TRUE(time);
    EXPECT_GT(*time, 0);
    EXPECT_FALSE(mpiglut::gl::end_gpu_time()) << "it has not begun again";
}

TEST_F(GpuTime, GoesBesideTheProgramsTimers) {
    GLuint query = 0;
    GLuint64 program = 0;
    glGenQueries(1, &query);
    glBeginQuery(GL_TIME_ELAPSED, query);
    mpiglut::gl::begin_gpu_time();
    draw(3);
    EXPECT_TRUE(mpiglut::gl::end_gpu_time());
    glEndQuery(GL_TIME_ELAPSED);
    glGetQueryObjectui64v(query, GL_QUERY_RESULT, &program);
    EXPECT_GT(program, 0u);
    glDeleteQueries(1, &query);
}

TEST_F(GpuTime, GoesPastTheProgramsQueryBuffer) {
    constexpr GLuint64 before = 0x0123456789abcdef;
    GLuint buffer = 0;
    GLuint64 after = 0;
    GLint bound = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_QUERY_BUFFER, buffer);
    glBufferData(GL_QUERY_BUFFER, sizeof before, &before, GL_STATIC_DRAW);
    mpiglut::gl::begin_gpu_time();
    draw(1);
    EXPECT_TRUE(mpiglut::gl::end_gpu_time());
    glGetIntegerv(GL_QUERY_BUFFER_BINDING, &bound);
    EXPECT_EQ(static_cast<GLuint>(bound), buffer);
    glGetBufferSubData(GL_QUERY_BUFFER, 0, sizeof after, &after);
    EXPECT_EQ(after, before);
    glDeleteBuffers(1, &buffer);
}

TEST_F(GpuTime, IsUnknownAcrossContexts) {
    mpiglut::gl::begin_gpu_time();
    const Tile other(part(0, 0, width, height));
    other.drawable.make_current();
    EXPECT_FALSE(mpiglut::gl::end_gpu_time());
}
