% Invariant zeros by Octave's control package (SLICOT's AB08ND): octave --no-gui octave_peer.m N
pkg load control
states = str2double(argv(){end});
x = 1;
function [m, x] = filled(rows, columns, x)
  m = zeros(rows, columns);
  for k = 1:numel(m)
    x = mod(16807*x, 2147483647);
    m(k) = 2*x/2147483647 - 1;
  end
end
[a, x] = filled(states, states, x);
[b, x] = filled(states, 3, x);
[c, x] = filled(3, states, x);
system = ss(a, b, c, zeros(3));
z = zero(system);
runs = zeros(1, 5);
for k = 1:5
  begin = cputime;
  z = zero(system);
  runs(k) = cputime - begin;
end
printf('{"seconds": %.17g, "zeros": %d, "rightmost": %.17g}\n', median(runs), numel(z), max(real(z)));
