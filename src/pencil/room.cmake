daedal_room(pencil base structure system)
daedal_complex_sources(pencil finite_eigenvalues lyapunov)
target_link_libraries(daedal_pencil PUBLIC Eigen3::Eigen)

# The reference implementation, linked statically: which shared one a machine has in its place (OpenBLAS chooses its kernels
# by processor) would change the last digits.
find_library(DAEDAL_LAPACK NAMES liblapack.a lapack PATH_SUFFIXES lapack REQUIRED)
find_library(DAEDAL_BLAS NAMES libblas.a blas PATH_SUFFIXES blas REQUIRED)
find_library(DAEDAL_FORTRAN NAMES libgfortran.so.5 gfortran REQUIRED)  # what they are written in
target_link_libraries(daedal_pencil PRIVATE ${DAEDAL_LAPACK} ${DAEDAL_BLAS} ${DAEDAL_FORTRAN})
