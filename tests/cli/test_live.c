// tests/cli/test_live.c: the program with somebody at the other end: a terminal, sockets, a broker, the
// clock.
//
// Nothing here depends on how fast the machine is: only orders and lower bounds of times are looked at.
#include "check.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

static char folder[64];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/orrery-live-XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
    FILE *out = fopen("m.orr", "w");
    if (!out) return -1;
    fputs("model M\n  input u = 7\n  var x = 0\n  x' = u\n  output y = u\nend\n"
          // exact for steps
          "experiment e of M\n  until 4\n  every 1\n  solver euler step 0.5\nend\n", out);
    return fclose(out);
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") != 0 || system(command) != 0;
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

// ---------------------------------------------------------------------------------------------- the program

typedef struct Child {
    pid_t pid;
    int   in, out;         // its standard input and what it prints
    char  text[8192];      // printed so far
    size_t n;
} Child;

static void start(Child *c, bool terminal, const char *const *arguments)
{
    const char *argv[32] = { getenv("ORRERY"), "run", "m.orr" };
    size_t n = 3;
    for (; *arguments; arguments++) argv[n++] = *arguments;
    *c = (Child){ 0 };
    int in[2], out[2];
    if (terminal) {
        assert_int_equal(openpty(&in[1], &in[0], NULL, NULL, NULL), 0);
    } else {
        assert_int_equal(pipe(in), 0);
    }
    assert_int_equal(pipe(out), 0);
    c->pid = fork();
    assert_true(c->pid >= 0);
    if (c->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(out[1], 2);
        close(in[1]);
        close(out[0]);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    c->in = in[1];
    c->out = out[0];
}
#define START(c, terminal, ...) start((c), (terminal), (const char *const[]){ __VA_ARGS__, NULL })

static void type(Child *c, const char *text)
{
    assert_int_equal(write(c->in, text, strlen(text)), strlen(text));
}

// Read what it prints until `part` has come; false at its end or after a long time.
static bool await(Child *c, const char *part)
{
    while (!strstr(c->text, part)) {
        struct pollfd fd = { .fd = c->out, .events = POLLIN };
        if (poll(&fd, 1, PATIENCE_MS) <= 0) return false;
        const ssize_t got = read(c->out, c->text + c->n, sizeof c->text - 1 - c->n);
        if (got <= 0) return false;
        c->n += (size_t)got;
        c->text[c->n] = '\0';
    }
    return true;
}

static void assert_prints(Child *c, const char *part)
{
    if (await(c, part)) return;
    print_error("'%s' is not in:\n%s\n", part, c->text);
    fail();
}

static int finish(Child *c)
{
    if (c->in >= 0) close(c->in);
    while (await(c, "\001 never")) continue;
    close(c->out);
    int status;
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// ---------------------------------------------------------------------------------------------- standard
// input

static void test_rows_come_as_far_as_the_lines_that_were_typed(void **state)
{
    (void)state;
    for (int terminal = 0; terminal < 2; terminal++) {
        Child c;
        START(&c, terminal, "--input", "u=-", "--output", "x=-");
        type(&c, "0,1\n2.5,3\n");
        assert_prints(&c, "\n1,1\n2,2\n");    // up to the time of the latest line
        assert_null(strstr(c.text, "\n3,"));
        type(&c, "3.5,0\n");
        assert_prints(&c, "\n3,4\n");
        assert_null(strstr(c.text, "\n4,"));
        if (terminal) type(&c, "\x04");       // the end of a terminal
        else close(c.in), c.in = -1;
        assert_prints(&c, "\n4,5.5\n");
        assert_int_equal(finish(&c), 0);
    }
}

static void test_a_bad_line_is_told_where_it_stands(void **state)
{
    (void)state;
    Child c;
    START(&c, true, "--input", "u=-", "--output", "x=-");
    type(&c, "0,1\n1.5,2\nhm\n");
    assert_prints(&c, "standard input:3: error E055");
    assert_int_equal(finish(&c), 3);
    assert_contains(c.text, "\n1,1\n");    // nothing is lost
}

static void test_an_interrupt_ends_the_wait(void **state)
{
    (void)state;
    Child c;
    START(&c, false, "--input", "u=-", "--output", "x=-", "-o", "rows.csv");
    type(&c, "0,1\n1.5,2\n");
    assert_prints(&c, "\n1,1\n");
    kill(c.pid, SIGINT);
    assert_prints(&c, "E514");
    assert_int_equal(finish(&c), 130);
}

// ---------------------------------------------------------------------------------------------- sockets

static int listen_unix(const char *path)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    strncpy(name.sun_path, path, sizeof name.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(fd, 2), 0);
    return fd;
}

static void test_a_unix_socket_feeds_an_input_and_takes_an_output(void **state)
{
    (void)state;
    const int in = listen_unix("in"), out = listen_unix("out");
    Child c;
    START(&c, false, "--input", "u=unix:in:linear", "--output", "x=unix:out", "--allow-io", "--quiet",
          "--solver", "rk4");
    const int receiver = accept(out, NULL, NULL), sender = accept(in, NULL, NULL);
    assert_true(sender >= 0 && receiver >= 0);
    assert_int_equal(write(sender, "0,0\n4,8\n", 8), 8);
    close(sender);
    char text[256] = "";
    size_t n = 0;
    for (ssize_t got; n < sizeof text - 1 && (got = read(receiver, text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)got;
    assert_contains(text, "0,0\n");
    double t, x;
    assert_int_equal(sscanf(strrchr(text, 'n') ? text : strstr(text, "\n4,") + 1, "%lf,%lf", &t, &x), 2);
    assert_near(x, 16, 1e-6);    // the integral of 2 t
    close(receiver);
    close(in);
    close(out);
    assert_int_equal(finish(&c), 0);
}

static void test_a_socket_that_closes_is_told_and_the_run_goes_on(void **state)
{
    (void)state;
    const int in = listen_unix("in2");
    Child c;
    START(&c, false, "--input", "u=unix:in2", "--output", "x=-", "--allow-io");
    const int sender = accept(in, NULL, NULL);
    assert_int_equal(write(sender, "0,1\n2,3\n", 8), 8);
    close(sender);
    close(in);
    assert_prints(&c, "\n4,8\n");
    assert_int_equal(finish(&c), 0);
    assert_contains(c.text, "W630");
}

static void test_a_sender_that_is_too_slow_ends_the_run_with_its_rows(void **state)
{
    (void)state;
    const int in = listen_unix("in3");
    Child c;
    START(&c, false, "--input", "u=unix:in3", "--output", "x=-", "--allow-io", "--wait", "0.2");
    const int sender = accept(in, NULL, NULL);
    const double started = now();
    assert_int_equal(write(sender, "0,1\n2.5,3\n", 10), 10);
    assert_prints(&c, "E540");
    assert_true(now() - started >= 0.19);
    assert_int_equal(finish(&c), 3);
    assert_contains(c.text, "\n2,2\n");
    close(sender);
    close(in);
}

// Lines until the end of the run and none behind it; the sender stays connected.
static void expect_to_need_no_more(const char *name, const char *input, const char *lines, const char *last)
{
    const int in = listen_unix(name);
    Child c;
    START(&c, false, "--input", input, "--output", "x=-", "--allow-io", "--wait", "0.3");
    const int sender = accept(in, NULL, NULL);
    assert_int_equal(write(sender, lines, strlen(lines)), strlen(lines));
    assert_prints(&c, last);
    assert_int_equal(finish(&c), 0);
    assert_null(strstr(c.text, "E540"));
    close(sender);
    close(in);
}

static void test_no_sample_behind_the_end_of_the_run_is_waited_for(void **state)
{
    (void)state;
    expect_to_need_no_more("in4", "u=unix:in4", "0,1\n1,2\n2,3\n3,4\n4,5\n", "\n4,10\n");
    expect_to_need_no_more("in5", "u=unix:in5:linear", "0,2\n4,2\n", "\n4,8\n");
    // of equal values each is taken when it comes, not when another value follows
    expect_to_need_no_more("in6", "u=unix:in6", "0,2\n1,2\n2,2\n3,2\n4,2\n", "\n4,8\n");
    expect_to_need_no_more("in7", "u=unix:in7:outside-zero", "0,2\n1,2\n2,2\n3,2\n4,2\n", "\n4,8\n");
}

static int udp_socket(int *port)
{
    struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof name;
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &size), 0);
    *port = ntohs(name.sin_port);
    return fd;
}

static bool receive(int fd, char *text, size_t n)
{
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    if (poll(&ready, 1, PATIENCE_MS) <= 0) return false;
    const ssize_t got = recv(fd, text, n - 1, 0);
    if (got < 0) return false;
    text[got] = '\0';
    return true;
}

// Wait until a line of a file contains a text.
static void await_line(const char *path, const char *text)
{
    for (int i = 0; i < PATIENCE_MS / 20; i++) {
        FILE *in = fopen(path, "r");
        char line[512];
        bool found = false;
        while (in && !found && fgets(line, sizeof line, in)) found = strstr(line, text) != NULL;
        if (in) fclose(in);
        if (found) return;
        usleep(20000);
    }
    print_error("'%s' never came in %s\n", text, path);
    fail();
}

// Datagrams that come before somebody listens are lost.
static void await_listener(int port)
{
    char text[32];
    snprintf(text, sizeof text, "0100007F:%04X", (unsigned)port);
    await_line("/proc/net/udp", text);
}

static void test_datagrams_close_a_loop_with_another_program(void **state)
{
    (void)state;
    // it sends x and waits for the next u; we answer each row with one more sample
    int to, from;
    const int receiver = udp_socket(&to);
    close(udp_socket(&from));
    char input[32], output[32], text[64];
    snprintf(input, sizeof input, "u=udp:%d", from);
    snprintf(output, sizeof output, "x=udp:127.0.0.1:%d", to);
    Child c;
    START(&c, false, "--input", input, "--output", output, "--allow-io", "--quiet", "--wait", "60");
    const struct sockaddr_in target = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                        .sin_port = htons((uint16_t)from) };
    await_listener(from);
    sendto(receiver, "0,0\n0.5,1\n1.5,2", 15, 0, (const struct sockaddr *)&target, sizeof target);
    double t = -1, x = -1;
    for (int i = 0; i <= 4; i++) {
        assert_true(receive(receiver, text, sizeof text));
        assert_int_equal(sscanf(text, "%lf,%lf", &t, &x), 2);
        assert_near(t, i, 0);
        char sample[32];
        if (i >= 1) {
            snprintf(sample, sizeof sample, "%d.5,%d", i + 1, i + 2);
            sendto(receiver, sample, strlen(sample), 0, (const struct sockaddr *)&target, sizeof target);
        }
    }
    // u is k in the second from k - 1/2 on
    assert_near(x, 0.5 * 0 + 1 + 2 + 3 + 0.5 * 4, 1e-6);
    close(receiver);
    assert_int_equal(finish(&c), 0);
}

