// tests/unit/base/test_file.c: promises of the file writer and of the operating system functions.
#include "base/diag.h"
#include "base/file.h"
#include "base/os.h"
#include "check.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct Fixture {
    char      folder[64];
    orr_diag *diag;
    Arena     arena;
} Fixture;

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/orrery-test-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    f->diag = orr_diag_create();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", f->folder);
    const int result = system(command);
    orr_diag_destroy(f->diag);
    arena_free(&f->arena);
    free(f);
    return result;
}

static char *path_in(Fixture *f, const char *name) { return os_path_join(&f->arena, f->folder, name); }

static size_t count_files(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));) n += e->d_name[0] != '.';
    closedir(dir);
    return n;
}

static const char *contents(Fixture *f, const char *path)
{
    Text text;
    assert_true(os_read_file(&f->arena, NULL, path, 1 << 30, &text, f->diag));
    return text.p;
}

static const char *only_code(Fixture *f)    // of the one message there is
{
    assert_int_equal(orr_diag_count(f->diag), 1);
    return orr_diag_get(f->diag, 0).code;
}

static void test_file_writes_everything_in_order(void **state)
{
    Fixture *f = *state;
    for (int mode = FILE_IN_PLACE; mode <= FILE_REPLACE; mode++) {
        const char *path = path_in(f, "out.txt");
        FileOut out;
        assert_true(file_open(&out, path, (FileMode)mode, f->diag));
        StrBuf expected = { .arena = &f->arena };
        for (int i = 0; i < 40000; i++) {
            file_printf(&out, "row %d\n", i);
            str_addf(&expected, "row %d\n", i);
            if (i % 3 == 0) file_mark(&out);
            if (i % 1000 == 0) assert_true(file_flush(&out));
        }
        char *room = file_room(&out, 500000);    // larger than the buffer
        memset(room, 'x', 500000);
        file_use(&out, 500000);
        memset(str_room(&expected, 500000), 'x', 500000);
        expected.n += 500000;
        assert_true(file_close(&out, f->diag));
        assert_string_equal(contents(f, path), str_finish(&expected));
        assert_int_equal(count_files(f->folder), 1);
    }
    assert_int_equal(orr_diag_count(f->diag), 0);
}

static void test_file_flushes_whole_records_only(void **state)
{
    Fixture *f = *state;
    const char *path = path_in(f, "rows.csv");
    FileOut out;
    assert_true(file_open(&out, path, FILE_IN_PLACE, f->diag));
    file_text(&out, "t,x\n1,2\n");
    file_mark(&out);
    file_text(&out, "2,");
    assert_true(file_flush(&out));
    assert_string_equal(contents(f, path), "t,x\n1,2\n");    // what a kill at this moment leaves

    // and by itself, when the buffer is full: always up to a line end
    file_text(&out, "5\n");
    file_mark(&out);
    for (int i = 0; i < 20000; i++) {
        file_printf(&out, "%d,%d\n", i, i);
        file_mark(&out);
        if (i % 1000 == 999) {
            const char *text = contents(f, path);
            assert_int_equal(text[strlen(text) - 1], '\n');
        }
    }
    file_abandon(&out);
    const char *text = contents(f, path);
    assert_contains(text, "\n19999,19999\n");
    file_abandon(&out);    // twice does nothing
}

static void test_file_replaces_only_when_closed(void **state)
{
    Fixture *f = *state;
    const char *path = path_in(f, "plot.svg"), *link = path_in(f, "link.svg");
    FileOut out;
    assert_true(file_open(&out, path, FILE_REPLACE, f->diag));
    file_text(&out, "old");
    assert_true(file_close(&out, f->diag));
    assert_int_equal(chmod(path, 0640), 0);

    assert_true(file_open(&out, path, FILE_REPLACE, f->diag));
    file_text(&out, "half");
    assert_string_equal(contents(f, path), "old");
    file_abandon(&out);
    assert_string_equal(contents(f, path), "old");
    assert_int_equal(count_files(f->folder), 1);

    // through a link, with the rights of the old file
    assert_int_equal(symlink(path, link), 0);
    assert_true(file_open(&out, link, FILE_REPLACE, f->diag));
    file_text(&out, "new");
    assert_true(file_close(&out, f->diag));
    assert_string_equal(contents(f, path), "new");
    struct stat info;
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(count_files(f->folder), 2);
}

