// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `.interp` files: a row `i v0 w0 v1 w1 ...` for each point, where i counts up from 0. The first
// row says how many vertices each has.

#include "base/file.h"
#include "base/scanner.h"
#include "mesh/embed.h"

typedef struct Reader {
    LyraContext *ctx;
    LyScanner scanner;
    LyraEmbedding made;
    int64_t capacity; // points
} Reader;

static LyraStatus count_pairs(const Reader *reader, int32_t *pairs)
{
    LyScanner peek = reader->scanner;
    int64_t tokens = 0;
    while (!ly_scanner_at_line_end(&peek)) {
        (void)ly_scanner_token(&peek);
        ++tokens;
    }
    if (tokens < 3 || tokens % 2 == 0 || tokens / 2 > INT32_MAX) {
        return ly_scanner_complain(&reader->scanner, reader->scanner.at, LYRA_BAD_FORMAT,
                                   "found %lld numbers, expected the number of the point and then "
                                   "pairs of a vertex and a weight",
                                   (long long)tokens);
    }
    *pairs = (int32_t)(tokens / 2);
    return LYRA_OK;
}

static LyraStatus grow(Reader *reader)
{
    LyraEmbedding *made = &reader->made;
    if (made->point_count == INT32_MAX) {
        return ly_scanner_complain(&reader->scanner, reader->scanner.at, LYRA_TOO_LARGE,
                                   "more than %d points", INT32_MAX);
    }
    // rows of a great many vertices start with one, so that memory follows the size of the file
    int64_t start = made->node_count <= 64 ? 64 : 1;
    int64_t capacity = reader->capacity ? 2 * reader->capacity : start;
    LY_TRY(ly_resize_array(reader->ctx, capacity * made->node_count, sizeof *made->vertices,
                           &made->vertices));
    LY_TRY(ly_resize_array(reader->ctx, capacity * made->node_count, sizeof *made->weights,
                           &made->weights));
    reader->capacity = capacity;
    return LYRA_OK;
}

static LyraStatus read_row(Reader *reader)
{
    LyraEmbedding *made = &reader->made;
    LyScanner *scanner = &reader->scanner;
    if (made->node_count == 0) {
        LY_TRY(count_pairs(reader, &made->node_count));
    }
    if (made->point_count >= reader->capacity) {
        LY_TRY(grow(reader));
    }
    int32_t point;
    LY_TRY(ly_scanner_int32_in(scanner, made->point_count, made->point_count, &point,
                               "the number of the point"));
    int64_t first = (int64_t)made->node_count * made->point_count;
    for (int32_t a = 0; a < made->node_count; ++a) {
        LY_TRY(ly_scanner_int32_in(scanner, 0, made->vertex_count - 1, &made->vertices[first + a],
                                   "a vertex"));
        LY_TRY(ly_scanner_double(scanner, &made->weights[first + a], "a weight"));
    }
    ++made->point_count;
    return ly_scanner_end_line(scanner);
}

LyraStatus ly_interp_parse(LyraContext *ctx, const char *path, const char *text, size_t length,
                           int32_t vertex_count, LyraEmbedding **out)
{
    if (vertex_count < 0) {
        return ly_fail(LYRA_INVALID_ARGUMENT, "embedding: the number of vertices is negative");
    }
    Reader reader = {
        .ctx = ctx,
        .scanner = ly_scanner_make(path, text, length, '#'),
        .made = {.vertex_count = vertex_count},
    };
    LyraEmbedding *made = &reader.made;
    LyraStatus status = LYRA_OK;
    while (ly_scanner_next_content(&reader.scanner)) {
        LY_TRY_DONE(read_row(&reader));
    }
    // an empty file embeds no points
    made->node_count = made->node_count ? made->node_count : 1;
    int64_t total = (int64_t)made->point_count * made->node_count;
    LY_TRY_DONE(ly_resize_array(ctx, total, sizeof *made->vertices, &made->vertices));
    LY_TRY_DONE(ly_resize_array(ctx, total, sizeof *made->weights, &made->weights));
    LY_TRY_DONE(ly_embedding_create_take(ctx, *made, out));
done:
    if (status != LYRA_OK) {
        ly_release(ctx, made->vertices);
        ly_release(ctx, made->weights);
    }
    return status;
}

LyraStatus lyra_embedding_load(LyraContext *ctx, const char *path, int32_t vertex_count,
                               LyraEmbedding **out)
{
    char *text = NULL;
    size_t length = 0;
    LY_TRY(ly_file_read(ctx, path, &text, &length));
    LyraStatus status = ly_interp_parse(ctx, path, text, length, vertex_count, out);
    ly_release(ctx, text);
    return status;
}

LyraStatus lyra_embedding_save(const LyraEmbedding *embedding, const char *path)
{
    LyWriter *writer = NULL;
    LY_TRY(ly_writer_create(embedding->ctx, path, &writer));
    for (int32_t p = 0; p < embedding->point_count && ly_writer_status(writer) == LYRA_OK; ++p) {
        ly_writer_int(writer, p);
        for (int32_t a = 0; a < embedding->node_count; ++a) {
            int64_t at = (int64_t)embedding->node_count * p + a;
            ly_writer_char(writer, ' ');
            ly_writer_int(writer, embedding->vertices[at]);
            ly_writer_char(writer, ' ');
            ly_writer_double(writer, embedding->weights[at]);
        }
        ly_writer_char(writer, '\n');
    }
    return ly_writer_commit(writer);
}
