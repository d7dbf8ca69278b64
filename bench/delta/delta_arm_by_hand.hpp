// Written by generate_arm.py: one arm of the delta robot, parameter set A. Matrices are row by row.
// clang-format off
#pragma once

#include <cmath>

namespace delta {

// q, v, a: joint angles, velocities, accelerations; f: force on the tip.

/// M a + c + g + damping - J^T f, and the acceleration of the tip.
inline void arm_residual(const double* q, const double* v, const double* a, const double* f, double* equations, double* tip_acceleration) {
  const double t0 = std::cos(q[0]);
  const double t1 = (1.0/4.0)*t0;
  const double t2 = std::sin(q[0]);
  const double t3 = (1.0/4.0)*t2;
  const double t4 = std::sin(q[1]);
  const double t5 = (19.0/400.0)*t2;
  const double t6 = t4*t5;
  const double t7 = std::cos(q[1]);
  const double t8 = std::pow(v[1], 2);
  const double t9 = t7*t8;
  const double t10 = std::sin(q[2]);
  const double t11 = t10*t4;
  const double t12 = (19.0/400.0)*t0;
  const double t13 = t11*t12;
  const double t14 = std::cos(q[2]);
  const double t15 = t12*t4;
  const double t16 = t4*std::pow(v[2], 2);
  const double t17 = t14*t7;
  const double t18 = t12*t17;
  const double t19 = t10*t7;
  const double t20 = v[1]*v[2];
  const double t21 = (3.0/5.0)*t4;
  const double t22 = (3.0/5.0)*t19;
  const double t23 = (3.0/5.0)*t17;
  const double t24 = std::pow(v[0], 2);
  const double t25 = t24*t5;
  const double t26 = t14*t21;
  const double t27 = t10*t21;
  equations[0] = (343.0/6000.0)*a[0] + a[1]*t18 + a[1]*t6 - a[2]*t13 + f[1]*t3 - f[2]*t1 - 19.0/200.0*t0*t19*t20 - 19293.0/10000.0*t0 - t12*t14*t16 - t14*t15*t8 + t5*t9 + (1.0/20.0)*v[0];
  equations[1] = a[0]*t18 + a[0]*t6 + (12.0/125.0)*a[1] - f[0]*t22 + f[1]*t21 - f[2]*t23 + t15*t24 - 12.0/125.0*t16*t7 - t17*t25 - 18639.0/10000.0*t17 + (1.0/50.0)*v[1];
  equations[2] = -a[0]*t13 + (12.0/125.0)*a[2]*std::pow(t4, 2) - f[0]*t26 + f[2]*t27 + t11*t25 + (18639.0/10000.0)*t11 + (24.0/125.0)*t20*t4*t7 + (1.0/50.0)*v[2];
  tip_acceleration[0] = a[1]*t22 + a[2]*t26 + v[1]*((3.0/5.0)*t14*t7*v[2] - t27*v[1]) + v[2]*(t23*v[1] - t27*v[2]);
  tip_acceleration[1] = -a[0]*t3 - a[1]*t21 - t1*t24 - 3.0/5.0*t9;
  tip_acceleration[2] = a[0]*t1 + a[1]*t23 - a[2]*t27 - t24*t3 + v[1]*(-t22*v[2] - t26*v[1]) + v[2]*(-t22*v[1] - t26*v[2]);
}

/// Their derivatives.
inline void arm_jacobian(const double* q, const double* v, const double* a, const double* f, double* equations_q, double* equations_v, double* mass_matrix, double* tip_jacobian, double* tip_acceleration_q, double* tip_acceleration_v) {
  const double t0 = std::sin(q[0]);
  const double t1 = std::cos(q[0]);
  const double t2 = (1.0/4.0)*t1;
  const double t3 = (1.0/4.0)*t0;
  const double t4 = std::sin(q[1]);
  const double t5 = (19.0/400.0)*t4;
  const double t6 = t1*t5;
  const double t7 = std::pow(v[1], 2);
  const double t8 = std::cos(q[1]);
  const double t9 = (19.0/400.0)*t8;
  const double t10 = t1*t9;
  const double t11 = t10*t7;
  const double t12 = std::cos(q[2]);
  const double t13 = t0*t9;
  const double t14 = std::sin(q[2]);
  const double t15 = t0*t5;
  const double t16 = t14*t15;
  const double t17 = t12*t4;
  const double t18 = (19.0/400.0)*t17;
  const double t19 = t0*t18;
  const double t20 = std::pow(v[2], 2);
  const double t21 = t14*t8;
  const double t22 = (19.0/200.0)*t0;
  const double t23 = a[1]*t1;
  const double t24 = (19.0/400.0)*t21;
  const double t25 = a[2]*t1;
  const double t26 = t10*t12;
  const double t27 = t8*v[1];
  const double t28 = (19.0/200.0)*t1;
  const double t29 = t28*v[2];
  const double t30 = std::pow(v[0], 2);
  const double t31 = a[0]*t13;
  const double t32 = t10*t30;
  const double t33 = std::pow(t8, 2);
  const double t34 = (3.0/5.0)*t8;
  const double t35 = std::pow(t4, 2);
  const double t36 = (12.0/125.0)*t35;
  const double t37 = (3.0/5.0)*t4;
  const double t38 = t14*t37;
  const double t39 = t12*t37;
  const double t40 = a[0]*t1;
  const double t41 = f[0]*t38 + f[2]*t39 + (18639.0/10000.0)*t17 - t18*t40 + t19*t30;
  const double t42 = t12*t34;
  const double t43 = t14*t34;
  const double t44 = -f[0]*t42 + f[2]*t43 + t0*t24*t30 + (18639.0/10000.0)*t21 - t24*t40;
  const double t45 = t14*t6;
  const double t46 = (24.0/125.0)*v[2];
  const double t47 = t46*v[1];
  const double t48 = t4*t8;
  const double t49 = t28*v[1];
  const double t50 = t46*t48;
  const double t51 = t15 + t26;
  const double t52 = -t45;
  const double t53 = -t39*v[2] - t43*v[1];
  const double t54 = -t39*v[1] - t43*v[2];
  const double t55 = (3.0/5.0)*t14*t4*v[2] - t42*v[1];
  const double t56 = t38*v[1] - t42*v[2];
  const double t57 = (6.0/5.0)*v[1];
  const double t58 = t14*t4;
  const double t59 = (6.0/5.0)*v[2];
  const double t60 = (6.0/5.0)*t27;
  const double t61 = (1.0/2.0)*v[0];
  equations_q[0] = -a[1]*t12*t13 + a[1]*t6 + a[2]*t16 + f[1]*t2 + f[2]*t3 + (19293.0/10000.0)*t0 + t11 + t19*t20 + t19*t7 + t21*t22*v[1]*v[2];
  equations_q[1] = (19.0/400.0)*a[1]*t0*t8 + (19.0/200.0)*t1*t14*t4*v[1]*v[2] - t11*t12 - t15*t7 - t18*t23 - t20*t26 - t24*t25;
  equations_q[2] = (19.0/400.0)*t1*t14*t20*t4 + (19.0/400.0)*t1*t14*t4*t7 - t12*t27*t29 - t18*t25 - t23*t24;
  equations_q[3] = (19.0/400.0)*a[0]*t1*t4 - t12*t31 - t12*t32 - t15*t30;
  equations_q[4] = f[1]*t34 - 12.0/125.0*t20*t33 + t20*t36 + t31 + t32 + t41;
  equations_q[5] = t44;
  equations_q[6] = a[0]*t16 + t30*t45;
  equations_q[7] = (24.0/125.0)*a[2]*t48 + t33*t47 - t35*t47 + t44;
  equations_q[8] = t41;
  equations_v[0] = 1.0/20.0;
  equations_v[1] = (19.0/200.0)*t0*t8*v[1] - t17*t49 - t21*t29;
  equations_v[2] = -t17*t29 - t21*t49;
  equations_v[3] = (19.0/200.0)*t1*t4*v[0] - t12*t22*t8*v[0];
  equations_v[4] = 1.0/50.0;
  equations_v[5] = -t50;
  equations_v[6] = t14*t22*t4*v[0];
  equations_v[7] = t50;
  equations_v[8] = (24.0/125.0)*t27*t4 + 1.0/50.0;
  mass_matrix[0] = 343.0/6000.0;
  mass_matrix[1] = t51;
  mass_matrix[2] = t52;
  mass_matrix[3] = t51;
  mass_matrix[4] = 12.0/125.0;
  mass_matrix[5] = 0;
  mass_matrix[6] = t52;
  mass_matrix[7] = 0;
  mass_matrix[8] = t36;
  tip_jacobian[0] = 0;
  tip_jacobian[1] = t43;
  tip_jacobian[2] = t39;
  tip_jacobian[3] = -t3;
  tip_jacobian[4] = -t37;
  tip_jacobian[5] = 0;
  tip_jacobian[6] = t2;
  tip_jacobian[7] = t42;
  tip_jacobian[8] = -t38;
  tip_acceleration_q[0] = 0;
  tip_acceleration_q[1] = -a[1]*t38 + a[2]*t42 + t53*v[1] + t54*v[2];
  tip_acceleration_q[2] = a[1]*t42 - a[2]*t38 + t53*v[2] + t54*v[1];
  tip_acceleration_q[3] = -a[0]*t2 + (1.0/4.0)*t0*t30;
  tip_acceleration_q[4] = -a[1]*t34 + (3.0/5.0)*t4*t7;
  tip_acceleration_q[5] = 0;
  tip_acceleration_q[6] = -a[0]*t3 - t2*t30;
  tip_acceleration_q[7] = -a[1]*t39 - a[2]*t43 + t55*v[1] + t56*v[2];
  tip_acceleration_q[8] = -a[1]*t43 - a[2]*t39 + t55*v[2] + t56*v[1];
  tip_acceleration_v[0] = 0;
  tip_acceleration_v[1] = (6.0/5.0)*t12*t8*v[2] - t57*t58;
  tip_acceleration_v[2] = t12*t60 - t58*t59;
  tip_acceleration_v[3] = -t1*t61;
  tip_acceleration_v[4] = -t60;
  tip_acceleration_v[5] = 0;
  tip_acceleration_v[6] = -t0*t61;
  tip_acceleration_v[7] = -t17*t57 - t21*t59;
  tip_acceleration_v[8] = -t17*t59 - t21*t57;
}

/// What is linear in a and f taken apart: M a + bias = J^T f and tip'' = J a + drift.
inline void arm_dynamics(const double* q, const double* v, double* mass_matrix, double* tip_jacobian, double* bias, double* drift) {
  const double t0 = std::sin(q[0]);
  const double t1 = std::sin(q[1]);
  const double t2 = (19.0/400.0)*t1;
  const double t3 = t0*t2;
  const double t4 = std::cos(q[0]);
  const double t5 = std::cos(q[1]);
  const double t6 = std::cos(q[2]);
  const double t7 = t5*t6;
  const double t8 = (19.0/400.0)*t7;
  const double t9 = t3 + t4*t8;
  const double t10 = std::sin(q[2]);
  const double t11 = t2*t4;
  const double t12 = -t10*t11;
  const double t13 = (3.0/5.0)*t5;
  const double t14 = t10*t13;
  const double t15 = (3.0/5.0)*t1;
  const double t16 = t15*t6;
  const double t17 = (1.0/4.0)*t0;
  const double t18 = (1.0/4.0)*t4;
  const double t19 = t13*t6;
  const double t20 = t10*t15;
  const double t21 = std::pow(v[1], 2);
  const double t22 = t11*t6;
  const double t23 = std::pow(v[2], 2);
  const double t24 = v[1]*v[2];
  const double t25 = std::pow(v[0], 2);
  const double t26 = t1*t5;
  mass_matrix[0] = 343.0/6000.0;
  mass_matrix[1] = t9;
  mass_matrix[2] = t12;
  mass_matrix[3] = t9;
  mass_matrix[4] = 12.0/125.0;
  mass_matrix[5] = 0;
  mass_matrix[6] = t12;
  mass_matrix[7] = 0;
  mass_matrix[8] = (12.0/125.0)*std::pow(t1, 2);
  tip_jacobian[0] = 0;
  tip_jacobian[1] = t14;
  tip_jacobian[2] = t16;
  tip_jacobian[3] = -t17;
  tip_jacobian[4] = -t15;
  tip_jacobian[5] = 0;
  tip_jacobian[6] = t18;
  tip_jacobian[7] = t19;
  tip_jacobian[8] = -t20;
  bias[0] = (19.0/400.0)*t0*t21*t5 - 19.0/200.0*t10*t24*t4*t5 - t21*t22 - t22*t23 - 19293.0/10000.0*t4 + (1.0/20.0)*v[0];
  bias[1] = -t0*t25*t8 + (19.0/400.0)*t1*t25*t4 - 12.0/125.0*t23*t26 - 18639.0/10000.0*t7 + (1.0/50.0)*v[1];
  bias[2] = (18639.0/10000.0)*t1*t10 + t10*t25*t3 + (24.0/125.0)*t24*t26 + (1.0/50.0)*v[2];
  drift[0] = v[1]*(-t20*v[1] + (3.0/5.0)*t5*t6*v[2]) + v[2]*(t19*v[1] - t20*v[2]);
  drift[1] = -t13*t21 - t18*t25;
  drift[2] = -t17*t25 + v[1]*(-t14*v[2] - t16*v[1]) + v[2]*(-t14*v[1] - t16*v[2]);
}

}  // namespace delta
