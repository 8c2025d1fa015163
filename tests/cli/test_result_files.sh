#!/usr/bin/env bash
# Files of results for other programs: NetCDF-4, units in CSV, where results come from, forms that are not written.
. "$(dirname "$0")/../common/shell.sh"

cat >spring.orr <<'END'
model Spring
  param K = 4 [N/m], M = 1 [kg], x0 = 0.5 [m]
  var x = x0 [m], v = 0 [m/s]
  x' = v
  v' = -K*x/M
end
experiment one of Spring
  until 2
  solver rk4 step 0.01
  every 0.5
end
experiment ends of Spring
  until 2
  solver dopri5 tol 1e-9
  every 0.1
  sweep x0 over 0.5, 1, 2
end
END

# ---- Suffixes
run run spring.orr one -o out.xlsx
expect_status 2
expect_code E460
expect_no_file out.xlsx
run sweep spring.orr one --sweep K=1,2 -o out.parquet
expect_status 2
expect_code E460
run run spring.orr one -o out.txt --quiet
expect_status 0
expect_equal "$(head -n 1 out.txt)" t,x,v

# ---- Units in headers, and read back: a table that an input follows, and members, are converted
run run spring.orr one -o units.csv --units --quiet
expect_status 0
expect_equal "$(head -n 1 units.csv)" 't [s],x [m],v [m/s]'
expect_equal "$(tail -n +2 units.csv | md5sum)" "$(tail -n +2 out.txt | md5sum)" 'rows do not depend on the header'
run plot units.csv --plot 'v over x'
expect_status 0
printf 'model Follow\n  input u = 0 [cm]\n  var y = 0 [cm*s]\n  y'"'"' = u\n  output w [cm] = u\nend\n' >follow.orr
run run follow.orr --input u=units.csv:x:linear --until 2 --every 0.5 --record w -o back.csv --quiet
expect_status 0
expect_near "$(value back.csv w 0.5)" "$(awk 'BEGIN { printf "%.15g", 50*cos(1) }')" 1e-5 'cm from a column in m'
printf 'x0 [cm]\n50\n100\n' >members.csv
run ensemble spring.orr one --members members.csv -o m.csv --units --quiet
expect_status 0
expect_equal "$(sed -n 1p m.csv)" 't [s],member,x0 [m],x [m],v [m/s]'
expect_equal "$(awk -F, 'NR > 1 { printf "%s;", $3 }' m.csv)" '0.5;1;' 'members in cm'
printf 'x0 [kg]\n50\n' >members.csv
run ensemble spring.orr one --members members.csv -o m.csv
expect_status 2
# an index is no unit
printf 't,u[1],u[2]\n0,1,2\n1,3,4\n' >u.csv
run plot u.csv --plot 'u[2] over u[1]'
expect_status 0

# ---- Where results come from
run run spring.orr one --set K=9 --seed 5 -o where.csv --provenance --quiet
expect_status 0
expect_file where.json
if command -v python3 >/dev/null; then
    check
    python3 - <<'END' || fail 'where.json is not what was done'
import json
p = json.load(open("where.json"))
assert p["model"] == "Spring" and p["experiment"] == "one" and p["settings"] == "K=9", p
assert p["seed"] == 5 and p["step"] == 0.01 and p["solver"] == "rk4" and p["source"].startswith("orrery "), p
assert p["statistics"]["steps"] == 200 and p["statistics"]["rows"] == 5, p
END
fi

# ---- NetCDF: the numbers are those of the CSV, bit for bit; members are a dimension
run run spring.orr one -o one.nc --quiet
if ((status != 0)) && [[ $err == *E710* ]]; then
    expect_code E710
    expect_no_file one.nc
    finish