// ---------------------------------------------------------------------------------------------- the clock

static void test_a_real_time_run_is_not_faster_than_the_clock(void **state)
{
    (void)state;
    Child c;
    const double started = now();
    START(&c, false, "--realtime", "8", "--every", "0.5", "--output", "x=-");
    double last = started;
    for (int i = 1; i <= 8; i++) {
        char row[16];
        snprintf(row, sizeof row, "\n%g,", 0.5 * i);
        assert_prints(&c, row);
        const double at = now();
        assert_true(at - started >= 0.5 * i / 8 - 0.001);
        assert_true(at >= last);
        last = at;
    }
    assert_int_equal(finish(&c), 0);
    assert_contains(c.text, "\n4,28\n");    // the default of the input, 7, until something comes
}

static void test_the_newest_value_counts_in_real_time(void **state)
{
    (void)state;
    Child c;
    START(&c, false, "--realtime", "4", "--every", "0.25", "--input", "u=-", "--output", "y=-", "--until",
          "1000");
    assert_prints(&c, "\n0,7\n");
    type(&c, "1\n2\n99,3\n");    // with or without a time
    assert_prints(&c, ",3\n");
    assert_null(strstr(c.text, ",1\n"));
    type(&c, "5\n");
    assert_prints(&c, ",5\n");
    kill(c.pid, SIGINT);
    assert_int_equal(finish(&c), 130);
}

