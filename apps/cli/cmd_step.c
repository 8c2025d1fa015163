// apps/cli/cmd_step.c: `orrery step`: a run in one's own hands: from event to event, to a time, look, change.
//
// Commands come from a terminal or, line by line, from a file or pipe: then a wrong one ends the program, so
// that a script never goes on with something else than it meant.
#include "commands.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_MAX = 40, TOLD_MAX = 20, WORDS_MAX = 64 };

typedef struct Stepper {
    const orr_model *model;
    orr_run *run;
    orr_diag *diag;
    double until;
    size_t n_seen;       // things that happened since the command began
    bool is_terminal;    // somebody sits there
    bool is_over;
} Stepper;

// ---------------------------------------------------------------------------------------------- what happens

static const char *number(double value, char *text)
{
    orr_format_number(value, text);
    return text;
}

static bool tell(Stepper *s)
{
    if (s->n_seen++ == TOLD_MAX) puts("  …");
    return s->n_seen <= TOLD_MAX;
}

static bool on_event(void *context, const orr_event *e)
{
    char t[40], left[40], right[40];
    if (!tell(context)) return true;
    if (e->variable)
        printf("t = %s: %s: %s from %s to %s\n", number(e->t, t), e->cause, e->variable,
               number(e->left, left), number(e->right, right));
    else printf("t = %s: %s becomes %s\n", number(e->t, t), e->cause, e->right != 0 ? "true" : "false");
    return true;
}

static void on_trace(void *context, const orr_devs *network, const orr_devs_trace *what)
{
    static const char *const kinds[] = { "internal", "external", "confluent" };
    char name[200] = "", t[40], value[40], due[40];
    if (!tell(context)) return;
    if (what->component < ORR_DEVS_NONE) orr_devs_name(network, what->component, name, sizeof name);
    printf("t = %s: ", number(what->t, t));
    if (what->kind == ORR_DEVS_SENT) {
        const orr_devs_port *port = orr_devs_get_port(network, what->component,
                                                      what->component == ORR_DEVS_OUTSIDE, what->port);
        printf("%s%s%s is sent", name, *name ? "." : "", port->name);
        double numbers[16];
        const size_t n = orr_message_numbers(port, what->value, numbers, 16);
        for (size_t i = 0; i < n && i < 16; i++) printf("%s %s", i ? "," : ":", number(numbers[i], value));
        if (n > 16) printf(", …");
        putchar('\n');
    } else if (what->kind == ORR_DEVS_SWITCHED) {
        printf("%s is switched %s\n", name,
               what->n == ORR_DEVS_OFF  ? "off"
               : what->n == ORR_DEVS_ON ? "on"
                                        : "on, as new");
    } else if (what->kind == ORR_DEVS_COUPLING_SWITCHED) {
        printf("coupling %u is switched %s\n", what->port, what->n ? "on" : "off");
    } else {
        printf("%s, %s transition, due %s\n", name, kinds[what->kind],
               isinf(what->due) ? "never" : number(what->due, due));
    }
}

// ---------------------------------------------------------------------------------------------- commands

static bool wrong(Stepper *s, const char *hint, const char *what, const char *word)
{
    usage_error(s->diag, "E027", hint, "%s '%s'", what, word);
    return false;
}

static bool moved(Stepper *s, orr_status status)
{
    char t[40];
    s->is_over = status != ORR_STATUS_OK || orr_run_is_over(s->run);
    if (status == ORR_STATUS_TERMINATED)
        printf("the model has ended the run: %s\n", orr_run_get_facts(s->run).terminated);
    else if (status != ORR_STATUS_OK) return false;
    printf("t = %s\n", number(orr_run_time(s->run), t));
    return true;
}

static bool read_count(Stepper *s, const char *word, long *n)
{
    double value = 1;
    if (word && (!orr_parse_number(word, &value) || value < 1 || value > 1e9 || value != floor(value)))
        return wrong(s, "give a whole number, such as: next 5", "this is not a number of times:", word);
    *n = (long)value;
    return true;
}