fi
expect_status 0
run run spring.orr ends -o ends.nc --quiet
expect_status 0
run run spring.orr ends -o ends.csv --quiet
run run spring.orr ends --set M=4 --every 0 -o last.nc --quiet
run sweep spring.orr one --sweep 'solver step=0.1,0.05' --every 0.5 -o steps.nc --quiet
expect_status 0
run steady spring.orr one -o steady.nc --quiet
expect_status 0
expect_equal "$(ls ./*.tmp 2>/dev/null)" '' 'temporary files'
run run spring.orr one -o /nowhere/one.nc
expect_status 3
expect_code E010
if command -v ncdump >/dev/null; then
    expect_equal "$(ncdump -h one.nc | grep -c 'x:units = "m"')" 1 'the unit of x'
    expect_equal "$(ncdump -h ends.nc | grep -c 'double x(member, t)')" 1 'members are a dimension'
fi
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import netCDF4' 2>/dev/null && python=$p; done
nc_python=$python
if [[ -n $python ]]; then
    check
    "$python" - <<'END' || fail 'NetCDF differs from CSV, or from the closed solution'
import csv, math, netCDF4
f = netCDF4.Dataset("one.nc")
rows = [list(map(float, r)) for r in list(csv.reader(open("out.txt")))[1:]]
assert [list(r) for r in zip(f["t"][:], f["x"][:], f["v"][:])] == rows
assert f["t"].units == "s" and f["v"].units == "m/s" and f.model == "Spring" and f.step == 0.01
g = netCDF4.Dataset("ends.nc")
assert g["x"].shape == (3, 21) and list(g["x0"][:]) == [0.5, 1, 2] and list(g["member"][:]) == [1, 2, 3]
rows = [list(map(float, r)) for r in list(csv.reader(open("ends.csv")))[1:]]
flat = [[g["t"][k], g["member"][i], g["x0"][i], g["x"][i, k], g["v"][i, k]] for i in range(3) for k in range(21)]
assert flat == rows
assert max(abs(g["x"][i, k] - g["x0"][i]*math.cos(2*g["t"][k])) for i in range(3) for k in range(21)) < 1e-7
END
fi
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import xarray, netCDF4' 2>/dev/null && python=$p; done
if [[ -n $python ]]; then
    check
    "$python" - <<'END' || fail 'xarray does not read it'
import xarray, math
d = xarray.open_dataset("ends.nc", engine="netcdf4", decode_times=False)
assert abs(float(d.x.sel(member=2, t=1.0)) - math.cos(2)) < 1e-7 and d.x.attrs["units"] == "m"
END
fi
if [[ -n ${ORRERY_LONG:-} ]] && Rscript -e 'library(ncdf4)' >/dev/null 2>&1; then
    check
    Rscript -e 'library(ncdf4); f <- nc_open("ends.nc"); x <- ncvar_get(f, "x")
        stopifnot(dim(x) == c(21, 3), abs(x[11, 2] - cos(2)) < 1e-7, ncatt_get(f, "x", "units")$value == "m")' ||
        fail 'R does not read it'
fi

# members of different length and times: each has its own
cat >ragged.orr <<'END'
model Ragged
  param d = 1
  var x = 0
  x' = 1
  when x >= d then terminate "far enough" end
end
END
run sweep ragged.orr --sweep d=0.4,0.7,2 --until 1 --solver dopri5 --every 0.25 -o ragged.nc --quiet
expect_status 0
if [[ -n $nc_python ]]; then
    check
    "$nc_python" - <<'END' || fail 'times of members'
import netCDF4
f = netCDF4.Dataset("ragged.nc")
want = [[0, .25, .4], [0, .25, .5, .7], [0, .25, .5, .75, 1]]
assert f["time"].shape == (3, 5) and list(f["t"][:]) == [0, 1, 2, 3, 4]
for name in "time", "x":
    got = [list(row.compressed()) for row in f[name][:]]
    assert all(len(a) == len(b) and all(abs(p - q) < 1e-9 for p, q in zip(a, b)) for a, b in zip(got, want)), got
END
fi
finish
