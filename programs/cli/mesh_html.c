// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// `lyra mesh info --html`: one page, nothing loaded from elsewhere, with histograms of the dihedral
// angles and aspects and the worst elements, drawn and located.

#include "mesh.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES (180 / 3.141592653589793)

enum { WORST = 12, ASPECT_BINS = 18, MAP_DOTS = 3000, PATH_ROOM = 4096 };

typedef struct Page {
    FILE *file;
    LyraMeshView view;
    LyraMeshQuality quality;
    double *aspects, *dihedrals;
    double low[3], high[3];
} Page;

// ---- text ---------------------------------------------------------------------------------------

static void write_head(const Page *page, const char *path)
{
    FILE *file = page->file;
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          file);
    cli_write_html_text(file, path);
    fputs("</title>\n<style>\n"
          ":root { color-scheme: light dark; --bar: #4a7ab5; --bad: #c8452f; --dim: #8888; }\n"
          "body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em;"
          " padding: 0 1em; }\n"
          "table { border-collapse: collapse; } td, th { padding: .2em .8em; text-align: right; }\n"
          "th { font-weight: 600; border-bottom: 1px solid var(--dim); }\n"
          "td:first-child, th:first-child { text-align: left; }\n"
          ".charts { display: flex; flex-wrap: wrap; gap: 1em; } .charts figure { margin: 0; }\n"
          ".worst { display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr));"
          " gap: 1em; }\n"
          ".worst figure { margin: 0; border: 1px solid var(--dim); border-radius: 6px;"
          " padding: .5em; }\n"
          "figcaption { font-size: 13px; } text { fill: currentColor; font-size: 11px; }\n"
          ".bar { fill: var(--bar); } .bad { fill: var(--bad); }\n"
          ".edge { stroke: currentColor; stroke-width: 1.5; } .dot { fill: var(--dim); }\n"
          "</style></head><body>\n<h1>",
          file);
    cli_write_html_text(file, path);
    fputs("</h1>\n", file);
}

static void write_facts(const Page *page)
{
    const LyraMeshQuality *quality = &page->quality;
    fprintf(page->file, "<p>%d vertices, %d %ss; box %g &times; %g &times; %g m.</p>\n",
            page->view.vertex_count, page->view.element_count,
            lyra_element_kind_name(page->view.kind), page->high[0] - page->low[0],
            page->high[1] - page->low[1], page->high[2] - page->low[2]);
    fprintf(page->file,
            "<table><tr><th></th><th>least</th><th>mean</th><th>most</th></tr>\n"
            "<tr><td>aspect</td><td>%.3f</td><td>%.3f</td><td>%.3f</td></tr>\n"
            "<tr><td>dihedral angle, degrees</td><td>%.2f</td><td></td><td>%.2f</td></tr>"
            "</table>\n",
            quality->min_aspect, quality->mean_aspect, quality->max_aspect,
            DEGREES * quality->min_dihedral, DEGREES * quality->max_dihedral);
    const struct {
        int32_t count;
        const char *what;
    } troubles[] = {
        {quality->inverted, "inverted elements"},
        {quality->degenerate, "degenerate elements"},
        {quality->not_cubes, "elements that are not cubes"},
        {quality->orphans, "vertices of no element"},
        {quality->duplicates, "duplicate vertices"},
        {quality->non_manifold_faces, "faces of more than two elements"},
    };
    for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; ++i) {
        if (troubles[i].count > 0) {
            fprintf(page->file, "<p><strong>%d %s</strong></p>\n", troubles[i].count,
                    troubles[i].what);
        }
    }
}

// ---- histograms ---------------------------------------------------------------------------------

// Bars of `counts` [bins]; `labels` gives the numbers below the first, middle and last edge.
static void write_histogram(FILE *file, const char *title, int32_t bins, const int64_t *counts,
                            const char *const labels[3])
{
    enum { WIDTH = 400, HEIGHT = 180, BASE = 150 };
    int64_t most = 1;
    for (int32_t b = 0; b < bins; ++b) {
        most = counts[b] > most ? counts[b] : most;
    }
    fprintf(file, "<figure><figcaption>%s</figcaption>\n<svg width=\"%d\" height=\"%d\">\n", title,
            WIDTH, HEIGHT);
    double step = (double)(WIDTH - 20) / bins;
    for (int32_t b = 0; b < bins; ++b) {
        double height = 130.0 * (double)counts[b] / (double)most;
        // what is there must be seen
        height = counts[b] > 0 && height < 1 ? 1 : height;
        fprintf(file,
                "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">"
                "<title>%lld</title></rect>\n",
                10 + b * step, BASE - height, step - 2, height, (long long)counts[b]);
    }
    for (int32_t k = 0; k < 3; ++k) {
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                10 + 0.5 * k * (WIDTH - 20), BASE + 18, labels[k]);
    }
    fprintf(file, "<text x=\"10\" y=\"14\">%lld</text></svg></figure>\n", (long long)most);
}

