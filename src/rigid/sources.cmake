target_sources(lyra_objects PRIVATE
  rigid/rigid.c
  rigid/shape.c
)
