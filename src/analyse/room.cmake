daedal_room(analyse base expr compile model derive structure formulate solve)
daedal_complex_sources(analyse finite_eigenvalues frequency_response lyapunov sensitivity state_space)

# The reference implementation, linked statically: which shared one a machine has in its place (OpenBLAS chooses its kernels
# by processor) would change the last digits.
find_library(DAEDAL_LAPACK NAMES liblapack.a lapack PATH_SUFFIXES lapack REQUIRED)
find_library(DAEDAL_BLAS NAMES libblas.a blas PATH_SUFFIXES blas REQUIRED)
find_library(DAEDAL_FORTRAN NAMES libgfortran.so.5 gfortran REQUIRED)  # what they are written in
target_link_libraries(daedal_analyse PUBLIC Eigen3::Eigen PRIVATE ${DAEDAL_LAPACK} ${DAEDAL_BLAS} ${DAEDAL_FORTRAN})
