% The Riccati equation of a regulator by Octave's control package (SLICOT): octave --no-gui riccati_peer.m N
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
solution = care(a, b, eye(states), eye(3));
runs = zeros(1, 9);
for k = 1:9
  begin = cputime;
  for repeated = 1:10
    solution = care(a, b, eye(states), eye(3));
  end
  runs(k) = (cputime - begin)/10;
end
printf('{"seconds": %.17g, "trace": %.17g}\n', median(runs), trace(solution));
