#!/bin/sh
# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# test_install.sh ROOT BUILD [package|subdirectory|all]: installs BUILD into a folder, moves the
# folder, and builds and runs users of it through CMake and pkg-config, with the shared and the
# static library; or builds a user of the tree in place.

set -eu
root=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
what=${3:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR

# quietly COMMAND...: shows the output only of a command that fails
quietly()
{
    "$@" >"$work/log" 2>&1 || {
        echo "failed: $*"
        cat "$work/log"
        exit 1
    }
}

# linked PROGRAM yes|no: whether it loads the shared library
linked()
{
    found=no
    ! readelf -d "$1" | grep -q 'NEEDED.*liblyra' || found=yes
    if [ $found != "$2" ]; then
        echo "$1 uses the shared library: $found, and not $2"
        exit 1
    fi
}

use_package()
{
    # below a DESTDIR, then moved to another place: nothing may remember where it was
    DESTDIR=$work/stage quietly cmake --install "$build" --prefix /opt/lyra
    prefix=$work/moved
    mv "$work/stage/opt/lyra" "$prefix"
    ! grep -r -l -F -e "$build" -e "$root" -e /opt/lyra "$prefix/lib/cmake" "$prefix/lib/pkgconfig" || {
        echo "the package names folders of its build"
        exit 1
    }
    [ "$(find "$prefix/include" -name '*.h' | wc -l)" -eq \
        $(($(find "$root/include" -name '*.h' | wc -l) + 1)) ] || {
        echo "not all headers are installed"
        exit 1
    }
    echo "the command:"
    "$prefix/bin/lyra" version

    echo "CMake:"
    quietly cmake -S "$root/test/install" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_BUILD_TYPE=Release
    quietly cmake --build "$work/cmake"
    "$work/cmake/consumer_lyra"
    "$work/cmake/consumer_lyra_static"
    linked "$work/cmake/consumer_lyra" yes
    linked "$work/cmake/consumer_lyra_static" no

    if ! command -v pkg-config >/dev/null; then
        echo "no pkg-config here"
        return
    fi
    echo "pkg-config:"
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    cc=${CC:-cc}
    quietly "$cc" "$root/test/install/consumer.c" -o "$work/shared" \
        $(pkg-config --cflags --libs lyra) -Wl,-rpath,"$prefix/lib"
    quietly "$cc" "$root/test/install/consumer.c" -o "$work/static" \
        $(pkg-config --cflags --static --libs lyra | sed 's/-llyra/-l:liblyra.a/')
    "$work/shared"
    "$work/static"
    linked "$work/shared" yes
    linked "$work/static" no
}

use_tree()
{
    echo "add_subdirectory:"
    quietly cmake -S "$root/test/install" -B "$work/tree" -DLYRA_TREE="$root" -DCMAKE_BUILD_TYPE=Release
    quietly cmake --build "$work/tree"
    "$work/tree/consumer_lyra"
    "$work/tree/consumer_lyra_static"
    # and nothing of Lyra in the user's own install
    quietly cmake --install "$work/tree" --prefix "$work/empty"
    [ ! -e "$work/empty" ] || {
        echo "the user's install holds Lyra"
        exit 1
    }
}

case $what in
package) use_package ;;
subdirectory) use_tree ;;
all)
    use_package
    use_tree
    ;;
esac
