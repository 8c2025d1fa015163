// tests/unit/code/test_native.c: the native tier, its cache and failures; the text under strict compilers.
#include "code/seal.h"
#include "random_model.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Cache {
    char folder[64];
    char native[80];
} Cache;

static int cache_setup(void **state)
{
    Cache *cache = calloc(1, sizeof *cache);
    strcpy(cache->folder, "/tmp/orrery-test-XXXXXX");
    assert_non_null(mkdtemp(cache->folder));
    snprintf(cache->native, sizeof cache->native, "%s/native", cache->folder);
    setenv("ORRERY_CACHE", cache->folder, 1);
    *state = cache;
    return 0;
}

static int cache_teardown(void **state)
{
    Cache *cache = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", cache->folder);
    assert_int_equal(system(command), 0);
    unsetenv("ORRERY_CACHE");
    free(cache);
    return 0;
}

// The names in the cache; returns how many.
static int list_cache(const Cache *cache, char names[][128], int max)
{
    int n = 0;
    DIR *dir = opendir(cache->native);
    if (!dir) return 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        assert_true(n < max);
        snprintf(names[n++], 128, "%s/%.40s", cache->native, entry->d_name);
    }
    closedir(dir);
    return n;
}

static void make_model(RandomModel *m, uint64_t seed)
{
    model_grow(m, seed, 3, 4, 0);
    built_lower(&m->b);
}

static bool build_native(RandomModel *m, Code *code)
{
    return code_build(code, &m->b.ir, CODE_NATIVE, m->b.make.diag);
}

static double rate_of(RandomModel *m, Code *code)
{
    double rates[3];
    m->b.x[0] = 0.5;
    assert_int_equal(code->programs[IR_RATES](0.1, m->b.x, &m->b.env, rates), 0);
    return rates[0];
}

static void test_a_second_build_comes_from_the_cache(void **state)
{
    const Cache *cache = *state;
    char names[8][128];
    RandomModel m;
    make_model(&m, 1);
    Code code;
    assert_true(build_native(&m, &code));
    const double rate = rate_of(&m, &code);
    code_free(&code);
    assert_int_equal(list_cache(cache, names, 8), 1);    // nothing is left behind but the object
    struct stat before, after;
    assert_int_equal(stat(names[0], &before), 0);

    // without a compiler to run it is found all the same, as long as its identity is known
    assert_true(build_native(&m, &code));
    assert_same_bits(rate_of(&m, &code), rate);
    code_free(&code);
    assert_int_equal(list_cache(cache, names, 8), 1);
    assert_int_equal(stat(names[0], &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);

    // another model is another file
    RandomModel other;
    make_model(&other, 2);
    assert_true(build_native(&other, &code));
    code_free(&code);
    assert_int_equal(list_cache(cache, names, 8), 2);
    model_free(&other);
    model_free(&m);
}

static void test_a_damaged_object_is_built_again(void **state)
{
    const Cache *cache = *state;
    char names[8][128];
    RandomModel m;
    make_model(&m, 3);
    Code code;
    assert_true(build_native(&m, &code));
    const double rate = rate_of(&m, &code);
    code_free(&code);
    assert_int_equal(list_cache(cache, names, 8), 1);
    struct stat st;
    assert_int_equal(stat(names[0], &st), 0);
    const off_t lengths[] = { 0, 10, st.st_size / 2, st.st_size - 1 };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(truncate(names[0], lengths[i]), 0);
        assert_true(build_native(&m, &code));
        assert_same_bits(rate_of(&m, &code), rate);
        code_free(&code);
    }
    // one flipped byte
    const int fd = open(names[0], O_RDWR);
    unsigned char byte;
    assert_int_equal(pread(fd, &byte, 1, st.st_size / 2), 1);
    byte ^= 0xff;
    assert_int_equal(pwrite(fd, &byte, 1, st.st_size / 2), 1);
    struct stat damaged, healed;
    assert_int_equal(fstat(fd, &damaged), 0);
    assert_true(build_native(&m, &code));
    assert_same_bits(rate_of(&m, &code), rate);
    code_free(&code);
    assert_int_equal(list_cache(cache, names, 8), 1);
    assert_int_equal(stat(names[0], &healed), 0);
    assert_int_not_equal(damaged.st_ino,
                         healed.st_ino);    // the open file keeps its number from being used again
    close(fd);
    model_free(&m);
}

