#!/bin/sh
# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# test_tools.sh ROOT: the checks of the sources find the faults they are there for.

set -eu
root=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fresh()
{
    rm -rf "$work/tree"
    mkdir -p "$work/tree"
    cp -R "$root/include" "$root/src" "$root/programs" "$root/examples" "$root/cmake" "$root/tools" \
        "$root/docs" "$root/README.md" "$root/CMakeLists.txt" "$root/Makefile" "$work/tree"
    mkdir "$work/tree/benchmark"
    cp "$root"/benchmark/*.h "$work/tree/benchmark"
}

# finds CHECK FAULT TEXT: the check fails and its complaint holds the text
finds()
{
    if output=$("$root/tools/$1" "$work/tree" 2>&1); then
        echo "$1 does not find $2"
        failures=$((failures + 1))
    elif ! echo "$output" | grep -q -F "$3"; then
        echo "$1 finds $2 but says:"
        echo "$output"
        failures=$((failures + 1))
    fi
}

passes()
{
    if ! output=$("$root/tools/$1" "$work/tree" 2>&1); then
        echo "$1 fails on $2:"
        echo "$output"
        failures=$((failures + 1))
    fi
}

# file PATH: with the two SPDX lines and standard input after them
file()
{
    mkdir -p "$(dirname "$work/tree/$1")"
    {
        printf '// SPDX-FileCopyrightText: The Lyra authors\n// SPDX-License-Identifier: BSD-3-Clause\n\n'
        cat
    } >"$work/tree/$1"
}

fresh
passes check_layers "the tree as it is"
passes check_sources "the tree as it is"
passes check_parameters "the tree as it is"

echo '#include "math/anything.h"' | file src/base/fault.c
finds check_layers "an include of a higher layer" 'src/base/fault.c:4: base (layer 0) includes "math/anything.h"'
fresh
echo '  #  include "mesh/anything.h"' | file src/sparse/fault.h
finds check_layers "an include of the same layer" 'sparse (layer 2) includes "mesh/anything.h" of layer 2'
fresh
echo '#include "lyra/sparse.h"' | file src/math/fault.c
finds check_layers "a public header of a higher layer" 'math (layer 1) includes lyra/sparse.h of sparse'
fresh
echo '#include <lyra/mesh.h>' | file include/lyra/dense.h
finds check_layers "a public header that includes upwards" 'math (layer 1) includes lyra/mesh.h of mesh'
fresh
echo '#include "base/base.h"' | file include/lyra/mesh.h
finds check_layers "a public header that includes an internal one" 'a public header includes "base/base.h"'
fresh
echo '#include "lyra/lyra.h"' | file src/mesh/fault.c
finds check_layers "the header of everything in a source" 'lyra/lyra.h is for users'
fresh
echo '#include "fault.h"' | file src/mesh/fault.c
finds check_layers "an include without its module" 'write "mesh/fault.h"'
fresh
echo '#include "base/base.h"' | file programs/cli/fault.c
finds check_layers "a program with an internal header" 'neither a public header nor a file of programs/cli'
fresh
echo '#include "../../src/base/base.h"' | file examples/fault.c
finds check_layers "an example with an internal header" 'neither a public header nor a file of examples'
fresh
echo '#include "base/base.h"' | file benchmark/fault.h
finds check_layers "a benchmark with an internal header" 'neither a public header nor a file of benchmark'
fresh
echo '#include "benchmark/unheard.h"' | file programs/cli/fault.c
finds check_layers "a benchmark that is not there" 'neither a public header nor a file of programs/cli'
fresh
echo 'int x;' | file src/unheard/fault.c
finds check_layers "a module outside the table" 'module unheard is not in the table'
fresh
printf '#include "base/base.h"\n#include "math/a.h"\n#include "lyra/dense.h"\n#include "config.h"\n#include <cblas.h>\n' |
    file src/mesh/fine.c
echo '#include "own.h"' | file programs/cli/fine.c
echo 'int own;' | file programs/cli/own.h
passes check_layers "includes that point down"

fresh
echo 'int x;' >"$work/tree/src/base/fault.c"
finds check_sources "a source without its head" 'src/base/fault.c: does not open with the two SPDX lines'
fresh
yes '// line' | head -n 898 | file src/base/fault.c
finds check_sources "a source of 901 lines" 'src/base/fault.c: 901 lines'
fresh
yes line | head -n 150 >"$work/tree/README.md"
finds check_sources "a first page of 150 lines" 'README.md: 150 lines'
fresh
echo 'int x;' | file include/lyra/mesh_fault.h
finds check_sources "a public header that lyra.h leaves out" 'includes lyra/mesh_fault.h 0 times'
fresh
echo '#include "lyra/base.h"' >>"$work/tree/include/lyra/lyra.h"
finds check_sources "a public header that lyra.h has twice" 'includes lyra/base.h 2 times'
fresh
echo '#include "lyra/dense.h"' >>"$work/tree/include/lyra/lyra.h"
finds check_sources "a part in lyra.h" 'include/lyra/lyra.h: includes lyra/dense.h, which belongs to parts.h'
fresh
echo '#include "lyra/dense.h"' >>"$work/tree/include/lyra/solver.h"
finds check_sources "a part in a stable header" 'include/lyra/solver.h: includes lyra/dense.h, which is a part'
fresh
echo 'double first(LyraVector *x) { return lyra_vector_values(x)[0]; }' | file src/integrate/fault.c
finds check_sources "a pointer into a vector in integrate" 'src/integrate/fault.c:4:'

fresh
printf 'void f(int a, int b, int c, int d,\n       int e, int f, int g, double h[2], int i)\n{\n}\n' | file src/base/fault.c
finds check_parameters "a function of nine parameters" 'src/base/fault.c:4: f takes 9 parameters'
fresh
echo 'struct S { int x; }; struct T {
    void (*g)(int a, int b, int c, int d, int e, int f, int g, int (*h)(int, int), int i);
};' | file include/lyra/mesh.h
finds check_parameters "a pointer to one" 'include/lyra/mesh.h:5: g takes 9 parameters'
# ---- pages of the docs ----
# pages: a tree of pages alone, and what they link to
pages()
{
    rm -rf "$work/tree"
    mkdir -p "$work/tree/docs/deep" "$work/tree/examples" "$work/tree/benchmark"
    printf '# First\n\n[one](docs/one.md#the-second-part), [two](docs/deep/two.md), https://x.org\n' >"$work/tree/README.md"
    printf '# Contributing\n\nText.\n' >"$work/tree/CONTRIBUTING.md"
    printf '# One\n\nText.\n\n## The second part\n\n| %0200d |\n' 0 >"$work/tree/docs/one.md"
    printf '# Two\n\n[up](../one.md), [home](../../README.md#first).\n' >"$work/tree/docs/deep/two.md"
}
pages
passes check_docs "pages without a fault"
echo '[gone](docs/gone.md)' >>"$work/tree/README.md"
finds check_docs "a link that leads nowhere" 'README.md:4: links to docs/gone.md, which is not there'
pages
echo '[gone](../one.md#gone)' >>"$work/tree/docs/deep/two.md"
finds check_docs "a link to a heading that is gone" 'docs/one.md has no such heading'
pages
printf '%0121d\n' 0 >>"$work/tree/docs/one.md"
finds check_docs "a long line" 'docs/one.md:8: 121 columns'
pages
printf '# Lonely\n\nText.\n' >"$work/tree/docs/lonely.md"
finds check_docs "a page that none links to" 'docs/lonely.md: no page links to it'
pages
printf '# One\n\n## The second part\n' >"$work/tree/docs/one.md"
finds check_docs "a page without a first paragraph" 'docs/one.md:3: no paragraph under the first heading'

# ---- recipes of the docs ----
# recipe STATUS TEXT: the page on standard input, run; its exit status, and what it says
recipe()
{
    cat >"$work/page.md"
    status=0
    output=$(LYRA_CLI=/bin/true "$root/tools/run_recipe" "$work/page.md" a-b 2>&1) || status=$?
    if [ $status -ne "$1" ] || ! echo "$output" | grep -q -F "$2"; then
        echo "tools/run_recipe returns $status, not $1 with '$2', but says:"
        echo "$output"
        failures=$((failures + 1))
    fi
}
recipe 0 'cat out' <<'END'
## Not this
```sh
false
```
## A, b!
<!-- needs: sh -->
<!-- makes: out -->
```yaml
# file: in
key: value
```
```text
false
```
```sh
lyra && cp in out
grep 'key: value' out && cat out
```
END
recipe 1 'a command of' <<'END'
## A b
```sh
false
true
```
END
recipe 1 'out was not made' <<'END'
## A b
<!-- makes: out -->
```sh
true
```
END
recipe 77 'skipped: no no-such-program here' <<'END'
## A b
<!-- needs: no-such-program -->
```sh
true
```
END
recipe 1 'nothing to run' <<'END'
## Another
```sh
true
```
END

# library SOURCE: the same source as a shared and a static library, symbols hidden unless said
library()
{
    printf "#define API __attribute__((visibility(\"default\")))\n%s\n" "$1" >"$work/l.c"
    "${CC:-cc}" -fPIC -O1 -fno-builtin -fvisibility=hidden -w -c "$work/l.c" -o "$work/l.o"
    "${CC:-cc}" -shared "$work/l.o" -o "$work/l.so"
    rm -f "$work/l.a"
    ar rc "$work/l.a" "$work/l.o"
}

# exports PATTERN: what the check says about that library
exports()
{
    output=$("$root/tools/check_exports" "$work/l.so" "$work/l.a" 2>&1 || true)
    if ! echo "$output" | grep -q "$1"; then
        echo "check_exports does not say '$1' but:"
        echo "$output"
        failures=$((failures + 1))
    fi
}

library "int ly_b(void) { return 1; } API int lyra_a(void) { return ly_b(); }"
exports "^1 exported names"
library "API int lyra_a(void) { return 1; } API int stray(void) { return 2; }"
exports "^stray$"
library "API int lyra_a(void) { return 1; } int hidden_stray(void) { return 2; }"
exports "^hidden_stray$"
library "API int lyra_a(void) { exit(1); }"
exports "uses exit,"
library "extern void *stderr; API void *lyra_a(void) { return stderr; }"
exports "uses stderr,"
library "double strtod(); API double lyra_a(char *t) { return strtod(t, 0); }"
exports "uses strtod,"

# ---- the faults that tools/mutate makes ----
if command -v python3 >/dev/null; then
    fresh
    file src/force/fault.c <<'END'
// a + b in a comment
#define A 1 + 1
static double f(const double *x, int n)
{
    char text[64] = "a + b";
    double s = -0.5;
    for (int i = 0; i < n && x; ++i) {
        s += 2.0 * x[i];
    }
    if (s == 0) {
        ly_fail(1, "%d + %d", n + 1, text[0]);
    }
    return s;
}
END
    "$work/tree/tools/mutate" --list src/force/fault.c | sed 's/  in .*//; s/^[^:]*://' >"$work/found"
    cat >"$work/expected" <<'END'
9:16: - -> nothing
9:17: 0.5 -> (1.01 * 0.5)
10:18: 0 -> 1
10:23: < -> <=
10:27: && -> ||
11:11: += -> -=
11:14: 2.0 -> (1.01 * 2.0)
11:18: * -> /
13:11: == -> !=
13:14: 0 -> 1
END
    if ! diff "$work/expected" "$work/found"; then
        echo "tools/mutate makes other faults than those expected"
        failures=$((failures + 1))
    fi
fi

# ---- the viewer: a build without it is a failure of `make viewer` ----
for answer in yes no; do
    printf '#!/bin/sh\nprintf "lyra 1\\n  zlib       yes\\n  viewer     %s\\n"\n' $answer >"$work/lyra-$answer"
    chmod +x "$work/lyra-$answer"
done
echo 'no libwebsockets' >"$work/reason"
if ! output=$("$root/tools/check_viewer" "$work/lyra-yes" "$work/none" 2>&1); then
    echo "tools/check_viewer does not see a viewer: $output"
    failures=$((failures + 1))
fi
for reason in reason none; do
    if output=$("$root/tools/check_viewer" "$work/lyra-no" "$work/$reason" 2>&1); then
        echo "tools/check_viewer sees a viewer where there is none"
        failures=$((failures + 1))
    fi
    case $reason:$output in
    'reason:no viewer was built: no libwebsockets' | 'none:no viewer was built: see docs/viewer.md'*) ;;
    *)
        echo "tools/check_viewer says: $output"
        failures=$((failures + 1))
        ;;
    esac
