// tests/manufactured/constructs.c: the constructs of the language and the ways in which each is written.
// Plain data.
//
// What a `$` stands for is in write.c. A new construct is a row here, and a shape if none fits.
#include "manufactured.h"
#include <string.h>

#define CLOCK "  var y$n = 0\n  y$n' = $S*$r\n"
#define TIED  "  var y$n = 0\n  y$n' = $S*$r - $r*(y$n - $S*$r*t)\n"
#define SINE  "  var y$n = $Y\n  y$n' = $S*$w*cos($w*(t - $B)) - $r*(y$n - $S*sin($w*(t - $B)))\n"
#define BEAT(message, action)                                                                                \
    "atomic Beat$i\n  output event out\n  var n = 0\n  state on for $P\n    after send out(" message         \
    ") do " action " -> on\nend\n"

// a shape that is an expression and nothing else; one with statements in the cell; one with texts elsewhere
// too
#define PLAIN(shape, text)                                                                                   \
    {                                                                                                        \
        shape, text, NULL, NULL, NULL                                                                        \
    }
#define WITH(shape, text, statements)                                                                        \
    {                                                                                                        \
        shape, text, statements, NULL, NULL                                                                  \
    }

static const Form time_forms[] = {
    PLAIN(SHAPE_STEP, "if t >= $B then $p else 0"),         PLAIN(SHAPE_STEP, "if t > $B then $p else 0"),
    PLAIN(SHAPE_STEP, "if not (t < $B) then $p else 0"),    PLAIN(SHAPE_STEP, "if $B <= t then $p else 0"),
    PLAIN(SHAPE_STEP, "if $r*(t - $B) > 0 then $p else 0"), PLAIN(SHAPE_STEP, "step($B)*$p"),
};
static const Form pulse_forms[] = {
    PLAIN(SHAPE_PULSE, "if t >= $B and t < $E then 1 else 0"),
    PLAIN(SHAPE_PULSE, "if t < $B or t >= $E then 0 else 1"),
    PLAIN(SHAPE_PULSE, "if t < $B then 0 else if t < $E then 1 else 0"),
    PLAIN(SHAPE_PULSE, "if not (t < $B) and not (t >= $E) then 1 else 0"),
    PLAIN(SHAPE_PULSE, "pulse($B, $W)"),
    PLAIN(SHAPE_PULSE, "step($B) - step($E)"),
};
static const Form periodic_forms[] = {
    PLAIN(SHAPE_ALWAYS, "if mod(t - $B, $P) < $W then 1 else 0"),
    PLAIN(SHAPE_TRAIN, "pulse($B, $W, $P)"),
    PLAIN(SHAPE_TRAIN, "if t >= $B and mod(t - $B, $P) < $W then 1 else 0"),
    WITH(SHAPE_ALWAYS, "u$n", "  input u$n = if mod(t - $B, $P) < $W then 1 else 0\n"),
};
static const Form rounding_forms[] = {
    PLAIN(SHAPE_FLOOR, "floor((t - $B)/$P)"),
    PLAIN(SHAPE_CEIL, "ceil((t - $B)/$P)"),
    PLAIN(SHAPE_ROUND, "round(t/$P)"),
};
static const Form equal_forms[] = {
    PLAIN(SHAPE_SQUARE, "if mod(floor(t/$P), 2) == 0 then 1 else 0"),
    PLAIN(SHAPE_STEP, "if (if t >= $B then 1 else 0) == 1 then $p else 0"),
    PLAIN(SHAPE_PULSE, "if floor((t - $B)/$W) == 0 then 1 else 0"),
    PLAIN(SHAPE_PULSE, "if floor((t - $B)/$W) != 0 then 0 else 1"),
};
static const Form corner_forms[] = {
    PLAIN(SHAPE_ABS, "abs($r*(t - $B))"),
    PLAIN(SHAPE_RAMP, "max(0, $r*(t - $B))"),
    PLAIN(SHAPE_RAMP, "$r*ramp($B)"),
    PLAIN(SHAPE_LIMIT, "limit($r*(t - $B), 0, $V)"),
    PLAIN(SHAPE_SIGN, "sign(t - $B)"),
    PLAIN(SHAPE_MIN, "min($r*(t - $B), $V)"),
    PLAIN(SHAPE_RAMP, "deadspace($r*(t - $B), -100, 0)"),
};
static const Form table_forms[] = {
    { SHAPE_LINES, "tab$i($r*t)", NULL, "table tab$i(s) linear\n$Rend\n", NULL },
    { SHAPE_HOLD, "tab$i($r*t)", NULL, "table tab$i(s) hold\n$Rend\n", NULL },
};
static const Form clock_forms[] = {
    WITH(SHAPE_STEP, "if y$n > $q then $p else 0", CLOCK),
    WITH(SHAPE_STEP, "if y$n >= $q then $p else 0", TIED),
    WITH(SHAPE_STEP, "if not (y$n < $q) then $p else 0", CLOCK),
    WITH(SHAPE_STEP, "if a$n > 0 then $p else 0", TIED "  a$n = 2*(y$n - $q)\n"),
    WITH(SHAPE_STEP, "if (if y$n >= $q then 1 else 0) == 1 then $p else 0", CLOCK),
    WITH(SHAPE_FLOOR, "floor((y$n - $q)/$m)", CLOCK),
    WITH(SHAPE_RAMP, "max(0, (y$n - $q)/$S)", TIED),
    WITH(SHAPE_LIMIT, "limit((y$n - $q)/$S, 0, $V)", CLOCK),
    { SHAPE_LINES, "tab$i(y$n/$S)", CLOCK, "table tab$i(s) linear\n$Rend\n", NULL },
};
static const Form wave_forms[] = {
    WITH(SHAPE_WAVE, "if y$n > $l then 1 else 0", SINE),
    WITH(SHAPE_WAVE, "if not (y$n <= $l) then 1 else 0", SINE),
    WITH(SHAPE_WAVE, "d$n",
         SINE "  discrete d$n = $Z\n  when y$n > $l then d$n := 1 end\n"
              "  when y$n <= $l then d$n := 0 end\n"),
};
static const Form timewave_forms[] = {
    PLAIN(SHAPE_WAVE, "if sin($w*(t - $B)) > $L then 1 else 0"),
    WITH(SHAPE_WAVE, "d$n",
         "  discrete d$n = $Z\n  when sin($w*(t - $B)) > $L then d$n := 1 end\n"
         "  when sin($w*(t - $B)) <= $L then d$n := 0 end\n"),
};
static const Form self_forms[] = {
    PLAIN(SHAPE_STEP, "if x > $X then $p else 0"),
    PLAIN(SHAPE_STEP, "if x >= $X then $p else 0"),
    PLAIN(SHAPE_STEP, "if not (x < $X) then $p else 0"),
};
static const Form nested_forms[] = {
    WITH(SHAPE_PULSE, "if y$n > $q then (if t < $E then 1 else 0) else 0", CLOCK),
    WITH(SHAPE_PULSE, "if y$n > $q and t < $E then 1 else 0", TIED),
    WITH(SHAPE_PULSE, "if not (y$n <= $q or t >= $E) then 1 else 0", CLOCK),
    WITH(SHAPE_PULSE, "if t < $E then (if y$n >= $q then 1 else 0) else 0", TIED),
    WITH(SHAPE_PULSE, "if t > $B and (if y$n < $Q then 1 else 0) == 1 then 1 else 0", CLOCK),
};
static const Form noevent_forms[] = {
    PLAIN(SHAPE_RAMP, "noevent(if t > $B then $r*(t - $B) else 0)"),
    PLAIN(SHAPE_RAMP, "noevent(max(0, $r*(t - $B)))"),
    PLAIN(SHAPE_ABS, "noevent(abs($r*(t - $B)))"),
    PLAIN(SHAPE_LINES, "table($r*t, $T)"),
    WITH(SHAPE_RAMP, "noevent(if y$n > $q then (y$n - $q)/$S else 0)", CLOCK),
};
static const Form at_forms[] = {
    WITH(SHAPE_STEP, "d$n*$p", "  discrete d$n = 0\n  at $B then d$n := 1 end\n"),
    WITH(SHAPE_STEP, "if d$n == 1 then $p else 0", "  discrete d$n = 0\n  at $B then d$n := 1 end\n"),
    WITH(SHAPE_PULSE, "d$n", "  discrete d$n = 0\n  at $B then d$n := 1 end\n  at $E then d$n := 0 end\n"),
    WITH(SHAPE_KICK, NULL, "  at $B then x := x + $k end\n"),
};
static const Form every_forms[] = {
    WITH(SHAPE_KICKS, NULL, "  every $P from $B then x := x + $k end\n"),
    WITH(SHAPE_COUNT, "d$n", "  discrete d$n = 0\n  every $P from $B then d$n := d$n + 1 end\n"),
    WITH(SHAPE_COUNT, "d$n", "  discrete d$n = 0\n  next d$n = d$n + 1 every $P from $B\n"),
    WITH(SHAPE_PERIOD_KICKS, NULL, "  every $P then x := x + $k end\n"),
};
static const Form when_forms[] = {
    WITH(SHAPE_STEP, "d$n*$p", CLOCK "  discrete d$n = 0\n  when y$n > $q then d$n := 1 end\n"),
    WITH(SHAPE_KICK, NULL, TIED "  when y$n >= $q then x := x + $k end\n"),
    WITH(SHAPE_KICK, NULL, "  when t > $B then x := x + $k end\n"),
    WITH(SHAPE_PULSE, "d$n",
         CLOCK "  discrete d$n = 0\n  when y$n > $q then d$n := 1 elsewhen t >= $E then d$n := 0 end\n"),
    WITH(SHAPE_COUNT, "d$n",
         "  var y$n = 0\n  discrete d$n = 0\n  y$n' = $S*$r\n"
         "  when y$n >= (if d$n < 0.5 then $q else $m) then\n    d$n := d$n + 1\n    y$n := 0\n  end\n"),
};
static const Form after_forms[] = {
    WITH(SHAPE_LATER, "d$n", "  discrete d$n = 0\n  when t > $B after $W then d$n := 1 end\n"),
    WITH(SHAPE_LATER, "d$n", CLOCK "  discrete d$n = 0\n  when y$n > $q after $W then d$n := 1 end\n"),
    WITH(SHAPE_LATER_KICK, NULL, CLOCK "  when y$n >= $q after $W then x := x + $k end\n"),
};
static const Form set_forms[] = {
    WITH(SHAPE_SET, NULL, "  at $B then x := $k end\n"),
    WITH(SHAPE_SET, NULL, CLOCK "  when y$n > $q then x := $k end\n"),
};
static const Form priority_forms[] = {
    WITH(SHAPE_THIRD_KICKS, NULL,
         "  discrete n$n = 0, j$n = 0\n  every $P priority 1 then n$n := n$n + 1 end\n"
         "  every $3 then\n    j$n := j$n + 1\n    x := x + $k*(1 + n$n - 3*j$n)\n  end\n"),
    WITH(SHAPE_THIRD_KICKS, NULL,
         "  discrete n$n = 0, j$n = 0\n"
         "  every $3 then\n    j$n := j$n + 1\n    x := x + $k*(1 + n$n - 3*j$n)\n  end\n"
         "  every $P priority 1 then n$n := n$n + 1 end\n"),
    WITH(SHAPE_KICK, NULL,
         "  discrete n$n = 0\n  at $B then x := x + $k*n$n end\n"
         "  when t >= $B priority 2 then n$n := 1 end\n"),
};
static const Form delay_forms[] = {
    WITH(SHAPE_SQUARED, "delay(y$n, $B)", "  var y$n = 0\n  y$n' = 2*$r*$r*t\n"),
    WITH(SHAPE_LATER, "delay(v$n, $W, 0)", "  v$n = if t >= $B then 1 else 0\n"),
    WITH(SHAPE_LATER, "delay(d$n, $W, 0)", "  discrete d$n = 0\n  at $B then d$n := 1 end\n"),
    WITH(SHAPE_LATER_TRAIN, "delay(v$n, $W, 0)", "  v$n = pulse($B, $W, $P)\n"),
};
static const Form delay_self_forms[] = {
    PLAIN(SHAPE_NOTHING, "0.3*$g*(delay(x, $W, $0) - (if t >= $W then $b else $0))"),
};
static const Form loop_forms[] = {
    WITH(SHAPE_BEND, "z$n", "  var z$n ~ 0\n  z$n + 0.5*max(z$n, 0) = $r*(t - $B)\n"),
    WITH(SHAPE_BEND, "z$n", "  z$n = $r*(t - $B) - 0.5*w$n\n  w$n = max(z$n, 0)\n"),
    WITH(SHAPE_BEND, "z$n", "  z$n = $r*(t - $B) - 0.5*w$n\n  w$n = if z$n > 0 then z$n else 0\n"),
    WITH(SHAPE_BEND, "z$n", CLOCK "  var z$n ~ 0\n  z$n + 0.5*max(z$n, 0) = (y$n - $q)/$S\n"),
};
static const Form coupled_forms[] = {
    { SHAPE_STEP, "u$n", "  input u$n = 0\n", NULL, "  v$i = if t >= $B then $p else 0\n  v$i -> $C.u$n\n" },
    { SHAPE_PULSE, "u$n", "  input u$n = 0\n", NULL,
      "  discrete v$i = 0\n  at $B then v$i := 1 end\n  at $E then v$i := 0 end\n  v$i -> $C.u$n\n" },
    { SHAPE_STEP, "if u$n > $q then $p else 0", "  input u$n = 0\n", NULL,
      "  var v$i = 0\n  v$i' = $S*$r\n  v$i -> $C.u$n\n" },
    { SHAPE_KICK, NULL, NULL, NULL, "  at $B then $C.x := $C.x + $k end\n" },
};
static const Form atomic_forms[] = {
    { SHAPE_PERIOD_KICKS, NULL, "  input event kick$n\n  on kick$n then x := x + $k end\n",
      BEAT("1", "n := 0"), "  b$i : Beat$i\n  b$i.out -> $C.kick$n\n" },
    { SHAPE_PERIOD_COUNT, "u$n", "  input u$n = 0\n", BEAT("n + 1", "n := n + 1"),
      "  b$i : Beat$i\n  b$i.out -> $C.u$n\n" },
    { SHAPE_LATER_KICK, NULL,
      CLOCK "  output event go$n\n  input event back$n\n  when y$n >= $q then send go$n(1) end\n"
            "  on back$n then x := x + $k end\n",
      "atomic Lag$i\n  input event go\n  output event back\n  state idle\n    on go -> busy\n"
      "  state busy for $W\n"
      "    after send back(1) -> idle\nend\n",
      "  b$i : Lag$i\n  $C.go$n -> b$i.go\n  b$i.back -> $C.back$n\n" },
};

