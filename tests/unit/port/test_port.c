// tests/unit/port/test_port.c: promises of where samples come from: tables, lines, sockets.
#include "check.h"
#include "port/port.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct Fixture {
    Arena     arena;
    orr_diag *diag;
    PortIn    in;
    char      folder[64], path[96];
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->diag = orr_diag_create();
    strcpy(f->folder, "/tmp/orrery-port-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->path, sizeof f->path, "%s/data", f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    port_close(&f->in);
    unlink(f->path);
    rmdir(f->folder);
    orr_diag_destroy(f->diag);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static void write_file(const Fixture *f, const char *text, size_t n)
{
    FILE *out = fopen(f->path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, n, out), n);
    fclose(out);
}

static bool open_table(Fixture *f, const char *text, const char *column, const char *time)
{
    port_close(&f->in);
    orr_diag_clear(f->diag);
    write_file(f, text, strlen(text));
    const PortAddress address = { .kind = "csv", .address = f->path, .column = column, .time = time };
    return port_open(&f->in, &address, "u", &f->arena, f->diag);
}

static void assert_next(Fixture *f, double t, double u)
{
    Sample sample = { 0 };
    assert_int_equal(port_next(&f->in, &sample), SAMPLE_OK);
    assert_same_bits(sample.t, t);
    assert_same_bits(sample.u, u);
}

static void assert_code(const Fixture *f, const char *code, size_t line)
{
    assert_int_equal(orr_diag_count(f->diag) > 0, 1);
    const orr_message m = orr_diag_get(f->diag, 0);
    assert_string_equal(m.code, code);
    assert_int_equal(m.line, line);
    assert_true(m.line == 0 || m.file != NULL);
}

static void test_port_reads_columns_of_a_table(void **state)
{
    Fixture *f = *state;
    assert_true(open_table(f, "t,a,u\n0,5,1\n1,x,2\n", NULL, NULL));    // what nobody reads may be anything
    assert_next(f, 0, 1);
    assert_next(f, 1, 2);
    Sample s;
    assert_int_equal(port_next(&f->in, &s), SAMPLE_END);
    assert_true(open_table(f, "u,when\r\n1,0\r\n3,4\r\n", NULL, "when"));    // line ends of Windows
    assert_next(f, 0, 1);
    assert_next(f, 4, 3);
    assert_true(open_table(f, "t [min];flow [l/min]\n0;1,5\n", "flow", NULL));
    assert_string_equal(f->in.value_unit, "l/min");
    assert_string_equal(f->in.time_unit, "min");
    f->in.time_scale = 60;
    f->in.value_scale = 2;
    f->in.value_offset = 1;
    assert_next(f, 0, 4);
    assert_true(open_table(f, "t,anything\n0,7\n", NULL, NULL));
    assert_next(f, 0, 7);
    assert_true(port_rewind(&f->in));
    assert_next(f, 0, 7);
}