static void test_no_compiler_is_said_and_not_fatal(void **state)
{
    (void)state;
    RandomModel m;
    make_model(&m, 4);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    Code code;
    assert_false(build_native(&m, &code));
    setenv("PATH", path, 1);
    free(path);
    assert_string_equal(orr_diag_get(m.b.make.diag, 0).code, "E701");
    assert_true(code_build(&code, &m.b.ir, CODE_INSTANT, m.b.make.diag));
    code_free(&code);
    model_free(&m);
}

static void test_a_failing_compiler_is_said(void **state)
{
    const Cache *cache = *state;
    RandomModel m;
    make_model(&m, 5);
    char bin[128], compiler[160], path[256];
    snprintf(bin, sizeof bin, "%s/bin", cache->folder);
    snprintf(compiler, sizeof compiler, "%s/cc", bin);
    assert_int_equal(mkdir(bin, 0777), 0);
    FILE *f = fopen(compiler, "w");
    fputs("#!/bin/sh\necho 'first line' >&2\necho 'something: error: out of ideas' >&2\nexit 1\n", f);
    fclose(f);
    assert_int_equal(chmod(compiler, 0777), 0);
    char *before = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", bin);
    setenv("PATH", path, 1);
    Code code;
    assert_false(build_native(&m, &code));
    setenv("PATH", before, 1);
    free(before);
    assert_string_equal(orr_diag_get(m.b.make.diag, 0).code, "E702");
    assert_contains(orr_diag_get(m.b.make.diag, 0).text, "out of ideas");
    char names[8][128];
    assert_int_equal(list_cache(cache, names, 8), 0);    // its folder is gone too
    model_free(&m);
}

static void test_a_cache_that_cannot_be_written(void **state)
{
    const Cache *cache = *state;
    RandomModel m;
    make_model(&m, 6);
    // a file where the folder should be: also root cannot write there
    FILE *f = fopen(cache->native, "w");
    fclose(f);
    Code code;
    assert_false(build_native(&m, &code));
    assert_true(orr_diag_count(m.b.make.diag) > 0);
    assert_int_equal(unlink(cache->native), 0);
    // a folder in which anybody could put code
    assert_int_equal(mkdir(cache->native, 0777), 0);
    assert_int_equal(chmod(cache->native, 0777), 0);
    assert_false(build_native(&m, &code));
    assert_int_equal(chmod(cache->native, 0755), 0);
    assert_true(build_native(&m, &code));
    code_free(&code);
    model_free(&m);
}

// Several processes at once, all wanting the same object.
static void test_processes_share_the_cache(void **state)
{
    const Cache *cache = *state;
    RandomModel m;
    make_model(&m, 7);
    pid_t children[4];
    for (int i = 0; i < 4; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            Code code;
            const bool ok = build_native(&m, &code) && code.programs[IR_RATES] != NULL;
            _exit(ok ? 0 : 1);
        }
    }
    for (int i = 0; i < 4; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    char names[8][128];
    assert_int_equal(list_cache(cache, names, 8), 1);
    model_free(&m);
}

static void wait_for(const Code *code)
{
    for (int i = 0; i < 60000 && !code_is_improved(code); i++) usleep(1000);
}