static void write_histograms(const Page *page)
{
    int64_t aspects[ASPECT_BINS] = {0};
    // up to twice the mean, and at least to 4; the last bar holds what is beyond
    double top = fmax(4, ceil(2 * page->quality.mean_aspect));
    for (int32_t e = 0; e < page->view.element_count; ++e) {
        double place = (page->aspects[e] - 1) / (top - 1) * ASPECT_BINS;
        ++aspects[place < ASPECT_BINS - 1 ? (int32_t)fmax(place, 0) : ASPECT_BINS - 1];
    }
    char middle[32], last[40];
    snprintf(middle, sizeof middle, "%.3g", 0.5 * (1 + top));
    snprintf(last, sizeof last, "%.3g+", top);
    fputs("<h2>Shapes</h2>\n<div class=\"charts\">\n", page->file);
    write_histogram(page->file, "dihedral angles, degrees", LYRA_MESH_QUALITY_BINS,
                    page->quality.dihedral_bins, (const char *[]){"0", "90", "180"});
    write_histogram(page->file, "aspect of elements, 1 is best", ASPECT_BINS, aspects,
                    (const char *[]){"1", middle, last});
    fputs("</div>\n", page->file);
}

// ---- worst elements -----------------------------------------------------------------------------

// A point in the plane of the drawings: from the front, a little from above and the right.
static void project(const double x[3], double *a, double *b)
{
    *a = 0.866 * x[0] - 0.5 * x[2];
    *b = -0.25 * x[0] - 0.433 * x[2] - 0.866 * x[1];
}

// Whether the first of two elements is the worse: flatter, then longer, then the earlier one.
static bool is_worse(const Page *page, int32_t a, int32_t b)
{
    if (page->dihedrals[a] != page->dihedrals[b]) {
        return page->dihedrals[a] < page->dihedrals[b];
    }
    return page->aspects[a] > page->aspects[b];
}

static int32_t find_worst(const Page *page, int32_t worst[WORST])
{
    int32_t count = 0;
    for (int32_t e = 0; e < page->view.element_count; ++e) {
        int32_t at = count < WORST ? count++ : WORST;
        for (; at > 0 && is_worse(page, e, worst[at - 1]); --at) {
            if (at < WORST) {
                worst[at] = worst[at - 1];
            }
        }
        if (at < WORST) {
            worst[at] = e;
        }
    }
    return count;
}

// Edges of an element, fitted to a square of 120 pixels.
static void write_element(const Page *page, int32_t element)
{
    int32_t nodes = lyra_element_kind_nodes(page->view.kind);
    const int32_t *vertices = page->view.elements + (size_t)nodes * (size_t)element;
    double a[8], b[8], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t k = 0; k < nodes; ++k) {
        project(page->view.positions + 3 * (size_t)vertices[k], &a[k], &b[k]);
        low[0] = fmin(low[0], a[k]);
        low[1] = fmin(low[1], b[k]);
        high[0] = fmax(high[0], a[k]);
        high[1] = fmax(high[1], b[k]);
    }
    double size = fmax(high[0] - low[0], high[1] - low[1]), scale = size > 0 ? 100 / size : 1;
    fputs("<svg viewBox=\"-60 -60 120 120\" width=\"130\" height=\"130\">\n", page->file);
    for (int32_t k = 0; k < nodes; ++k) {
        a[k] = scale * (a[k] - 0.5 * (low[0] + high[0]));
        b[k] = scale * (b[k] - 0.5 * (low[1] + high[1]));
    }
    int32_t edges = lyra_element_kind_corners(page->view.kind) == 4 ? 6 : 12;
    for (int32_t e = 0; e < edges; ++e) {
        const int32_t *edge = lyra_element_kind_edge(page->view.kind, e);
        fprintf(page->file,
                "<line class=\"edge\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                a[edge[0]], b[edge[0]], a[edge[1]], b[edge[1]]);
    }
    fputs("</svg>\n", page->file);
}