// Steps of the solver until something happens, n times.
static bool do_next(Stepper *s, char **words, size_t n_words)
{
    long n;
    if (!read_count(s, n_words > 1 ? words[1] : NULL, &n)) return false;
    for (; n > 0 && !s->is_over; n--) {
        orr_status status = ORR_STATUS_OK;
        s->n_seen = 0;
        while (s->n_seen == 0 && status == ORR_STATUS_OK && orr_run_time(s->run) < s->until &&
               !orr_run_is_over(s->run))
            status = orr_run_step(s->run, s->until);
        const bool none = s->n_seen == 0 && status == ORR_STATUS_OK;
        if (none) puts("nothing more happens before the end");
        if (!moved(s, status)) return false;
        if (none) break;
    }
    return true;
}

static bool do_step(Stepper *s, char **words, size_t n_words)
{
    long n;
    if (!read_count(s, n_words > 1 ? words[1] : NULL, &n)) return false;
    orr_status status = ORR_STATUS_OK;
    s->n_seen = 0;
    // a step may go beyond the end of the experiment: nobody asked for it but the user
    for (; n > 0 && status == ORR_STATUS_OK && !orr_run_is_over(s->run); n--)
        status = orr_run_step(s->run, orr_run_time(s->run) < s->until ? s->until : 1e300);
    return moved(s, status);
}

static bool do_to(Stepper *s, char **words, size_t n_words)
{
    double t;
    if (n_words < 2 || !orr_parse_number(words[1], &t) || !isfinite(t))
        return wrong(s, "give a time, such as: to 2.5", "this is not a time:", n_words < 2 ? "" : words[1]);
    if (t < orr_run_time(s->run))
        return wrong(s, "a run goes forward only; begin anew to see it again", "the run is past", words[1]);
    s->n_seen = 0;
    return moved(s, orr_run_advance(s->run, t));
}

static void put_value(Stepper *s, size_t i)
{
    const orr_variable v = orr_model_variable(s->model, i);
    char text[40];
    printf("  %s = %s%s%s\n", v.name, number(orr_run_value(s->run, i), text), v.unit ? " " : "",
           v.unit ? v.unit : "");
}

// Variables that `chosen` likes; how many there were.
static size_t put_values(Stepper *s, bool (*chosen)(const orr_variable *v, const char *name),
                         const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < orr_model_n_variables(s->model); i++) {
        const orr_variable v = orr_model_variable(s->model, i);
        if (v.is_hidden || v.kind == ORR_KIND_RESULT || !chosen(&v, name)) continue;
        if (n++ < SHOWN_MAX) put_value(s, i);
    }
    if (n > SHOWN_MAX) printf("  … and %zu more\n", n - SHOWN_MAX);
    return n;
}

static bool is_output(const orr_variable *v, const char *name) { return (void)name, v->is_output; }
static bool is_state(const orr_variable *v, const char *name)
{
    return (void)name, v->kind == ORR_KIND_STATE;
}
static bool is_computed(const orr_variable *v, const char *name)
{
    return (void)name, v->kind != ORR_KIND_PARAM && v->kind != ORR_KIND_INPUT;
}
static bool is_any(const orr_variable *v, const char *name) { return (void)v, (void)name, true; }
static bool is_part(const orr_variable *v, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(v->name, name, n) == 0 && (v->name[n] == '.' || v->name[n] == '[');
}

// Names of variables; of a component or an array: all that is in it. Without any: outputs, or states.
static bool do_show(Stepper *s, char **words, size_t n_words)
{
    char t[40];
    printf("t = %s %s\n", number(orr_run_time(s->run), t), orr_model_time_unit(s->model));
    if (n_words < 2) {
        if (put_values(s, is_output, NULL) == 0 && put_values(s, is_state, NULL) == 0)
            put_values(s, is_computed, NULL);
        return true;
    }
    bool ok = true;
    for (size_t i = 1; i < n_words; i++) {
        const size_t variable = orr_model_find(s->model, words[i]);
        if (variable != (size_t)-1) {
            put_value(s, variable);
        } else if (strcmp(words[i], "all") == 0) {
            put_values(s, is_any, NULL);
        } else if (put_values(s, is_part, words[i]) == 0) {
            const char *closest = orr_model_closest(s->model, words[i]);
            char hint[200] = "'show all' shows what there is";
            if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
            ok = wrong(s, hint, "nothing is called", words[i]);
        }
    }
    return ok;
}

