# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause

# tests of collide
lyra_add_test(collide_shapes)
lyra_add_test(collide_barrier)
lyra_add_test(collide_broad LABELS threads)
lyra_add_test(collide_exact)
lyra_add_test(collide_near)