static void test_file_reports_a_full_disk_with_path_and_reason(void **state)
{
    Fixture *f = *state;
    FileOut out;
    assert_true(file_open(&out, "/dev/full", FILE_IN_PLACE, f->diag));
    for (int i = 0; i < 100000; i++) {
        file_text(&out, "a row of text\n");    // goes on without harm
        file_mark(&out);
    }
    assert_false(file_flush(&out));
    assert_int_equal(out.error, ENOSPC);
    assert_false(file_close(&out, f->diag));
    assert_string_equal(only_code(f), "E010");
    assert_contains(orr_diag_get(f->diag, 0).text, "/dev/full");
    assert_contains(orr_diag_get(f->diag, 0).text, "No space left");
    assert_false(file_close(&out, f->diag));    // the failure is not forgotten, nor reported twice
    assert_int_equal(orr_diag_count(f->diag), 1);
}

// The limit on the size of files makes write(2) stop in the middle of a row, as a full disk does.
static void test_file_cut_short_ends_with_a_whole_line(void **state)
{
    Fixture *f = *state;
    const char *path = path_in(f, "rows.csv");
    struct rlimit old, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = 100003;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    FileOut out;
    assert_true(file_open(&out, path, FILE_IN_PLACE, f->diag));
    for (int i = 0; i < 50000; i++) {
        file_printf(&out, "%07d\n", i);
        file_mark(&out);
    }
    const bool closed = file_close(&out, f->diag);
    // what must be whole or absent is absent
    assert_true(file_open(&out, path_in(f, "report"), FILE_REPLACE, NULL));
    for (int i = 0; i < 50000; i++) file_text(&out, "report\n");
    const bool replaced = file_close(&out, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);

    assert_false(closed);
    assert_false(replaced);
    assert_int_equal(count_files(f->folder), 1);
    assert_string_equal(only_code(f), "E010");
    const char *text = contents(f, path);
    assert_int_equal(strlen(text) % 8, 0);
    assert_true(strlen(text) > 90000 && text[strlen(text) - 1] == '\n');
}

static void test_file_that_cannot_be_opened_is_reported(void **state)
{
    Fixture *f = *state;
    FileOut out;
    assert_false(file_open(&out, path_in(f, "no/such/folder/x"), FILE_IN_PLACE, f->diag));
    assert_false(file_open(&out, path_in(f, "no/such/folder/y"), FILE_REPLACE, f->diag));
    assert_false(file_open(&out, f->folder, FILE_REPLACE, f->diag));
    assert_false(file_open(&out, f->folder, FILE_IN_PLACE, f->diag));
    assert_int_equal(orr_diag_errors(f->diag), 3);    // the folder's two say the same
    file_abandon(&out);
    assert_int_equal(count_files(f->folder), 0);
}

static void test_os_reads_files_within_the_limit(void **state)
{
    Fixture *f = *state;
    const char *path = path_in(f, "data");
    FileOut out;
    assert_true(file_open(&out, path, FILE_IN_PLACE, f->diag));
    for (int i = 0; i < 100000; i++) file_write(&out, "0\0z", 3);
    assert_true(file_close(&out, f->diag));

    Text text;
    assert_true(os_read_file(&f->arena, NULL, path, 300000, &text, f->diag));
    assert_int_equal(text.n, 300000);
    assert_int_equal(text.p[300000], 0);
    for (size_t i = 0; i < text.n; i += 3) assert_memory_equal(text.p + i, "0\0z", 3);
    assert_int_equal(orr_diag_count(f->diag), 0);

    assert_false(os_read_file(&f->arena, NULL, path, 299999, &text, f->diag));
    assert_null(text.p);
    assert_string_equal(only_code(f), "E004");
    assert_contains(orr_diag_get(f->diag, 0).text, "299999");
}

