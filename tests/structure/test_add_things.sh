#!/usr/bin/env bash
# The table "to add … change these files" of CONTRIBUTING.md: each thing is added to a copy of the tree, in no more files than
# the table says; then the copy is built (in the long check) and has them all.
. "$(dirname "$0")/../common/shell.sh"
command -v ninja >/dev/null || exit 77
[[ -z ${ORRERY_SANITIZE:-} ]] || exit 77

mkdir tree
cp -r "$root"/{src,include,apps,cmake,docs,examples,CMakeLists.txt,LICENSE,README.md,tools} tree
cd tree || exit 1
git init -q . && git add -A && git -c user.name=t -c user.email=t@t commit -qm tree

# count_files THING: files changed since the last thing, which the table allows that many of
count_files() {
    git add -A
    local n allowed
    n=$(git diff --cached --name-only | wc -l)
    allowed=$(sed -nE "s/^\| $1 \| ([0-9]+) \|.*/\1/p" "$root/CONTRIBUTING.md")
    check
    [[ -n $allowed ]] || fail "CONTRIBUTING.md has no row '$1'"
    ((n > 0 && n <= allowed)) || fail "$1: $n files, of $allowed that CONTRIBUTING.md says"
    git -c user.name=t -c user.email=t@t commit -qm "$1"
}

# a function: x/(1 + x)
sed -i 's|^FN(ERF, .*|&\nFN(SHARE, 1, "share", IN_C(share, a / (1.0 + a)), pure, SMOOTH, NOT_NEGATIVE, rising, OVER(SQUARE(PLUS_ONE(a))))|' src/expr/ops.def
count_files 'an elementary function'

# a method: Ralston's of second order
cat >>src/num/fixed.def <<'END'
FIXED(ralston, 2, "Ralston's method, fixed step, second order", 2,
      ROW(0, 1, 0),
      ROW(2.0 / 3, 3, 2),
      ROW(1, 4, 1, 3))
END
sed -i 's/^    S(heun)  .*/&\n    S(ralston)     \\/' src/solve/registry.c
count_files 'an explicit method with fixed steps'

# a command
cat >apps/cli/cmd_greet.c <<'END'
// apps/cli/cmd_greet.c: `orrery greet`.
#include "commands.h"

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)settings, (void)diag;
    printf("hello, %s\n", arguments->items[0]);
    return ORR_STATUS_OK;
}

const Command command_greet = { .name = "greet", .arguments = "NAME", .summary = "Greet", .at_least = 1, .at_most = 1, .run = run };
END
sed -i 's/command_explain;/command_explain, command_greet;/; s/&command_explain,/\&command_explain, \&command_greet,/' apps/cli/main.c
count_files 'a command'

# a kind of experiment
cat >src/exp/kind_count.c <<'END'
// src/exp/kind_count.c: how many variables a model has.
#include "exp/kind.h"

static orr_status carry_out(Call *call)
{
    say(call, "%zu variables\n", orr_model_n_variables(call->model));
    return ORR_STATUS_OK;
}

const Kind kind_count = { .kind = { .name = "count", .summary = "Count variables", .shared = "set", .details = "" }, .carry_out = carry_out };
END
sed -i 's/extern const Kind kind_simulate,/extern const Kind kind_count, kind_simulate,/; s/^    &kind_simulate,/    \&kind_simulate, \&kind_count,/' src/exp/registry.c
count_files 'a kind of experiment'

# an importer: a line is a rate
cat >src/lang/import_rates.c <<'END'
// src/lang/import_rates.c: models as lines `x = start, rate`.
#include "base/text.h"
#include "lang/frontend.h"
#include <stdio.h>

static bool parse(Ast *ast, uint32_t file, const char *path, const char *text, size_t n, orr_diag *diag)
{
    char name[40];
    double start, rate;
    StrBuf s = { .arena = ast->arena };
    (void)n;
    str_add(&s, "model Rates\n");
    if (sscanf(text, "%39s = %lf , %lf", name, &start, &rate) != 3) return false;
    str_addf(&s, "  var %s = %.17g\n  %s' = %.17g\nend\n", name, start, name, rate);
    const char *made = str_finish(&s);
    return frontend_orrery.parse(ast, file, path, made, strlen(made), diag);
}