done
if command -v make >/dev/null && ! make -n -C "$root" viewer | grep -q 'check_viewer build/bin/lyra'; then
    echo "make viewer does not look for a viewer"
    failures=$((failures + 1))
fi

# ---- setup waits for an apt that is at work ----
mkdir -p "$work/bin"
cat >"$work/bin/apt-get" <<END
#!/bin/sh
echo "\$*" >>"$work/calls"
case "\$*" in
*update)
    echo x >>"$work/updates"
    if [ \$(wc -l <"$work/updates") -lt 4 ]; then
        echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)" >&2
        exit 100
    fi
    ;;
esac
END
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
printf '#!/bin/sh\necho "$1" >>"%s"\n' "$work/sleeps" >"$work/bin/sleep"
chmod +x "$work"/bin/*
if ! output=$(PATH="$work/bin:$PATH" "$root/tools/setup" view 2>&1); then
    echo "tools/setup fails where another apt is at work: $output"
    failures=$((failures + 1))
fi
if [ "$(wc -l <"$work/updates")" -ne 4 ] || [ "$(wc -l <"$work/sleeps")" -ne 3 ] ||
    ! grep -q 'DPkg::Lock::Timeout=600 install .*libwebsockets-dev' "$work/calls" ||
    [ "$(echo "$output" | grep -c 'waiting for it')" -ne 1 ]; then
    echo "tools/setup does not wait for an apt that is at work: $output"
    failures=$((failures + 1))
fi

# ---- .ci/run adds up the counts of its parts ----
# adds CHECK CHECK_STATUS MORE MORE_STATUS LAST_LINE: what the parts print and return, and the sum
adds()
{
    mkdir -p "$work/ci"
    printf '#!/bin/sh\ncase $1 in\ncheck) printf "%s"; exit %s ;;\n*) printf "%s"; exit %s ;;\nesac\n' \
        "$1" "$2" "$3" "$4" >"$work/ci/make"
    chmod +x "$work/ci/make"
    expected=1
    case $5 in *' 0 failed'*) expected=0 ;; esac
    status=0
    output=$(PATH="$work/ci:$PATH" "$root/.ci/run") || status=$?
    if [ "$(echo "$output" | tail -n 1)" != "$5" ] || [ $status -ne $expected ]; then
        echo ".ci/run returns $status and does not end with '$5':"
        echo "$output"
        failures=$((failures + 1))
    fi
}
if command -v bash >/dev/null; then
    adds '10 passed, 0 failed\n' 0 '5 passed, 0 failed\n' 0 '15 passed, 0 failed'
    adds '10 passed, 0 failed, 2 skipped\n' 0 '5 passed, 0 failed, 1 skipped\n' 0 '15 passed, 0 failed, 3 skipped'
    adds '9 passed, 1 failed\nmake: Error 1\n' 2 '5 passed, 0 failed\n' 0 '14 passed, 1 failed'
    adds '10 passed, 0 failed\n' 0 'no compiler\n' 2 '10 passed, 1 failed'
    adds '10 passed, 0 failed\n' 2 '5 passed, 0 failed\n' 0 '15 passed, 1 failed'
fi

[ $failures -eq 0 ]
