// What the two shaders share: the velocity of a body after a step. Eight invocations share a body, and each sums every
// eighth pull, so that few bodies also keep a GPU busy. The order of the sums does not depend on the share: any number
// of ranks computes the same bits.
shared vec3 pulls[8][8];

/// Of the other bodies, which `body_at` has, on the body at `me`: right in the invocations with gl_LocalInvocationID.y 0.
vec3 pull_on(vec4 me, int bodies, float softening) {
    int slice = int(gl_LocalInvocationID.y);
    vec3 pull = vec3(0.0);
    for (int i = slice; i < bodies; i += 8) {
        vec4 other = body_at(i);
        vec3 way = other.xyz - me.xyz;
        float inverse = inversesqrt(dot(way, way) + softening * softening);
        pull += other.w * inverse * inverse * inverse * way;
    }
    pulls[slice][gl_LocalInvocationID.x] = pull;
    barrier();
    for (int i = 1; slice == 0 && i < 8; ++i)
        pull += pulls[i][gl_LocalInvocationID.x];
    return pull;
}