static void test_what_is_no_number_is_skipped_and_counted_in_real_time(void **state)
{
    (void)state;
    Child c;
    START(&c, false, "--realtime", "20", "--every", "0.25", "--input", "u=-", "--output", "y=-", "--until",
          "1000", "--quiet");
    assert_prints(&c, "\n0,7\n");
    type(&c, "nonsense\n1,nan\n99,3\n\x1b[31m,,\n");
    assert_prints(&c, ",3\n");
    // a line without an end costs no memory, and hides no line behind it
    char block[4096];
    memset(block, 'x', sizeof block - 1);
    block[sizeof block - 1] = 0;
    for (int i = 0; i < 40; i++) type(&c, block);
    type(&c, "8\n9\n");
    assert_prints(&c, ",9\n");
    kill(c.pid, SIGINT);
    assert_int_equal(finish(&c), 130);
    assert_contains(c.text, "warning W637: 4 lines from standard input");
    assert_contains(c.text, "the first: 'nonsense'");
}

static void test_overruns_are_told(void **state)
{
    (void)state;
    Child c;
    START(&c, false, "--realtime", "1e8", "--every", "0.5", "--quiet", "--until", "2e5", "--solver", "rk4",
          "--step", "0.01");
    const int status = finish(&c);
    assert_int_equal(status, 0);
    assert_contains(c.text, "W632");
}