static bool do_set(Stepper *s, char **words, size_t n_words)
{
    // set x = 3, set x=3, set x 3: spaces and '=' have become one
    double value;
    if (n_words != 3 || !orr_parse_number(words[2], &value))
        return wrong(s, "write: set x = 3", "this is not a name and a number:", n_words > 1 ? words[1] : "");
    const size_t variable = orr_model_find(s->model, words[1]);
    if (variable == (size_t)-1) {
        const char *closest = orr_model_closest(s->model, words[1]);
        char hint[200] = "'show all' shows what there is";
        if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
        return wrong(s, hint, "nothing is called", words[1]);
    }
    s->n_seen = 0;
    const orr_status status = orr_run_set(s->run, variable, value);
    if (status == ORR_STATUS_FAILED) s->is_over = true;
    if (status != ORR_STATUS_OK && status != ORR_STATUS_TERMINATED) return false;
    put_value(s, variable);
    return true;
}

static bool do_help(Stepper *s, char **words, size_t n_words);

static const struct Word {
    const char *name, *short_name, *arguments, *help;
    bool (*run)(Stepper *s, char **words, size_t n_words);
    bool moves;    // the run goes on
} vocabulary[] = {
    { "next", "n", "[N]", "to the next event, message or transition; N times", do_next, true },
    { "step", "s", "[N]", "one step of the solver; N of them", do_step, true },
    { "to", "t", "T", "to this time", do_to, true },
    { "show", "p", "[NAME …]",
      "values now; of a component or array all it has; all; default: the outputs or states", do_show, false },
    { "set", "=", "NAME = VALUE", "give an input, a state or a parameter another value, from now on", do_set,
      true },
    { "help", "h", "", "these lines", do_help, false },
    { "quit", "q", "", "end; so does the end of the input", NULL, false },
};
enum { N_WORDS = sizeof vocabulary / sizeof *vocabulary };

static bool do_help(Stepper *s, char **words, size_t n_words)
{
    (void)s, (void)words, (void)n_words;
    for (size_t i = 0; i < N_WORDS; i++)
        printf("  %-5s %-13s %s  %s\n", vocabulary[i].name, vocabulary[i].arguments, vocabulary[i].short_name,
               vocabulary[i].help);
    puts("  an empty line repeats the last command; # begins a comment");
    return true;
}

static const struct Word *find_word(Stepper *s, const char *name)
{
    const char *names[N_WORDS];
    for (size_t i = 0; i < N_WORDS; i++) {
        if (strcmp(name, vocabulary[i].name) == 0 || strcmp(name, vocabulary[i].short_name) == 0)
            return &vocabulary[i];
        names[i] = vocabulary[i].name;
    }
    const char *closest = orr_closest(name, names, N_WORDS);
    char hint[64] = "'help' lists the commands";
    if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
    wrong(s, hint, "there is no command", name);
    return NULL;
}

// One line. False: it was wrong, or the run failed; *quit: no more lines.
static bool obey(Stepper *s, char *line, bool *quit)
{
    char *words[WORDS_MAX];
    size_t n = 0;
    char *comment = strchr(line, '#');
    if (comment) *comment = '\0';
    for (char *word = strtok(line, " \t\r\n=,"); word && n < WORDS_MAX; word = strtok(NULL, " \t\r\n=,"))
        words[n++] = word;
    if (n == 0) return true;
    const struct Word *command = find_word(s, words[0]);
    if (!command) return false;
    *quit = !command->run;
    if (*quit) return true;
    if (command->moves && s->is_over)
        return wrong(s, "'show' still works", "the run has ended; it does not go on with", words[0]);
    return command->run(s, words, n);
}

static void print_messages(orr_diag *diag)
{
    if (orr_diag_count(diag) == 0) return;
    fflush(stdout);
    orr_diag_print(diag, stderr, 0);
    orr_diag_forget(diag);
}

