// src/port/fd.c: standard input, stream sockets of this machine, and datagrams.
#include "port/port.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------- stdin

static bool open_stdin(PortIn *in, const PortAddress *address)
{
    (void)address;
    in->title = "standard input";
    in->fd = STDIN_FILENO;
    return true;
}

const PortKind port_stdin = {
    .name = "stdin",
    .form = "-",
    .summary = "lines of standard input",
    .open = open_stdin,
    .receive = port_receive_fd,
};

// ---------------------------------------------------------------------------------------------- sockets

static void close_in(PortIn *in)
{
    if (in->fd >= 0) close(in->fd);
    in->fd = -1;
}

static void close_out(PortOut *out)
{
    if (out->fd >= 0) close(out->fd);
    out->fd = -1;
}

// Connect to a socket that another program listens on; -1, reported.
static int connect_unix(const PortAddress *address, const char *title, orr_diag *diag)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    const size_t n = strlen(address->address);
    if (n == 0 || n >= sizeof name.sun_path) {
        port_report_open(diag, address, title, n == 0 ? ENOENT : ENAMETOOLONG);
        return -1;
    }
    memcpy(name.sun_path, address->address, n);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&name, sizeof name) == 0) return fd;
    const int error = errno;
    if (fd >= 0) close(fd);
    port_report_open(diag, address, title, error);
    return -1;
}

static bool open_unix(PortIn *in, const PortAddress *address)
{
    in->fd = connect_unix(address, in->title, in->diag);
    return in->fd >= 0;
}

static bool open_unix_out(PortOut *out, const PortAddress *address)
{
    out->fd = connect_unix(address, out->title, out->diag);
    return out->fd >= 0;
}

static bool send_unix(PortOut *out, const char *line, size_t n, int *error)
{
    while (n > 0) {
        const ssize_t sent = send(out->fd, line, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return *error = errno, false;
        line += sent;
        n -= (size_t)sent;
    }
    return true;
}

const PortKind port_unix = {
    .name = "unix",
    .form = "PATH",
    .summary = "lines of a Unix socket",
    .is_outside = true,
    .can_send = true,
    .open = open_unix,
    .receive = port_receive_fd,
    .close = close_in,
    .open_out = open_unix_out,
    .send = send_unix,
    .close_out = close_out,
};

// ---------------------------------------------------------------------------------------------- datagrams

// A socket bound to (to receive) or connected with (to send) an address; -1, reported.
static int open_datagrams(const PortAddress *address, const char *title, bool receives, Arena *arena,
                          orr_diag *diag)
{
    const char *host;
    int port;
    if (!port_split_host(arena, address, address->address, "127.0.0.1", 0, &host, &port, diag)) return -1;
    const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM,
                                    .ai_flags = AI_NUMERICSERV | (receives ? AI_PASSIVE : 0) };
    struct addrinfo *found = NULL;
    const char *number = arena_printf(arena, "%d", port);
    const int failed = getaddrinfo(host, number, &hints, &found);
    if (failed) {
        diag_report(diag, DIAG_SOURCE_OPEN, address->place, title, gai_strerror(failed));
        return -1;
    }
    int fd = -1, error = EADDRNOTAVAIL;
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
        if (fd < 0) {
            error = errno;
            continue;
        }
        const int result = receives ? bind(fd, a->ai_addr, a->ai_addrlen)
                                    : connect(fd, a->ai_addr, a->ai_addrlen);
        if (result == 0) break;
        error = errno;
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    if (fd < 0) port_report_open(diag, address, title, error);
    return fd;
}

static bool open_udp(PortIn *in, const PortAddress *address)
{
    in->fd = open_datagrams(address, in->title, true, in->arena, in->diag);
    return in->fd >= 0;
}

// A datagram is a line, or several; an empty one is nothing.
static PortReceived receive_udp(PortIn *in, double wait)
{
    const size_t before = in->bytes.n;
    const PortReceived received = port_receive_fd(in, wait);
    if (received == PORT_CLOSED) return PORT_NOTHING;
    if (in->bytes.n > before && in->bytes.p[in->bytes.n - 1] != '\n') str_add_char(&in->bytes, '\n');
    return received;
}

static bool open_udp_out(PortOut *out, const PortAddress *address)
{
    out->fd = open_datagrams(address, out->title, false, out->arena, out->diag);
    return out->fd >= 0;
}

// Nobody may be listening yet: that is no failure of a datagram.
static bool send_udp(PortOut *out, const char *line, size_t n, int *error)
{
    for (;;) {
        if (send(out->fd, line, n, MSG_NOSIGNAL) >= 0 || errno == ECONNREFUSED) return true;
        if (errno != EINTR) return *error = errno, false;
    }
}

const PortKind port_udp = {
    .name = "udp",
    .form = "[HOST:]PORT",
    .summary = "datagrams",
    .is_outside = true,
    .can_send = true,
    .open = open_udp,
    .receive = receive_udp,
    .close = close_in,
    .open_out = open_udp_out,
    .send = send_udp,
    .close_out = close_out,
};
