#!/bin/sh
# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# benchmark/step.sh LYRA MESHES: the rows of step.csv, to standard output. LYRA is the command, MESHES
# the folder of Vega's example bodies and their lists of fixed vertices. Bodies come first, then
# generated boxes. $RUN, when set, goes before every run: what keeps the machine quiet, say.
# $BODIES and $BOXES: which of them, all when unset.

set -eu
if [ $# -ne 2 ]; then
    sed -n 's/^# \{0,1\}//; 5,8p' "$0" >&2
    exit 2
fi
lyra=$1
meshes=$2
seconds=${SECONDS_EACH:-0.3}
bodies=${BODIES-turtle dragon bridge-tets bridge-cubes crane torus}
boxes=${BOXES-100 1000 3000 4000 7000 10000 20000 30000 40000 50000 60000 100000 160000 300000 500000}

# prints the rows of one run, with the heading if it is the first
heading=1
rows()
{
    # shellcheck disable=SC2086
    ${RUN:-} "$lyra" bench step --csv --seconds "$seconds" "$@" | tail -n +$((heading == 1 ? 1 : 2))
    heading=2
}

body()
{
    fixed=
    [ -z "$2" ] || fixed="--fixed $meshes/$2"
    for model in corotational stvk neo-hookean; do
        # shellcheck disable=SC2086
        rows --model $model --mesh "$meshes/$1" $fixed
    done
}

for name in $bodies; do
    case $name in
    turtle) body turtle-volumetric-homogeneous.veg turtle-volumetric.bou ;;
    dragon) body asianDragon.veg asianDragon.bou ;;
    bridge-tets) body simpleBridge-ic_128_0.15_.1.veg simpleBridge.bou ;;
    bridge-cubes) body simpleBridge_resol92-b1.155_enlarged.veg simpleBridge_resol92-b1.155_enlarged.bou ;;
    crane) body towerCrane_resol166.veg towerCrane_resol166.bou ;;
    torus) body quintupleTorus.veg '' ;;
    *)
        echo "no body \"$name\"" >&2
        exit 2
        ;;
    esac
done
for count in $boxes; do
    rows --model neo-hookean --elements "$count"
done
