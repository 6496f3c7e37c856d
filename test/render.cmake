lyra_add_test(render_picture)
lyra_add_test(render_bodies LABELS threads)
lyra_add_test(render_plot)
