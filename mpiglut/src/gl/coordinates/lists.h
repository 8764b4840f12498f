// Display lists that hold translated calls. A list is a sequence of parts: real lists, with operations between them
// that run with the origin of the moment the list is called. A list without such calls is one real list, as usual.
#pragma once

#include <GL/gl.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <variant>
#include <vector>

namespace mpiglut::gl {

struct Context;
using Operation = std::function<void(Context &)>;

/// A real list, or what to do after it.
using Step = std::variant<GLuint, Operation>;
using Steps = std::vector<Step>;

/// The lists of a share group that consist of more than one real list.
struct Lists {
    std::mutex mutex; ///< contexts of a group may be current in several threads
    std::atomic<bool> any_split = false; ///< a look without the lock
    std::unordered_map<GLuint, std::shared_ptr<const Steps>> split;
    std::set<GLuint> hidden; ///< real lists that the program does not know of
    GLuint next_name = 0;    ///< above all that the program has; 0: there were no hidden ones yet
};

/// A glPushAttrib that was compiled into the real list and not popped yet.
struct OpenPush {
    GLbitfield mask = 0; ///< of it what the mirror keeps
    bool noted = false;  ///< the mirror gets to know of it when the list runs
};

/// The list between glNewList and glEndList.
struct Recording {
    bool open = false;
    GLuint list = 0, part = 0; ///< the program's name, and the real list being compiled
    GLenum mode = GL_COMPILE;
    Steps steps;
    std::vector<OpenPush> pushes;
};

/// Ends the real list, stores the operation (running it too with GL_COMPILE_AND_EXECUTE), begins the next real list.
void record(Context &c, Operation operation);

/// While it lives, no real list is open: for GL calls that must take effect now although a list is being compiled.
class Unrecorded {
  public:
    explicit Unrecorded(Context &c);
    ~Unrecorded();
    Unrecorded(const Unrecorded &) = delete;
    Unrecorded &operator=(const Unrecorded &) = delete;

  private:
    Context *context_ = nullptr;
};

} // namespace mpiglut::gl
