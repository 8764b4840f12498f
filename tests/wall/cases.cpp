#include "cases.h"

#include <algorithm>
#include <iterator>

namespace wall_test {

const std::vector<Program> &programs() {
    // Programs that animate go on for a few frames; the others have drawn everything with their first.
    static const std::vector<Program> all = {
        {.name = "accum_blur", .frames = 5, .asks = true},
        {.name = "attrib_stack"},
        {.name = "bitmap_text"},
        {.name = "blit_framebuffer", .reads = true},
        {.name = "clock_loops"},
        {.name = "copy_pixels", .reads = true},
        {.name = "copy_texture", .reads = true},
        {.name = "core_profile"},
        {.name = "default_reshape"},
        {.name = "depth_readback", .reads = true},
        {.name = "derivatives", .frames = 5},
        {.name = "direct_state", .reads = true},
        {.name = "display_lists", .reads = true},
        {.name = "draw_pixels"},
        {.name = "drawing_thread", .frames = 7, .plain_frames = 12, .reads = true},
        {.name = "early_reshape", .plain_frames = 3},
        {.name = "edge_subwindow", .frames = 3, .exact = true},
        {.name = "elapsed_time", .frames = 8},
        {.name = "exit_in_display", .frames = 30},
        {.name = "exit_in_keyboard", .frames = 30, .replay = true},
        {.name = "exit_in_timer", .frames = 30},
        {.name = "feedback"},
        {.name = "foreign_file", .reads = true},
        {.name = "fragcoord_120"},
        {.name = "fragcoord_130"},
        {.name = "fragcoord_330"},
        {.name = "fragment_program"},
        {.name = "front_buffer"},
        {.name = "first_sizes", .frames = 12, .windows = 3},
        {.name = "full_screen", .plain_frames = 3},
        {.name = "game_mode", .plain_frames = 3},
        {.name = "game_mode_twice", .plain_frames = 3},
        {.name = "glew_functions", .reads = true},
        {.name = "glut_thread", .frames = 6, .reads = true},
        {.name = "idle_animation", .frames = 7},
        {.name = "input_reactions", .frames = 12, .replay = true},
        {.name = "joystick", .frames = 4, .replay = true},
        {.name = "later_status", .frames = 10},
        {.name = "leave_main_loop", .frames = 30},
        {.name = "menu_choice", .frames = 4, .replay = true},
        {.name = "mirror_stencil"},
        {.name = "more_windows", .frames = 14, .windows = 3, .replay = true, .reads = true},
        {.name = "multisample", .reads = true},
        {.name = "nested_loop", .frames = 24, .replay = true},
        {.name = "occlusion_query", .frames = 3, .reads = true},
        {.name = "own_loop", .frames = 10},
        {.name = "perspective_cubes"},
        {.name = "polygon_mode"},
        {.name = "position_window", .frames = 8},
        {.name = "proc_address"},
        {.name = "read_pixel_pick", .frames = 6, .replay = true, .reads = true},
        {.name = "read_whole_window", .reads = true},
        {.name = "render_to_texture"},
        {.name = "reshape_in_run", .frames = 10},
        {.name = "scissor_clear"},
        {.name = "second_window", .frames = 8, .windows = 2},
        {.name = "seeded_scene", .seeded = true},
        {.name = "selection", .frames = 6, .replay = true},
        {.name = "separate_shaders"},
        {.name = "single_buffered", .frames = 8},
        {.name = "stipple"},
        {.name = "stroke_text"},
        {.name = "subwindows", .frames = 8},
        {.name = "teapot"},
        {.name = "timer_animation", .frames = 14},
        {.name = "unproject_pick", .frames = 6, .replay = true, .reads = true},
        {.name = "viewport_array"},
        {.name = "viewport_query"},
        {.name = "visibility_start", .frames = 10, .replay = true},
        {.name = "warp_pointer", .frames = 4, .replay = true},
        {.name = "wide_lines"},
        {.name = "window_changes", .frames = 12},
        {.name = "window_metrics"},
        {.name = "window_pos"},
        {.name = "x_queries", .frames = 6},
    };
    return all;
}

std::vector<Program> programs(const std::vector<std::string> &names) {
    std::vector<Program> chosen;
    std::copy_if(programs().begin(), programs().end(), std::back_inserter(chosen), [&names](const Program &program) {
        return std::find(names.begin(), names.end(), program.name) != names.end();
    });
    return chosen;
}

const std::vector<WallCase> &walls() {
    // The last three have their own size, the same for all: 421 by 323, so that one plain run serves them.
    static const std::vector<WallCase> all = {
        {"1x1", "1x1"},
        {"2x2", "2x2"},
        {"3x1", "3x1"},
        {"1x3_bezels", "1x3@421x101+0+10"},
        {"rotated", "walls/rotated.toml"},
        {"uneven", "walls/uneven.toml"},
    };
    return all;
}

} // namespace wall_test