const FrontEnd frontend_rates = { .name = "rates", .suffix = ".rates", .parse = parse };
END
sed -i 's/^    F(csmp)$/    F(csmp)           \\\n    F(rates)/' src/source/source.c
count_files 'an importer'

# a statement of models: `never c` is the opposite of `assert c`
sed -i 's|^    AST_ASSERT, .*|&\n    AST_NEVER,|' src/lang/ast.h
sed -i 's|static void parse_assert(Parser \*p)|static void parse_assert(Parser *p, AstItemKind kind)|; s|item_since(p, AST_ASSERT, start)|item_since(p, kind, start)|
    s|ST_ASSERT, ST_PREFER, ST_FOR|ST_ASSERT, ST_NEVER, ST_PREFER, ST_FOR|; s|^    { "assert", .*|&\n    { "never", ST_NEVER, 0, true },|
    s|^        case ST_ASSERT: .*|        case ST_ASSERT: parse_assert(p, AST_ASSERT); return;\n        case ST_NEVER: parse_assert(p, AST_NEVER); return;|' src/lang/parse_model.c
sed -i 's|^    case AST_ASSERT:|    case AST_ASSERT: case AST_NEVER:|; s|print_text(p, "assert ")|print_text(p, item->kind == AST_NEVER ? "never " : "assert ")|' src/lang/print_model.c
sed -i 's|{ "assert",  |{ "assert", "never", |' src/lang/print.c
sed -i 's|^    case AST_ASSERT: {|    case AST_ASSERT: case AST_NEVER: {|
    s|        const Expr condition = lower_truth(&plain, item->assertion.condition);|        Expr condition = lower_truth(\&plain, item->assertion.condition);\n        if (item->kind == AST_NEVER) condition = expr_unary(\&flat->pool, EXPR_NOT, condition);|' src/flat/define.c
sed -i 's|^    case AST_ASSERT:|    case AST_ASSERT: case AST_NEVER:|' src/units/gather.c
count_files 'a statement of models'

# what was touched is C in every check; the whole is built and tried in the long one
if [[ -z ${ORRERY_LONG:-} ]]; then
    check
    git diff --name-only "$(git rev-list --max-parents=0 HEAD)" HEAD | grep '\.c$' >touched
    xargs -n 1 -P 2 cc -fsyntax-only -std=gnu17 -D_GNU_SOURCE -DORRERY_LIBRARY='""' -Isrc -Iinclude -Iapps/cli <touched 2>errors || fail "$(head -c 800 errors)"
    finish
fi

check
env -u XDG_CACHE_HOME cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DORRERY_TESTS=OFF >log 2>&1 &&
    cmake --build build --target orrery >>log 2>&1 || fail "$(grep -E 'error|undefined' log | head -5)"
orrery=build/bin/orrery
printf 'model M\n  var x = 1\n  x'"'"' = -x\n  output y = share(x)\nend\nexperiment e of M\n  until 1\nend\n' >m.orr
printf 'z = 1 , 2\n' >m.rates
expect_equal "$($orrery greet world)" "hello, world" "the new command"
expect_equal "$($orrery count m.orr)" "3 variables" "the new kind"
# order 2: a tenth of the step is a hundredth of the error, of exp(-1)
error() { $orrery run m.orr --solver ralston --step "$1" -o - --quiet | awk -F, 'END { e = $2/(1 - $2) - exp(-1); print e < 0 ? -e : e }'; }
check
awk -v a="$(error 0.1)" -v b="$(error 0.01)" 'BEGIN { exit !(a > 0 && a/b > 90 && a/b < 125) }' ||
    fail "the new method and function: errors $(error 0.1) and $(error 0.01)"
printf 'model M\n  var x = 1\n  x'"'"' = 1\n  never x > 1.5 "too much"\nend\nexperiment e of M\n  until 1\nend\n' >never.orr
out=$($orrery run never.orr -o - --quiet 2>&1)
expect_out "too much"
check
$orrery run m.rates --until 3 -o - --quiet | awk -F, 'END { exit !($1 == 3 && $2 > 7 - 1e-9 && $2 < 7 + 1e-9) }' || fail "the new importer"
finish