static void test_port_tells_what_is_wrong_with_a_table(void **state)
{
    Fixture *f = *state;
    Sample s;
    const struct { const char *text, *column, *time, *code; size_t line; int n_good; } bad[] = {
        { "", NULL, NULL, "E040", 0, -1 },
        { "t,u\n", NULL, NULL, "E047", 0, -1 },
        { "t,flow,x\n0,1,2\n", "flwo", NULL, "E050", 0, -1 },
        { "t,flow,x\n0,1,2\n", "flow", "time", "E050", 0, -1 },
        { "t,u\nabc,1\n", NULL, NULL, "E042", 2, -1 },
        { "t,u\n0,1\n1,two\n", NULL, NULL, "E042", 3, 1 },
        { "t,u\n0,1\n,2\n", NULL, NULL, "E051", 3, 1 },
        { "t,u\n0,1\ninf,2\n", NULL, NULL, "E051", 3, 1 },
        { "t,u\n0,1\n\n# no\n2,3\n1,2\n", NULL, NULL, "E052", 6, 2 },
        { "t,u\n0,1\n1,2\n1,3\n", NULL, NULL, "E053", 4, 2 },
        { "t,u\n0,1\n1,\n", NULL, NULL, "E054", 3, 1 },
        { "t,u\n0,1\n1,-inf\n", NULL, NULL, "E054", 3, 1 },
        { "t,u\n0,1\n1\n", NULL, NULL, "E041", 3, 1 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const bool opened = open_table(f, bad[i].text, bad[i].column, bad[i].time);
        assert_int_equal(opened, bad[i].n_good >= 0);
        for (int k = 0; k < bad[i].n_good; k++) assert_int_equal(port_next(&f->in, &s), SAMPLE_OK);
        if (opened) assert_int_equal(port_next(&f->in, &s), SAMPLE_FAILED);
        assert_code(f, bad[i].code, bad[i].line);
    }
    open_table(f, "t,flow\n0,1\n", "flwo", NULL);
    assert_contains(orr_diag_get(f->diag, 0).hint, "did you mean 'flow'");
}

// ---------------------------------------------------------------------------------------------- lines

typedef struct Sender {
    int         listener;
    const char *text;
    size_t      piece;    // bytes at a time
} Sender;

static void *send_text(void *self)
{
    const Sender *s = self;
    const int fd = accept(s->listener, NULL, NULL);
    for (size_t at = 0, n = strlen(s->text); fd >= 0 && at < n; at += s->piece) {
        const size_t part = n - at < s->piece ? n - at : s->piece;
        if (write(fd, s->text + at, part) < 0) break;
    }
    close(fd);
    return NULL;
}

static void start_sender(Fixture *f, Sender *sender, pthread_t *thread)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    strcpy(name.sun_path, f->path);
    unlink(f->path);
    sender->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(sender->listener, (struct sockaddr *)&name, sizeof name), 0);
    assert_int_equal(listen(sender->listener, 1), 0);
    assert_int_equal(pthread_create(thread, NULL, send_text, sender), 0);
    orr_diag_clear(f->diag);
    port_close(&f->in);
    const PortAddress address = { .kind = "unix", .address = f->path };
    assert_true(port_open(&f->in, &address, "u", &f->arena, f->diag));
}

static void end_sender(const Sender *sender, pthread_t thread)
{
    pthread_join(thread, NULL);
    close(sender->listener);
}

static void test_port_reads_lines_however_they_are_cut(void **state)
{
    Fixture *f = *state;
    for (size_t piece = 1; piece < 12; piece++) {
        Sender sender = { .text = "t,u\n0,1\n\n# a remark\r\n1.5 , 2\r\n2;-3e2\n4\t5", .piece = piece };
        pthread_t thread;
        start_sender(f, &sender, &thread);
        assert_next(f, 0, 1);
        assert_next(f, 1.5, 2);
        assert_next(f, 2, -300);
        assert_next(f, 4, 5);    // the last line has no end
        Sample s;
        assert_int_equal(port_next(&f->in, &s), SAMPLE_END);
        assert_true(f->in.is_closed);
        end_sender(&sender, thread);
    }
}

