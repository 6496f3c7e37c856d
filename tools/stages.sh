# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
#
# What tools/check and tools/check-long share: stages with a header, a time and an outcome, and the
# count of tests over all of them. Sourced from the project's root.
#
# A stage is a shell function run with `set -e`. Tests it runs through run_tests are counted one by
# one; a stage without any counts as one test, and so does one that fails outside its tests, in a
# build for instance. A stage may leave with 77: skipped.

report=$PWD/build/check
jobs=${LYRA_JOBS:-$(getconf _NPROCESSORS_ONLN)}
passed=0
failed=0
skipped=0
summary=
began=$(date +%s)

# run_tests PRESET [CTEST ARGUMENT...]; $ctest is the command to use
ctest=ctest
run_tests()
{
    run_tests_preset=$1
    shift
    run_tests_file=$report/$stage.$(ls "$report" | wc -l).xml
    $ctest --test-dir "build/$run_tests_preset" --output-on-failure -j "$jobs" \
        --output-junit "$run_tests_file" "$@"
}

# sum_attribute NAME: sum of an attribute over the <testsuite> elements of this stage's reports
sum_attribute()
{
    cat "$report/$stage".*.xml 2>/dev/null | awk -v name="$1" '
        /<testsuite / { inside = 1 }
        inside && match($0, name "=\"[0-9]+\"") {
            sum += substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3)
        }
        />/ { inside = 0 }
        END { print sum + 0 }'
}

# run_stage NAME TITLE: runs the function stage_NAME
run_stage()
{
    stage=$1
    mkdir -p "$report"
    rm -f "$report/$stage".*.xml
    printf '\n==== %s: %s\n' "$stage" "$2"
    stage_began=$(date +%s)
    set +e
    (
        set -e
        "stage_$stage"
    )
    stage_status=$?
    set -e
    seconds=$(($(date +%s) - stage_began))

    tests=$(sum_attribute tests)
    bad=$(sum_attribute failures)
    left=$(($(sum_attribute skipped) + $(sum_attribute disabled)))
    good=$((tests - bad - left))
    if [ $stage_status -eq 77 ]; then
        left=$((left + 1))
        outcome=skipped
    elif [ $stage_status -ne 0 ]; then
        [ "$bad" -gt 0 ] || bad=1
        outcome=FAILED
    else
        [ "$tests" -gt 0 ] || good=1
        outcome=passed
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + left))
    printf -- '---- %s: %s in %d s (%d passed, %d failed, %d skipped)\n' "$stage" "$outcome" \
        "$seconds" "$good" "$bad" "$left"
    summary="$summary$(printf '%-12s %-8s %5d s  %5d %7d %8d' "$stage" "$outcome" "$seconds" \
        "$good" "$bad" "$left")
"
    # the names once more, where the reader looks
    if [ "$bad" -gt 0 ]; then
        names=$(cat "$report/$stage".*.xml 2>/dev/null | awk '
            /<testcase / && match($0, /name="[^"]*"/) { name = substr($0, RSTART + 6, RLENGTH - 7) }
            /<failure/ { print "    " name }')
        [ -z "$names" ] || summary="$summary$names
"
    fi
}

# Prints the table and, last, the line that counts the tests; the exit status is that of the whole.
# finish BUDGET_SECONDS
finish()
{
    total=$(($(date +%s) - began))
    printf '\n%-12s %-8s %7s  %5s %7s %8s\n' stage outcome time passed failed skipped
    printf '%s' "$summary"
    printf 'in all %d min %02d s, of %d min\n' $((total / 60)) $((total % 60)) $(($1 / 60))
    if [ $total -gt "$1" ]; then
        printf 'warning: over the time this check may take\n'
    fi
    if [ $skipped -gt 0 ]; then
        printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
    else
        printf '%d passed, %d failed\n' $passed $failed
    fi
    [ $failed -eq 0 ]
}

# choose "ALL NAMES" NAME...: the names asked for, all when none is; a wrong one ends the script
choose()
{
    choose_all=$1
    shift
    chosen=${*:-$choose_all}
    for choose_name in $chosen; do
        case " $choose_all " in
        *" $choose_name "*) ;;
        *)
            echo "$0: no '$choose_name'; there are: $choose_all" >&2
            exit 2
            ;;
        esac
    done
}

# No address-space randomisation where that can be had: ThreadSanitizer of gcc 12 does not start on
# kernels that randomise more bits than it knows.
without_randomisation()
{
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        ctest="setarch $(uname -m) -R ctest"
    fi
}
