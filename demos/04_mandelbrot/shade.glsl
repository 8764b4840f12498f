// How bright a point of the complex plane is: brighter and darker with the number of steps that it takes to escape.
const int most_steps = 512;

float shade_of(vec2 c) {
    vec2 z = vec2(0.0);
    int n = 0;
    for (; n < most_steps && dot(z, z) < 256.0; ++n)
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    if (n == most_steps)
        return 0.08;
    float steps = float(n) + 3.0 - log2(0.5 * log2(dot(z, z))); // without the jumps between whole numbers
    return 0.60 - 0.40 * cos(2.2 * log2(steps));
}