static void test_port_tells_which_line_is_bad(void **state)
{
    Fixture *f = *state;
    const struct Case {
        const char *text, *code;
        size_t      line;
        int         n_good;
    } bad[] = {
        { "0,1\nhello\n", "E055", 2, 1 }, { "0,1\n2\n", "E055", 2, 1 },     { "0,1\n1,x\n", "E055", 2, 1 },
        { "0,1\n0,2\n", "E053", 2, 1 },   { "0,1\n-1,2\n", "E052", 2, 1 },  { "0,1\nnan,2\n", "E051", 2, 1 },
        { "0,1\n1,inf\n", "E054", 2, 1 }, { "0,1\n1,2,3\n", "E055", 2, 1 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Sender sender = { .text = bad[i].text, .piece = 100 };
        pthread_t thread;
        start_sender(f, &sender, &thread);
        Sample s;
        for (int k = 0; k < bad[i].n_good; k++) assert_int_equal(port_next(&f->in, &s), SAMPLE_OK);
        assert_int_equal(port_next(&f->in, &s), SAMPLE_FAILED);
        assert_code(f, bad[i].code, bad[i].line);
        end_sender(&sender, thread);
    }
}

static void test_port_does_not_swallow_an_endless_line(void **state)
{
    Fixture *f = *state;
    char *text = malloc(200001);
    memset(text, '7', 200000);
    text[200000] = '\0';
    Sender sender = { .text = text, .piece = 1000 };
    pthread_t thread;
    start_sender(f, &sender, &thread);
    Sample s;
    assert_int_equal(port_next(&f->in, &s), SAMPLE_FAILED);
    assert_code(f, "E045", 1);
    port_close(&f->in);    // the sender's pipe breaks
    end_sender(&sender, thread);
    free(text);
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

static void send_to(int port, const char *text)
{
    const struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                    .sin_port = htons((uint16_t)port) };
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(sendto(fd, text, strlen(text), 0, (const struct sockaddr *)&to, sizeof to),
                     strlen(text));
    close(fd);
}

static void test_port_receives_and_sends_datagrams(void **state)
{
    Fixture *f = *state;
    int port;
    close(udp_socket(&port));    // one that is free now
    const PortAddress address = { .kind = "udp", .address = arena_printf(&f->arena, "%d", port) };
    assert_true(port_open(&f->in, &address, "u", &f->arena, f->diag));
    send_to(port, "0,1");
    send_to(port, "");
    send_to(port, "1,2\n2,3\n");
    f->in.patience = 20;
    assert_next(f, 0, 1);
    assert_next(f, 1, 2);
    assert_next(f, 2, 3);
    // nothing more comes: waiting ends by itself
    f->in.patience = 0.05;
    Sample s;
    assert_int_equal(port_next(&f->in, &s), SAMPLE_FAILED);
    assert_true(f->in.is_late);
    // the newest of several
    bool failed;
    f->in.takes_bare = true;
    assert_false(port_newest(&f->in, &s, &failed));
    send_to(port, "7");
    send_to(port, "5,8");
    send_to(port, "9");
    bool found = false;
    for (int i = 0; i < 1000 && !(found && s.u == 9); i++) {
        found = port_newest(&f->in, &s, &failed) || found;
        assert_false(failed);
        usleep(1000);
    }
    assert_true(found);
    assert_near(s.u, 9, 0);

    // and out
    int to;
    const int receiver = udp_socket(&to);
    const PortAddress target = { .kind = "udp", .address = arena_printf(&f->arena, "127.0.0.1:%d", to) };
    PortOut out;
    assert_true(port_open_out(&out, &target, &f->arena, f->diag));
    assert_true(port_send(&out, "1,2\n", 4));
    char text[16] = "";
    assert_int_equal(recv(receiver, text, sizeof text - 1, 0), 4);
    assert_string_equal(text, "1,2\n");
    close(receiver);
    assert_true(port_send(&out, "2,3\n", 4));    // nobody listens: no failure of a datagram
    assert_true(port_send(&out, "3,4\n", 4));
    port_close_out(&out);
}

static void test_port_refuses_addresses_that_are_none(void **state)
{
    Fixture *f = *state;
    const struct Case {
        const char *kind, *address, *code;
    } bad[] = {
        { "udp", "abc", "E058" }, { "udp", "0", "E058" },          { "udp", "70000", "E058" },
        { "udp", "1.5", "E058" }, { "udp", "localhost:", "E058" }, { "mqtt", "nohost", "E058" },
        { "mqtt", "h/", "E058" }, { "mqtt", "h:x/t", "E058" },     { "unix", "/nowhere/at/all", "E057" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const PortAddress address = { .kind = bad[i].kind, .address = bad[i].address };
        orr_diag_clear(f->diag);
        assert_false(port_open(&f->in, &address, "u", &f->arena, f->diag));
        assert_code(f, bad[i].code, 0);
        port_close(&f->in);
    }
}

static void test_port_stops_waiting_when_asked(void **state)
{
    Fixture *f = *state;
    int port;
    close(udp_socket(&port));
    const PortAddress address = { .kind = "udp", .address = arena_printf(&f->arena, "%d", port) };
    assert_true(port_open(&f->in, &address, "u", &f->arena, f->diag));
    const volatile int cancel = 1;
    f->in.cancel = &cancel;
    Sample s;
    assert_int_equal(port_next(&f->in, &s), SAMPLE_FAILED);    // though patience is endless
    assert_true(f->in.is_cancelled);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_port_reads_columns_of_a_table),         TEST(test_port_tells_what_is_wrong_with_a_table),
        TEST(test_port_reads_lines_however_they_are_cut), TEST(test_port_tells_which_line_is_bad),
        TEST(test_port_does_not_swallow_an_endless_line), TEST(test_port_receives_and_sends_datagrams),
        TEST(test_port_refuses_addresses_that_are_none),  TEST(test_port_stops_waiting_when_asked),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
