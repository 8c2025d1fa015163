// tools/errors.c: print docs/errors.md from the lists of messages. Run by tools/errors.
#include "base/diag_list.h"
#include "base/explain_list.h"
#include <stdio.h>
#include <string.h>

static const struct Code { const char *name, *code, *format; } codes[] = {
#define D(NAME, CODE, FORMAT) { #NAME, CODE, FORMAT },
    DIAG_LIST(D)
#undef D
};

static const struct Explanation { const char *name, *meaning, *example, *repair; } explanations[] = {
#define X(NAME, MEANING, EXAMPLE, REPAIR) { #NAME, MEANING, EXAMPLE, REPAIR },
    EXPLAIN_LIST(X)
#undef X
};

static const char *const families[] = {
    "Files and the command line", "Names and declarations",   "Syntax",   "Structure of the equations",
    "Experiments and settings",   "While a model is running", "Warnings", "Code generation and the computer",
    "Finite-state machines",
};

// The pattern with a readable word for each conversion: '%s' becomes '…'.
static void print_pattern(const char *format)
{
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            putchar(*p);
        } else if (p[1] == '%') {
            putchar(*p++);
        } else {
            fputs("…", stdout);
            p += strcspn(p, "diuxXfgGeEsc");
        }
    }
}

int main(void)
{
    puts("# Messages\n\nEvery message Orrery can give, by its code. `orrery explain CODE` prints the same. "
         "Made from"
         " `src/base/diag_list.h`\nand `src/base/explain_list.h` by `tools/errors`.");
    char family = 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code[1] != family) {
            family = codes[i].code[1];
            printf("\n## %s\n", families[family - '0']);
        }
        printf("\n### %s: ", codes[i].code);
        print_pattern(codes[i].format);
        puts("\n");
        for (size_t k = 0; k < sizeof explanations / sizeof *explanations; k++) {
            if (strcmp(explanations[k].name, codes[i].name) != 0) continue;
            printf("%s\n\n%s\n\nWhat to do: %s\n", explanations[k].meaning, explanations[k].example,
                   explanations[k].repair);
        }
    }
    return 0;
}
