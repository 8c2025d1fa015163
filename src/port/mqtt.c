// src/port/mqtt.c: messages of an MQTT broker, by libmosquitto.
//
// The library is loaded when the first topic is asked for, so that nobody else waits for it or needs it
// installed.
// Everything happens in the calls of the run: no thread of its own.
#include "port/port.h"
#include <dlfcn.h>
#include <errno.h>
#include <math.h>

enum {
    PORT_DEFAULT = 1883,
    KEEPALIVE_S = 60,
    QOS = 0,
    CONNECT_ROUNDS = 50,
    ROUND_MS = 100,
    FLUSH_ROUNDS = 100
};
enum { MOSQ_SUCCESS = 0 };

// What of the library is used; the layout of a message belongs to its interface.
typedef struct Mosquitto Mosquitto;
typedef struct MosquittoMessage {
    int   mid;
    char *topic;
    void *payload;
    int   payloadlen;
    int   qos;
    bool  retain;
} MosquittoMessage;

typedef struct Library {
    int (*lib_init)(void);
    Mosquitto *(*create)(const char *id, bool clean, void *user);
    void (*destroy)(Mosquitto *m);
    int (*connect)(Mosquitto *m, const char *host, int port, int keepalive);
    int (*disconnect)(Mosquitto *m);
    int (*subscribe)(Mosquitto *m, int *mid, const char *pattern, int qos);
    int (*publish)(Mosquitto *m, int *mid, const char *topic, int n, const void *payload, int qos,
                   bool retain);
    int (*loop)(Mosquitto *m, int timeout_ms, int max_packets);
    bool (*want_write)(Mosquitto *m);
    void (*on_connect)(Mosquitto *m, void (*call)(Mosquitto *m, void *user, int result));
    void (*on_subscribe)(Mosquitto *m,
                         void (*call)(Mosquitto *m, void *user, int mid, int n, const int *granted));
    void (*on_message)(Mosquitto *m, void (*call)(Mosquitto *m, void *user, const MosquittoMessage *message));
    const char *(*strerror)(int error);
    const char *(*connack_string)(int result);
} Library;

typedef struct Client {
    Library     library;
    Mosquitto  *m;
    const char *topic;
    StrBuf     *bytes;           // where messages go; NULL for one that only sends
    int         connected;       // -1: not yet, else the broker's answer
    bool        subscribed;
} Client;

static bool load(Library *l, orr_diag *diag, Place place)
{
    static const char *const names[] = { "libmosquitto.so.1", "libmosquitto.so" };
    static const struct { const char *name; size_t offset; } symbols[] = {
        { "mosquitto_lib_init", offsetof(Library, lib_init) },
        { "mosquitto_new", offsetof(Library, create) },
        { "mosquitto_destroy", offsetof(Library, destroy) },
        { "mosquitto_connect", offsetof(Library, connect) },
        { "mosquitto_disconnect", offsetof(Library, disconnect) },
        { "mosquitto_subscribe", offsetof(Library, subscribe) },
        { "mosquitto_publish", offsetof(Library, publish) },
        { "mosquitto_loop", offsetof(Library, loop) },
        { "mosquitto_want_write", offsetof(Library, want_write) },
        { "mosquitto_connect_callback_set", offsetof(Library, on_connect) },
        { "mosquitto_subscribe_callback_set", offsetof(Library, on_subscribe) },
        { "mosquitto_message_callback_set", offsetof(Library, on_message) },
        { "mosquitto_strerror", offsetof(Library, strerror) },
        { "mosquitto_connack_string", offsetof(Library, connack_string) },
    };
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool ok = library != NULL;
    for (size_t i = 0; ok && i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        // POSIX lets a pointer to data hold a function
        memcpy((char *)l + symbols[i].offset, &symbol, sizeof symbol);
        ok = symbol != NULL;
    }
    if (ok) ok = l->lib_init() == MOSQ_SUCCESS;
    if (ok) return true;
    diag_report(diag, DIAG_LIBRARY_MISSING, place, "libmosquitto.so.1", "mqtt");
    diag_hint(diag, "install the package libmosquitto1");
    return false;
}

static void note_connected(Mosquitto *m, void *user, int result)
{
    (void)m;
    ((Client *)user)->connected = result;
}

static void note_subscribed(Mosquitto *m, void *user, int mid, int n, const int *granted)
{
    (void)m, (void)mid, (void)n, (void)granted;
    ((Client *)user)->subscribed = true;
}

static void note_message(Mosquitto *m, void *user, const MosquittoMessage *message)
{
    (void)m;
    Client *client = user;
    if (!client->bytes || message->payloadlen <= 0) return;
    const Text text = { message->payload, (size_t)message->payloadlen };
    str_add_text(client->bytes, text);
    if (text.p[text.n - 1] != '\n') str_add_char(client->bytes, '\n');
}