static void test_native_code_takes_over_with_the_same_bits(void **state)
{
    (void)state;
    RandomModel m;
    make_model(&m, 8);
    Code code;
    assert_true(code_build(&code, &m.b.ir, CODE_INSTANT, m.b.make.diag));
    const CodeProgram instant = code.programs[IR_RATES];
    const double rate = rate_of(&m, &code);
    assert_true(code_native_ms(&code) > 20);
    code_improve(&code);
    code_improve(&code);    // asked for twice, built once
    wait_for(&code);
    assert_true(code_is_improved(&code));
    assert_true(code.programs[IR_RATES] != instant);
    assert_same_bits(rate_of(&m, &code), rate);
    assert_true(code_native_ms(&code) < 20);    // it would come from the cache now
    code_free(&code);
    model_free(&m);
}

static void test_code_stays_instant_where_native_code_fails(void **state)
{
    const Cache *cache = *state;
    RandomModel m;
    make_model(&m, 9);
    Code code;
    assert_true(code_build(&code, &m.b.ir, CODE_INSTANT, m.b.make.diag));
    const CodeProgram instant = code.programs[IR_RATES];
    FILE *f = fopen(cache->native, "w");    // a file where the folder should be
    fclose(f);
    code_improve(&code);
    usleep(100000);
    assert_false(code_is_improved(&code));
    assert_true(code.programs[IR_RATES] == instant);
    assert_int_equal(orr_diag_count(m.b.make.diag), 0);
    code_free(&code);
    assert_int_equal(unlink(cache->native), 0);
    model_free(&m);
}

// A model that is no longer wanted does not wait for its compiler.
static void test_a_compiler_at_work_is_ended(void **state)
{
    const Cache *cache = *state;
    RandomModel m;
    make_model(&m, 10);
    char bin[128], compiler[160], path[256];
    snprintf(bin, sizeof bin, "%s/slow", cache->folder);
    snprintf(compiler, sizeof compiler, "%s/cc", bin);
    assert_int_equal(mkdir(bin, 0777), 0);
    FILE *f = fopen(compiler, "w");
    fprintf(f, "#!/bin/sh\ntouch %s/started\nsleep 1000\n", bin);
    fclose(f);
    assert_int_equal(chmod(compiler, 0777), 0);
    char *before = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", bin);
    setenv("PATH", path, 1);
    Code code;
    assert_true(code_build(&code, &m.b.ir, CODE_INSTANT, m.b.make.diag));
    code_improve(&code);
    snprintf(compiler, sizeof compiler, "%s/started", bin);
    for (int i = 0; i < 60000 && access(compiler, F_OK) != 0; i++) usleep(1000);
    code_free(&code);    // a test that hangs here has failed
    setenv("PATH", before, 1);
    free(before);
    char names[8][128];
    assert_int_equal(list_cache(cache, names, 8), 0);    // its folder is gone too
    model_free(&m);
}

static void test_the_cache_has_a_limit(void **state)
{
    const Cache *cache = *state;
    char names[8][128], newest[128] = "";
    setenv("ORRERY_CACHE_MB", "0", 1);
    for (uint64_t seed = 11; seed < 14; seed++) {
        RandomModel m;
        make_model(&m, seed);
        Code code;
        assert_true(build_native(&m, &code));
        assert_true(isfinite(rate_of(&m, &code)));
        code_free(&code);
        model_free(&m);
        assert_int_equal(list_cache(cache, names, 8), 1);    // the newest stays in any case
        assert_string_not_equal(names[0], newest);
        strcpy(newest, names[0]);
    }
    unsetenv("ORRERY_CACHE_MB");
    RandomModel m;
    make_model(&m, 14);
    Code code;
    assert_true(build_native(&m, &code));
    code_free(&code);
    model_free(&m);
    assert_int_equal(list_cache(cache, names, 8), 2);
}

// ---- The text

static void check_text(const Cache *cache, const Built *b, const char *compiler)
{
    char path[128], command[512];
    snprintf(path, sizeof path, "%s/text.c", cache->folder);
    Arena arena = { 0 };
    const Text text = code_text(&b->ir, CODE_PART_ALL, &arena);
    FILE *f = fopen(path, "w");
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
    arena_free(&arena);
    snprintf(command, sizeof command,
             "command -v %s >/dev/null || exit 0; %s -std=c99 -nostdinc -pedantic -Wall -Wextra -Wshadow "
             "-Werror -O2 -c %s -o /dev/null",
             compiler, compiler, path);
    if (system(command) == 0) return;
    snprintf(command, sizeof command, "cat %s", path);
    if (system(command)) fail();
    fail();
}