static void test_os_says_why_a_file_cannot_be_read(void **state)
{
    Fixture *f = *state;
    Text text;
    assert_false(os_read_file(&f->arena, NULL, path_in(f, "missing"), 10, &text, f->diag));
    assert_string_equal(only_code(f), "E001");
    orr_diag_clear(f->diag);
    assert_false(os_read_file(&f->arena, NULL, f->folder, 10, &text, f->diag));
    assert_string_equal(only_code(f), "E003");
    assert_int_equal(os_open_to_read(NULL, f->folder, f->diag), -1);
    orr_diag_clear(f->diag);
    assert_false(os_read_file(&f->arena, NULL, "/dev/zero", 100000, &text, f->diag));    // endless
    assert_string_equal(only_code(f), "E004");
    orr_diag_clear(f->diag);
    assert_false(os_read_file(&f->arena, NULL, "/proc/self/mem", 100000, &text, f->diag));
    assert_string_equal(only_code(f), "E002");

    // no size known beforehand
    assert_true(os_read_file(&f->arena, NULL, "/proc/self/status", 1000000, &text, f->diag));
    assert_contains(text.p, "Pid:");
    assert_true(os_read_file(&f->arena, NULL, "/dev/null", 10, &text, f->diag));
    assert_int_equal(text.n, 0);
}

// The error of opening it below the folder; 0: it was opened.
static int error_below(Fixture *f, const char *name)
{
    const int fd = os_open_below(f->folder, path_in(f, name), O_RDONLY);
    return fd < 0 ? errno : close(fd);
}