// ---------------------------------------------------------------------------------------------- a broker

static void test_a_broker_carries_inputs_and_outputs(void **state)
{
    (void)state;
    if (access("/usr/sbin/mosquitto", X_OK) != 0) skip();
    int port;
    struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof name;
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(probe, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(getsockname(probe, (struct sockaddr *)&name, &size), 0);
    port = ntohs(name.sin_port);
    close(probe);
    FILE *config = fopen("mosquitto.conf", "w");
    assert_non_null(config);
    fprintf(config, "listener %d 127.0.0.1\nallow_anonymous true\npersistence false\n"
                    "log_type all\nlog_dest file %s/mosquitto.log\nuser root\n", port, folder);
    fclose(config);
    const pid_t broker = fork();
    if (broker == 0) {
        execl("/usr/sbin/mosquitto", "mosquitto", "-c", "mosquitto.conf", (char *)NULL);
        _exit(127);
    }
    await_line("mosquitto.log", "running");
    // one run sends its rows to a topic, another one follows them
    char topic[64], from[64];
    snprintf(topic, sizeof topic, "y=mqtt:127.0.0.1:%d/plant/flow", port);
    snprintf(from, sizeof from, "u=mqtt:127.0.0.1:%d/plant/flow:linear", port);
    Child follower;
    START(&follower, false, "--input", from, "--output", "y=-", "--allow-io", "--wait", "60", "--until", "2",
          "--every", "0.5");
    await_line("mosquitto.log", "plant/flow");    // it has subscribed: messages before that would be lost
    Child sender;
    START(&sender, false, "--input", "u=expr:3*t", "--output", topic, "--allow-io", "--quiet", "--every",
          "0.5");
    assert_int_equal(finish(&sender), 0);
    assert_prints(&follower, "\n1.5,4.5\n");
    assert_prints(&follower, "\n2,6\n");
    assert_int_equal(finish(&follower), 0);
    kill(broker, SIGTERM);
    waitpid(broker, NULL, 0);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_as_far_as_the_lines_that_were_typed),
        cmocka_unit_test(test_a_bad_line_is_told_where_it_stands),
        cmocka_unit_test(test_an_interrupt_ends_the_wait),
        cmocka_unit_test(test_a_unix_socket_feeds_an_input_and_takes_an_output),
        cmocka_unit_test(test_a_socket_that_closes_is_told_and_the_run_goes_on),
        cmocka_unit_test(test_a_sender_that_is_too_slow_ends_the_run_with_its_rows),
        cmocka_unit_test(test_no_sample_behind_the_end_of_the_run_is_waited_for),
        cmocka_unit_test(test_datagrams_close_a_loop_with_another_program),
        cmocka_unit_test(test_a_real_time_run_is_not_faster_than_the_clock),
        cmocka_unit_test(test_the_newest_value_counts_in_real_time),
        cmocka_unit_test(test_what_is_no_number_is_skipped_and_counted_in_real_time),
        cmocka_unit_test(test_overruns_are_told),
        cmocka_unit_test(test_a_broker_carries_inputs_and_outputs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
