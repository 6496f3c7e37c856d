// SPDX-FileCopyrightText: The Lyra authors
// SPDX-License-Identifier: BSD-3-Clause

// CHOLMOD, and others, may come with OpenMP inside. Its loops are short, run on four threads
// whatever the machine has, and these spin while they wait: a factor takes twice as long with them
// as without. The calling thread's limit on nested parallel regions is set to none around such
// calls, which makes every region run on one thread. Lyra does not link OpenMP, so the two
// functions are looked up among what the process has loaded.

// RTLD_DEFAULT
#define _GNU_SOURCE

#include "solve/direct.h"

#if LY_HAVE_CHOLMOD || LY_HAVE_UMFPACK || LY_HAVE_MUMPS

#include <dlfcn.h>
#include <string.h>

typedef int GetLevels(void);
typedef void SetLevels(int levels);

int ly_openmp_pause(void)
{
    GetLevels *get = NULL;
    SetLevels *set = NULL;
    void *get_symbol = dlsym(RTLD_DEFAULT, "omp_get_max_active_levels");
    void *set_symbol = dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
    if (!get_symbol || !set_symbol) {
        return -1;
    }
    // ISO C has no cast from an object's address to a function's
    memcpy(&get, &get_symbol, sizeof get);
    memcpy(&set, &set_symbol, sizeof set);
    int levels = get();
    set(0);
    return levels;
}

void ly_openmp_resume(int levels)
{
    SetLevels *set = NULL;
    void *symbol = levels < 0 ? NULL : dlsym(RTLD_DEFAULT, "omp_set_max_active_levels");
    if (symbol) {
        memcpy(&set, &symbol, sizeof set);
        set(levels);
    }
}

#endif