static orr_status converse(Stepper *s)
{
    char *line = NULL, *last = NULL;
    size_t size = 0;
    orr_status status = ORR_STATUS_OK;
    for (bool quit = false; !quit;) {
        if (s->is_terminal) fputs("> ", stdout);
        fflush(stdout);
        if (getline(&line, &size, stdin) < 0) break;
        if (strspn(line, " \t\r\n") == strlen(line)) {
            if (!last || !s->is_terminal) continue;
            free(line);
            line = strdup(last);
            size = line ? strlen(line) + 1 : 0;
            if (!line) break;
        } else {
            free(last);
            last = strdup(line);
        }
        const bool ok = obey(s, line, &quit);
        if (!ok) {
            bool is_usage = orr_diag_count(s->diag) > 0 && strcmp(orr_diag_get(s->diag, 0).code, "E027") == 0;
            is_usage |= !s->is_over;
            if (!s->is_terminal) {
                status = is_usage ? ORR_STATUS_USAGE : ORR_STATUS_FAILED;
                break;
            }
        }
        print_messages(s->diag);
    }
    if (s->is_terminal) putchar('\n');
    free(line);
    free(last);
    return status;
}

// ---------------------------------------------------------------------------------------------- the command

static orr_status step_through(Session *session, orr_diag *diag)
{
    orr_experiment e = session->experiment;
    orr_status status = ORR_STATUS_OK;
    if (isnan(e.until)) e.until = e.from + 10;
    if (status == ORR_STATUS_OK && !orr_experiment_check(session->model, &e, diag)) status = ORR_STATUS_USAGE;
    if (status == ORR_STATUS_OK) {
        Stepper stepper = {
            .model = session->model, .diag = diag, .until = e.until, .is_terminal = isatty(STDIN_FILENO)
        };
        orr_run_options run = e.run;
        run.t_start = e.from;
        run.t_end = e.until;
        run.exact = true;
        run.event = on_event;
        run.event_context = &stepper;
        run.trace = on_trace;
        run.trace_context = &stepper;
        stepper.run = orr_run_create(session->model, &run, diag);
        if (stepper.run) {
            char t[40];
            const char *solver = orr_run_get_facts(stepper.run).solver;
            printf("%s%s%s at t = %s %s%s%s\n", orr_model_name(session->model), *e.name ? ", " : "", e.name,
                   number(orr_run_time(stepper.run), t), orr_model_time_unit(session->model),
                   solver ? ", by " : "", solver ? solver : "");
            if (stepper.is_terminal) puts("'help' lists the commands");
            print_messages(diag);
            status = converse(&stepper);
        } else status = ORR_STATUS_FAILED;
        orr_run_destroy(stepper.run);
    }
    return status;
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    Session session;
    const SessionOptions open = { .shared = settings, .arguments = arguments };
    orr_status status = session_open(&session, &open, diag);
    if (status == ORR_STATUS_OK) status = step_through(&session, diag);
    session_close(&session);
    return (int)status;
}

const Command command_step = {
    .name = "step",
    .arguments = "FILE [EXPERIMENT]",
    .summary = "Go through a run by hand: next event, to a time, look, change",
    .shares = OPENING " --code",
    .words = "set input allow-io wait from until solver step path tol abs max-step quantum update seed run",
    .at_least = 1,
    .at_most = 2,
    .settings_size = sizeof(Shared),
    .run = run,
    .details =
        "Commands are read from standard input, one on each line:\n"
        "  next [N]           to the next event, message or transition of a component\n"
        "  step [N]           one step of the solver\n"
        "  to T               to this time\n"
        "  show [NAME …]      values now; of a component or array all it has; 'show all'\n"
        "  set NAME = VALUE   give an input, a state or a parameter another value, from now on\n"
        "  help, quit\n\n"
        "From a file or pipe, a wrong command ends the program with exit code 2; a run that fails with 3.\n\n"
        "Examples:\n"
        "  orrery step examples/ball.orr\n"
        "  printf 'next 3\\nshow h v\\n' | orrery step examples/ball.orr\n",
};