static void open_all(Fixture *f, bool follows_inside)
{
    static const struct {
        const char *name;
        int error;
    } cases[] = {
        { "file", 0 }, { "sub/file", 0 }, { "./sub/../file", 0 }, { "sub//file", 0 }, { "none", ENOENT },
        { "sub", EISDIR }, { "sub/../../file", EXDEV }, { "..", EXDEV }, { "/etc/passwd", EXDEV },
        { "out", EXDEV }, { "absolute", EXDEV }, { "parent/passwd", EXDEV }, { "pipe", ENXIO },
        { "file/x", ENOTDIR },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(error_below(f, cases[i].name), cases[i].error);
    assert_int_equal(error_below(f, "inside"), follows_inside ? 0 : EXDEV);
    assert_int_equal(error_below(f, "folder/file"), follows_inside ? 0 : EXDEV);
}

// As on a kernel that does not know openat2: for this thread.
static void *open_all_walking(void *self)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = { sizeof code / sizeof *code, code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        open_all(self, false);
    return NULL;
}

static void test_os_opens_nothing_outside_of_a_folder(void **state)
{
    Fixture *f = *state;
    FileOut out;
    assert_true(os_make_folders(path_in(f, "sub"), f->diag));
    assert_true(file_open(&out, path_in(f, "file"), FILE_IN_PLACE, f->diag) && file_close(&out, f->diag));
    assert_true(file_open(&out, path_in(f, "sub/file"), FILE_IN_PLACE, f->diag) && file_close(&out, f->diag));
    assert_int_equal(symlink("../../etc/passwd", path_in(f, "out")), 0);
    assert_int_equal(symlink("/etc/passwd", path_in(f, "absolute")), 0);
    assert_int_equal(symlink("/etc", path_in(f, "parent")), 0);
    assert_int_equal(symlink("sub/file", path_in(f, "inside")), 0);
    assert_int_equal(symlink("sub", path_in(f, "folder")), 0);
    assert_int_equal(mkfifo(path_in(f, "pipe"), 0600), 0);
    open_all(f, true);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_all_walking, f), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_os_makes_folders(void **state)
{
    Fixture *f = *state;
    char *deep = path_in(f, "a/b//c/");
    assert_true(os_make_folders(deep, f->diag));
    assert_true(os_is_folder(path_in(f, "a/b/c")));
    assert_true(os_make_folders(deep, f->diag));
    FileOut out;
    assert_true(file_open(&out, path_in(f, "a/file"), FILE_IN_PLACE, f->diag) && file_close(&out, f->diag));
    assert_false(os_make_folders(path_in(f, "a/file/x"), f->diag));
    assert_string_equal(only_code(f), "E011");
    assert_true(os_file_exists(path_in(f, "a/file")) && !os_file_exists(path_in(f, "a/other")));
}

static void test_os_takes_paths_apart(void **state)
{
    Fixture *f = *state;
    Arena *a = &f->arena;
    assert_string_equal(os_path_folder(a, "a/b.orr"), "a");
    assert_string_equal(os_path_folder(a, "b.orr"), ".");
    assert_string_equal(os_path_folder(a, "/b.orr"), "/");
    assert_string_equal(os_path_join(a, "a", "b"), "a/b");
    assert_string_equal(os_path_join(a, "a/", "b"), "a/b");
    assert_string_equal(os_path_join(a, ".", "b"), "b");
    assert_string_equal(os_path_join(a, "/", "b"), "/b");
    assert_string_equal(os_path_join(a, "a", "/b"), "/b");
    assert_string_equal(os_path_suffix("a.b/c.orr"), ".orr");
    assert_string_equal(os_path_suffix("a.b/c"), "");
    assert_string_equal(os_path_suffix("a/.hidden"), "");
    assert_string_equal(os_path_stem(a, "a.b/c.d.orr"), "c.d");
    assert_string_equal(os_path_stem(a, "c"), "c");
}

static void test_os_finds_the_cache_folder(void **state)
{
    Fixture *f = *state;
    setenv("ORRERY_CACHE", "/x/own", 1);
    setenv("XDG_CACHE_HOME", "/x/cache", 1);
    setenv("HOME", "/x/home", 1);
    assert_string_equal(os_cache_folder(&f->arena), "/x/own");
    unsetenv("ORRERY_CACHE");
    assert_string_equal(os_cache_folder(&f->arena), "/x/cache/orrery");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_string_equal(os_cache_folder(&f->arena), "/x/home/.cache/orrery");
    unsetenv("HOME");
    assert_contains(os_cache_folder(&f->arena), "/tmp/orrery-");
}

static void test_os_clock_processors_and_errors(void **state)
{
    (void)state;
    const uint64_t start = os_now_ns();
    usleep(2000);
    const uint64_t passed = os_now_ns() - start;
    assert_true(passed >= 2000000 && passed < 5000000000u);
    assert_true(os_processors() >= 1);
    char buffer[100];
    assert_contains(os_error_text(ENOSPC, buffer, sizeof buffer), "space");
}

static void test_os_large_memory_is_aligned_and_zero(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 100, 1 << 20, 3 << 20, (5 << 20) + 7 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int turn = 0; turn < 2; turn++) {    // the second time it may have been used before
            unsigned char *p = os_large_alloc(sizes[i]);
            assert_int_equal((uintptr_t)p % 64, 0);
            for (size_t k = 0; k < sizes[i]; k += 61) assert_int_equal(p[k], 0);
            memset(p, 0xff, sizes[i]);
            free(p);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_file_writes_everything_in_order),
        TEST(test_file_flushes_whole_records_only),
        TEST(test_file_replaces_only_when_closed),
        TEST(test_file_reports_a_full_disk_with_path_and_reason),
        TEST(test_file_cut_short_ends_with_a_whole_line),
        TEST(test_file_that_cannot_be_opened_is_reported),
        TEST(test_os_reads_files_within_the_limit),
        TEST(test_os_says_why_a_file_cannot_be_read),
        TEST(test_os_opens_nothing_outside_of_a_folder),
        TEST(test_os_makes_folders),
        TEST(test_os_large_memory_is_aligned_and_zero),
        TEST(test_os_takes_paths_apart),
        TEST(test_os_finds_the_cache_folder),
        TEST(test_os_clock_processors_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