// The vertices of the mesh as dots, thinned out, with the middle of the worst elements on top.
static void write_map(const Page *page, int32_t count, const int32_t *worst)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    int32_t every = page->view.vertex_count / MAP_DOTS + 1;
    for (int32_t corner = 0; corner < 8; ++corner) {
        double x[3], a, b;
        for (int32_t i = 0; i < 3; ++i) {
            x[i] = corner >> i & 1 ? page->high[i] : page->low[i];
        }
        project(x, &a, &b);
        low[0] = fmin(low[0], a);
        low[1] = fmin(low[1], b);
        high[0] = fmax(high[0], a);
        high[1] = fmax(high[1], b);
    }
    double size = fmax(high[0] - low[0], high[1] - low[1]), scale = size > 0 ? 480 / size : 1;
    fprintf(page->file,
            "<svg viewBox=\"-10 -10 500 %.0f\" width=\"100%%\" style=\"max-width:36em\">\n",
            scale * (high[1] - low[1]) + 20);
    for (int32_t v = 0; v < page->view.vertex_count; v += every) {
        double a, b;
        project(page->view.positions + 3 * (size_t)v, &a, &b);
        fprintf(page->file, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"1.5\"/>\n",
                scale * (a - low[0]), scale * (b - low[1]));
    }
    int32_t nodes = lyra_element_kind_nodes(page->view.kind);
    for (int32_t k = 0; k < count; ++k) {
        double x[3] = {0}, a, b;
        for (int32_t i = 0; i < 3 * nodes; ++i) {
            int32_t v = page->view.elements[(size_t)nodes * (size_t)worst[k] + (size_t)(i / 3)];
            x[i % 3] += page->view.positions[3 * (size_t)v + (size_t)(i % 3)] / nodes;
        }
        project(x, &a, &b);
        fprintf(page->file,
                "<circle class=\"bad\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\">"
                "<title>element %d</title></circle>\n",
                scale * (a - low[0]), scale * (b - low[1]), worst[k]);
    }
    fputs("</svg>\n", page->file);
}

static void write_worst(const Page *page)
{
    int32_t worst[WORST], count = find_worst(page, worst);
    fputs("<h2>Worst elements</h2>\n<p>By their smallest dihedral angle; ids from 0. The map shows "
          "where they are.</p>\n<div class=\"worst\">\n",
          page->file);
    int32_t nodes = lyra_element_kind_nodes(page->view.kind);
    for (int32_t k = 0; k < count; ++k) {
        fputs("<figure>\n", page->file);
        write_element(page, worst[k]);
        fprintf(page->file, "<figcaption>element %d<br>angle %.2f&deg;, aspect %.3g<br>vertices",
                worst[k], DEGREES * page->dihedrals[worst[k]], page->aspects[worst[k]]);
        for (int32_t a = 0; a < nodes; ++a) {
            fprintf(page->file, " %d",
                    page->view.elements[(size_t)nodes * (size_t)worst[k] + (size_t)a]);
        }
        fputs("</figcaption></figure>\n", page->file);
    }
    fputs("</div>\n", page->file);
    write_map(page, count, worst);
}

// ---- the page -----------------------------------------------------------------------------------

static void find_box(Page *page)
{
    for (int32_t i = 0; i < 3; ++i) {
        page->low[i] = page->view.vertex_count > 0 ? INFINITY : 0;
        page->high[i] = page->view.vertex_count > 0 ? -INFINITY : 0;
    }
    for (size_t k = 0; k < 3 * (size_t)page->view.vertex_count; ++k) {
        page->low[k % 3] = fmin(page->low[k % 3], page->view.positions[k]);
        page->high[k % 3] = fmax(page->high[k % 3], page->view.positions[k]);
    }
}

CliExit cli_mesh_write_html(const LyraMesh *mesh, const char *name, const char *path)
{
    char unfinished[PATH_ROOM];
    Page page = {.view = lyra_mesh_view(mesh)};
    if (lyra_mesh_quality(mesh, &page.quality) != LYRA_OK) {
        return cli_failed();
    }
    // written beside, so that a page that was there stays until the new one is whole
    if (snprintf(unfinished, sizeof unfinished, "%s.tmp", path) >= PATH_ROOM) {
        return cli_fail("the path %.60s... is too long", path);
    }
    page.file = fopen(unfinished, "w");
    if (!page.file) {
        return cli_fail("cannot write %s: %s", path, strerror(errno));
    }
    page.aspects = cli_allocate(((size_t)page.view.element_count + 1) * sizeof *page.aspects);
    page.dihedrals = cli_allocate(((size_t)page.view.element_count + 1) * sizeof *page.dihedrals);
    lyra_mesh_element_quality(mesh, page.aspects, page.dihedrals);
    find_box(&page);
    write_head(&page, name);
    write_facts(&page);
    write_histograms(&page);
    write_worst(&page);
    fputs("</body></html>\n", page.file);
    free(page.aspects);
    free(page.dihedrals);
    bool written = !ferror(page.file);
    written = fclose(page.file) == 0 && written;
    if (!written || rename(unfinished, path) != 0) {
        CliExit exit = cli_fail("cannot write %s: %s", path, strerror(errno));
        remove(unfinished);
        return exit;
    }
    return CLI_OK;
}
