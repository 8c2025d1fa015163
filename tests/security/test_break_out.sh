#!/bin/bash
# tests/security/test_break_out.sh: code of a model wants to start programs, write files, open sockets and reach other
# processes. An object of native atomics tries each, when it is loaded and when it is called.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"
command -v cc >/dev/null || exit 77
grep -q '^Seccomp:' /proc/self/status || exit 77
cat >evil.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <orrery/devs.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
extern char **environ;
static void say(const char *what, int done) { fprintf(stderr, "%s %s\n", done ? "DONE" : "refused", what); }
static int spawned(void)
{
    pid_t pid;
    char *argv[] = { "touch", "spawned", NULL };
    return posix_spawnp(&pid, "touch", NULL, NULL, argv, environ) == 0;
}
static int forked(void)
{
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    return pid > 0;
}
static void attack(void)
{
    char *argv[] = { "touch", "executed", NULL };
    say("exec", execvp("touch", argv) == 0);
    say("spawn", spawned());
    say("fork", forked());
    say("system", system("touch shell") == 0);
    say("popen", ({ FILE *f = popen("touch piped", "r"); f && pclose(f) == 0; }));
    say("create", open("created", O_WRONLY | O_CREAT, 0600) >= 0);
    say("open for writing", open("victim", O_WRONLY) >= 0);
    say("open for both", open("victim", O_RDWR) >= 0);
    say("append", fopen("victim", "a") != NULL);
    say("truncate", truncate("victim", 0) == 0);
    say("by syscall", syscall(SYS_open, "created", O_WRONLY | O_CREAT, 0600) >= 0);
    say("by creat", creat("created", 0600) >= 0);
    say("remove", unlink("victim") == 0);
    say("rename", rename("victim", "moved") == 0);
    say("link", link("victim", "hard") == 0);
    say("symlink", symlink("victim", "soft") == 0);
    say("folder", mkdir("folder", 0700) == 0);
    say("fifo", mkfifo("fifo", 0600) == 0);
    say("chmod", chmod("victim", 0777) == 0);
    say("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    say("datagrams", socket(AF_INET, SOCK_DGRAM, 0) >= 0);
    say("unix socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    say("kill", kill(getppid(), 0) == 0);
    say("ptrace", ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0);
    say("io_uring", syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno != EPERM);
}
__attribute__((constructor)) static void load(void)
{
    fprintf(stderr, "loaded\n");
    attack();
}
static const orr_native table = { .version = ORR_DEVS_VERSION };
const orr_native *orr_native_atomics(void)
{
    fprintf(stderr, "called\n");
    attack();
    return &table;
}
C
cc -w -shared -fPIC -I "$root/include" -o evil.so evil.c || fail "the attack does not compile"
printf "model M\n  x = t\nend\n" >m.orr
for how in "run m.orr --until 1 --quiet" "check m.orr" "step m.orr" "run m.orr --until 1 --quiet --code native -o rows.csv"; do
    echo precious >victim
    rm -f created
    # shellcheck disable=SC2086
    run $how --native ./evil.so
    expect_err loaded
    expect_err called
    expect_no_err DONE
    expect_equal "$(grep -c '^refused' err)" 50 "attacks of '$how'"
    expect_equal "$(<victim)" precious
    for file in spawned executed shell piped created moved hard soft folder fifo; do expect_no_file $file; done
done
expect_file rows.csv
# the user may turn it off, and then each of these can be done
run run m.orr --until 1 --quiet --native ./evil.so --no-sandbox
check; (($(grep -c '^DONE' err) >= 1)) || [[ -e executed ]] || fail "without the sandbox nothing is possible"
# what the program itself does is not hindered: results, pictures, native code, sockets that were allowed, checkpoints
printf "model M\n  var x = 1\n  x' = -x\nend\nexperiment e of M\n  until 1\n  every 0.1\n  output x to \"sent.csv\"\nend\n" >m.orr
export ORRERY_CACHE=$work/cache
run run m.orr --code native --plot p.svg -o rows2.csv --checkpoint c.ckpt --output x=udp:9 --allow-io
expect_status 0
for file in p.svg rows2.csv c.ckpt sent.csv cache/secret; do expect_file $file; done
check; compgen -G 'cache/native/*.so' >/dev/null || fail "no native code"
printf "model M\n  var x = 1\n  x' = -x\nend\n" >m.orr
run export --c exported m.orr --until 1
expect_status 0
finish