static void test_strict_compilers_accept_the_text(void **state)
{
    const Cache *cache = *state;
    static const struct {
        size_t states, algebraic, relations;
    } sizes[] = { { 0, 3, 0 }, { 2, 4, 2 }, { 40, 100, 5 }, { 3, 90, 0 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        RandomModel m;
        model_grow(&m, 900 + i, sizes[i].states, sizes[i].algebraic, sizes[i].relations);
        Make *make = &m.b.make;
        // loops, a table, a delay, an assertion, powers
        const Expr y = make_var(make, "loop"), u = make_var(make, "u"), w = make_var(make, "w"),
                   t = expr_time(&make->flat.pool);
        make_equation(make, make_add(make, make_call(make, EXPR_EXP, y), make_pow(make, y, 5)),
                      model_pick(&m));
        const Expr p = make_param(make, "p", make_number(make, 1));
        make_equation(make, make_add(make, make_mul(make, p, u), w), t);
        make_equation(make,
                      make_add(make, make_mul(make, make_op(make, EXPR_MAX, t, p, EXPR_NONE), w),
                               make_mul(make, make_number(make, 3), u)),
                      y);
        const double x[] = { 0, 1, 2 };
        const uint32_t table = expr_table(&make->flat.pool, x, x, 3);
        make_equation(make, make_var(make, "table"), make_op(make, EXPR_LOOKUP, t, table, EXPR_NONE));
        const FlatDelay delay = { .source = w, .lag = make_number(make, 1), .before = EXPR_NONE };
        vec_push(&make->arena, &make->flat.delays, delay);
        make_equation(make, make_var(make, "late"),
                      make_op(make, EXPR_DELAY, make_sub(make, t, make_number(make, 1)), 0, EXPR_NONE));
        const FlatAssert assertion = { .condition = make_op(
                                           make, EXPR_OR, make_op(make, EXPR_LT, w, u, EXPR_NONE),
                                           make_op(make, EXPR_AND, make_op(make, EXPR_GT, w, u, EXPR_NONE),
                                                   make_op(make, EXPR_EQ, y, t, EXPR_NONE), EXPR_NONE),
                                           EXPR_NONE) };
        vec_push(&make->arena, &make->flat.asserts, assertion);
        built_lower(&m.b);
        check_text(cache, &m.b, "gcc");
        check_text(cache, &m.b, "clang");
        model_free(&m);
    }
}

// The test vectors of the authors of SipHash: key 00 01 … 0f, input 00 01 … n-1.
static void test_seals_are_siphash(void **state)
{
    (void)state;
    static const uint64_t expected[] = { 0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a };
    const uint64_t key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
    unsigned char bytes[15];
    for (unsigned char i = 0; i < 15; i++) bytes[i] = i;
    for (size_t n = 0; n < 3; n++) assert_true(seal_hash(key, bytes, n) == expected[n]);
    assert_true(seal_hash(key, bytes, 15) == 0xa129ca6149be45e5);    // the example of the paper
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, cache_setup, cache_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seals_are_siphash),
        TEST(test_a_second_build_comes_from_the_cache),
        TEST(test_a_damaged_object_is_built_again),
        TEST(test_no_compiler_is_said_and_not_fatal),
        TEST(test_a_failing_compiler_is_said),
        TEST(test_a_cache_that_cannot_be_written),
        TEST(test_processes_share_the_cache),
        TEST(test_native_code_takes_over_with_the_same_bits),
        TEST(test_code_stays_instant_where_native_code_fails),
        TEST(test_a_compiler_at_work_is_ended),
        TEST(test_the_cache_has_a_limit),
        TEST(test_strict_compilers_accept_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
