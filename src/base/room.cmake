daedal_room(base)
target_link_libraries(daedal_base PUBLIC fmt::fmt PRIVATE Eigen3::Eigen)
daedal_complex_sources(base complex_lu complex_svd)
