% bench/peers/octave_peer.m: Octave's lsode. Arguments: problems. Prints: program,method,problem,tolerance,ms,values at the end.
1;
function d = lv(y, t)
  d = [y(1)*(1.5 - y(2)); y(2)*(y(1) - 3)];
end
function d = brusselator(y, t)
  d = [1 + y(1)^2*y(2) - 4*y(1); 3*y(1) - y(1)^2*y(2)];
end
function d = robertson(y, t)
  a = 1e4*y(2)*y(3) - 0.04*y(1);
  c = 3e7*y(2)^2;
  d = [a; -a - c; c];
end
function d = vdp(y, t)
  d = [y(2); ((1 - y(1)^2)*y(2) - y(1))/1e-6];
end
function d = heat(y, t)
  n = numel(y);
  d = (n + 1)^2*([0; y(1:n-1)] - 2*y + [y(2:n); 0]);
end

n = 100;
s = (1:n)'/(n + 1);
starts = struct("lv", [10; 5], "brusselator", [1.5; 3], "robertson", [1; 0; 0], "vdp", [2; -0.66], ...
                "heat", sin(pi*s) + 0.5*sin(3*pi*s));
ends = struct("lv", 15, "brusselator", 20, "robertson", 40, "vdp", 2, "heat", 0.1);
names = argv();
for i = 1:numel(names)
  name = names{i};
  methods = {"stiff"};
  if any(strcmp(name, {"lv", "brusselator"})) methods = {"stiff", "adams"}; end
  share = 1e-3;
  if strcmp(name, "robertson") share = 1e-6; end
  for m = 1:numel(methods)
    for tol = 10.^-[3 5 7 9 11]
      lsode_options("integration method", methods{m});
      lsode_options("relative tolerance", tol);
      lsode_options("absolute tolerance", tol*share);
      lsode_options("step limit", 1000000);
      best = Inf;
      begun = tic();
      for k = 1:5
        before = tic();
        [y, state] = lsode(name, starts.(name), [0; ends.(name)]);
        best = min(best, toc(before)*1e3);
        if state != 2 || toc(begun) > 0.5 break; end
      end
      if state != 2 continue; end
      y = y(end, :);
      if strcmp(name, "heat") y = y([25 50]); end
      printf("Octave,lsode %s,%s,%g,%.4f%s\n", methods{m}, name, tol, best, sprintf(",%.17g", y));
      if best > 4000 break; end
    end
  end
end