#define FORMS(f) f, sizeof(f) / sizeof *(f)

const Construct constructs[] = {
    { "time", "a relation on time", FORMS(time_forms), 0, false, false, 0 },
    { "pulse", "and, or, not and nested relations on time; narrow pulses", FORMS(pulse_forms), 0, false,
      false, 0 },
    { "periodic", "mod and pulse with a period", FORMS(periodic_forms), 0, false, false, 0 },
    { "rounding", "floor, ceil, round of time", FORMS(rounding_forms), 0, false, false, 0 },
    { "equal", "== and != of step functions", FORMS(equal_forms), 0, false, false, 0 },
    { "corner", "abs, min, max, limit, sign, ramp, deadspace of time", FORMS(corner_forms), 0, false, false,
      0 },
    { "table", "tables with kinks and steps", FORMS(table_forms), 0, false, false, 0 },
    { "timewave", "a sine of time compared", FORMS(timewave_forms), 0, false, false, 0 },
    { "clock", "relations and corners on a state that rises", FORMS(clock_forms), 1, false, false, 0 },
    { "wave", "relations on a state that swings", FORMS(wave_forms), 1, false, false, 0 },
    { "self", "a relation on the state itself", FORMS(self_forms), 1, true, false, 0 },
    { "nested", "relations on states and on time, nested", FORMS(nested_forms), 1, false, false, 0 },
    { "noevent", "corners that make no events", FORMS(noevent_forms), 0, false, false, 2 },
    { "at", "events at a time", FORMS(at_forms), 0, false, false, 0 },
    { "every", "events with a period", FORMS(every_forms), 0, false, false, 0 },
    { "when", "events on conditions", FORMS(when_forms), 1, false, false, 0 },
    { "after", "events some time after a condition", FORMS(after_forms), 1, false, false, 0 },
    { "set", "a state set to a value", FORMS(set_forms), 1, false, false, 0 },
    { "priority", "events at one instant, in order", FORMS(priority_forms), 0, false, false, 0 },
    { "delay", "delays of states and of what jumps", FORMS(delay_forms), 0, false, false, 0 },
    { "delay_self", "a delay of the state itself", FORMS(delay_self_forms), 0, true, false, 0 },
    { "loop", "loops of equations around a switch", FORMS(loop_forms), 1, false, false, 0 },
    { "island", "relations on time in an island", FORMS(time_forms), 0, false, true, 0 },
    { "coupled", "an island that reads what jumps and moves outside", FORMS(coupled_forms), 1, false, true,
      0 },
    { "atomic", "messages of atomics", FORMS(atomic_forms), 1, false, false, 0 },
};
const size_t n_constructs = sizeof constructs / sizeof *constructs;

const Construct *construct_find(const char *name)
{
    for (size_t i = 0; i < n_constructs; i++)
        if (strcmp(constructs[i].name, name) == 0) return &constructs[i];
    return NULL;
}
