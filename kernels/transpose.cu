/* transpose: a matrix of 4-byte elements, copied or transposed in three ways.
 *
 * The matrix is cut into tiles, numbered along its rows; a block takes tile after tile. Reads go
 * along rows in every variant: neighbouring threads read neighbouring elements. What differs is how
 * the writes go. Tiles at the right and lower edge are guarded, whole ones are not.
 *
 * The copy and the naive variant take the shape of a tile from their block, so that the host can
 * choose a strip of one row, which is how a plain loop over rows and columns goes. */
#include "device/simt/simt.h"
#include "kernels/transpose.h"

/* The corner of tile number `tile`, and whether all of the tile is inside of the matrix. */
struct place {
    size_t x, y;
    bool whole;
};

static __device__ __forceinline__ place place_of(size_t tile, size_t across, size_t rows,
                                                 size_t columns, size_t width, size_t height)
{
    place p;
    p.x = tile % across * width;
    p.y = tile / across * height;
    p.whole = columns - p.x >= width && rows - p.y >= height;
    return p;
}

/* TO is the place in `out` of the element in row y and column x. */
#define TRANSPOSE_DIRECT(name, TO)                                                                 \
    static __global__ void name(uint32_t *__restrict__ out, const uint32_t *__restrict__ in,       \
                                size_t rows, size_t columns, size_t across, size_t tiles)          \
    {                                                                                              \
        for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {                          \
            const place p = place_of(tile, across, rows, columns, blockDim.x, blockDim.y);         \
            if (p.whole) {                                                                         \
                GB_THREADS                                                                         \
                {                                                                                  \
                    const size_t x = p.x + threadIdx.x, y = p.y + threadIdx.y;                     \
                    out[TO] = in[y * columns + x];                                                 \
                }                                                                                  \
            } else {                                                                               \
                GB_THREADS                                                                         \
                {                                                                                  \
                    const size_t x = p.x + threadIdx.x, y = p.y + threadIdx.y;                     \
                    if (x < columns && y < rows)                                                   \
                        out[TO] = in[y * columns + x];                                             \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, name)

TRANSPOSE_DIRECT(transpose_copy, (y * columns + x))
TRANSPOSE_DIRECT(transpose_naive, (x * rows + y))

/* Through a tile in shared memory: rows in, columns out, and both go along rows of the matrices. A
 * column of a tile that is TRANSPOSE_TILE wide lies in a single bank; one more element a row
 * spreads it over all of them. The second barrier is for the next tile of the block. */
#define TRANSPOSE_TILED(name, WIDTH)                                                               \
    static __global__ void name(uint32_t *__restrict__ out, const uint32_t *__restrict__ in,       \
                                size_t rows, size_t columns, size_t across, size_t tiles)          \
    {                                                                                              \
        GB_SHARED_2D(uint32_t, s, TRANSPOSE_TILE, WIDTH);                                          \
        for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {                          \
            const place p = place_of(tile, across, rows, columns, TRANSPOSE_TILE, TRANSPOSE_TILE); \
            for (unsigned r = 0; r < TRANSPOSE_TILE; r += TRANSPOSE_ROWS)                          \
                GB_THREADS                                                                         \
                {                                                                                  \
                    const size_t x = p.x + threadIdx.x, y = p.y + r + threadIdx.y;                 \
                    if (p.whole || (x < columns && y < rows))                                      \
                        s[r + threadIdx.y][threadIdx.x] = in[y * columns + x];                     \
                }                                                                                  \
            GB_BARRIER();                                                                          \
            for (unsigned r = 0; r < TRANSPOSE_TILE; r += TRANSPOSE_ROWS)                          \
                GB_THREADS                                                                         \
                {                                                                                  \
                    const size_t x = p.y + threadIdx.x, y = p.x + r + threadIdx.y;                 \
                    if (p.whole || (x < rows && y < columns))                                      \
                        out[y * rows + x] = s[threadIdx.x][r + threadIdx.y];                       \
                }                                                                                  \
            GB_BARRIER();                                                                          \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, name)

TRANSPOSE_TILED(transpose_tiled, TRANSPOSE_TILE)
TRANSPOSE_TILED(transpose_padded, TRANSPOSE_TILE + 1)