static bool report(orr_diag *diag, const PortAddress *address, const char *title, const char *why)
{
    diag_report(diag, DIAG_SOURCE_OPEN, address->place, title, why);
    diag_hint(diag, "is a broker running there?");
    return false;
}

// Connected, and subscribed if it is to receive; false after a message.
static bool open_client(Client *c, const PortAddress *address, const char *title, StrBuf *bytes, Arena *arena,
                        orr_diag *diag)
{
    const char *slash = strchr(address->address, '/');
    const char *host;
    int port;
    if (!slash || slash[1] == '\0') {
        diag_report(diag, DIAG_PORT_ADDRESS, address->place, address->address, "mqtt", "HOST[:PORT]/TOPIC");
        return false;
    }
    const char *broker = arena_copy_text(arena, address->address, (size_t)(slash - address->address));
    if (!port_split_host(arena, address, broker, "localhost", PORT_DEFAULT, &host, &port, diag)) return false;
    c->topic = slash + 1;
    c->bytes = bytes;
    c->connected = -1;
    if (!load(&c->library, diag, address->place)) return false;
    const Library *l = &c->library;
    c->m = l->create(NULL, true, c);
    if (!c->m) return report(diag, address, title, "no client could be made");
    l->on_connect(c->m, note_connected);
    l->on_subscribe(c->m, note_subscribed);
    l->on_message(c->m, note_message);
    int result = l->connect(c->m, host, port, KEEPALIVE_S);
    for (int i = 0; result == MOSQ_SUCCESS && c->connected < 0 && i < CONNECT_ROUNDS; i++)
        result = l->loop(c->m, ROUND_MS, 1);
    if (result != MOSQ_SUCCESS) return report(diag, address, title, l->strerror(result));
    if (c->connected != 0)
        return report(diag, address, title, c->connected < 0 ? "no answer" : l->connack_string(c->connected));
    if (!bytes) return true;
    result = l->subscribe(c->m, NULL, c->topic, QOS);
    for (int i = 0; result == MOSQ_SUCCESS && !c->subscribed && i < CONNECT_ROUNDS; i++)
        result = l->loop(c->m, ROUND_MS, 1);
    if (result == MOSQ_SUCCESS && c->subscribed) return true;
    return report(diag, address, title,
                  result != MOSQ_SUCCESS ? l->strerror(result) : "no answer to the subscription");
}

static void close_client(Client *c)
{
    if (!c || !c->m) return;
    const Library *l = &c->library;
    for (int i = 0; i < FLUSH_ROUNDS && l->want_write(c->m) && l->loop(c->m, 10, 1) == MOSQ_SUCCESS; i++)
        continue;
    l->disconnect(c->m);
    l->destroy(c->m);
    c->m = NULL;
}

// ---------------------------------------------------------------------------------------------- in and out

static bool open_in(PortIn *in, const PortAddress *address)
{
    in->memory = ARENA_NEW(in->arena, Client);
    return open_client(in->memory, address, in->title, &in->bytes, in->arena, in->diag);
}

static PortReceived receive(PortIn *in, double wait)
{
    Client *c = in->memory;
    const size_t before = in->bytes.n;
    const int result = c->library.loop(c->m, wait <= 0 ? 0 : (int)ceil(fmin(wait, 1) * 1000), 1);
    if (in->bytes.n > before) return PORT_BYTES;
    return result == MOSQ_SUCCESS ? PORT_NOTHING : PORT_CLOSED;
}

static void close_in(PortIn *in) { close_client(in->memory); }

static bool open_out(PortOut *out, const PortAddress *address)
{
    out->memory = ARENA_NEW(out->arena, Client);
    return open_client(out->memory, address, out->title, NULL, out->arena, out->diag);
}

// A message is the line without its end.
static bool send_message(PortOut *out, const char *line, size_t n, int *error)
{
    Client *c = out->memory;
    const Library *l = &c->library;
    if (n > 0 && line[n - 1] == '\n') n--;
    *error = ECONNRESET;
    if (l->publish(c->m, NULL, c->topic, (int)n, line, QOS, false) != MOSQ_SUCCESS) return false;
    return l->loop(c->m, 0, 1) == MOSQ_SUCCESS;
}

static void close_out(PortOut *out) { close_client(out->memory); }

const PortKind port_mqtt = {
    .name = "mqtt",
    .form = "HOST[:PORT]/TOPIC",
    .summary = "messages of an MQTT broker",
    .is_outside = true,
    .can_send = true,
    .open = open_in,
    .receive = receive,
    .close = close_in,
    .open_out = open_out,
    .send = send_message,
    .close_out = close_out,
};
