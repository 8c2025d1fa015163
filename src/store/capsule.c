// src/store/capsule.c: one run as an archive: a .zip with a store of this run alone, and the same for people:
//
//     capsule.runs    what import reads
//     README.txt      what it is
//     files/…         the texts that were read
//
// Members are stored, not deflated: what is large is compressed already, and a reader of stored members has
// nothing that can be deceived but lengths. Of a stranger's archive one member is read, by its name in the
// list at the end, into a file of our own; names of others never become paths.
#include "base/file.h"
#include "base/os.h"
#include "store/store.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOCAL = 0x04034b50, ENTRY = 0x02014b50, LAST = 0x06054b50, ENTRIES_MOST = 10000 };
static const char store_name[] = "capsule.runs";

static uint32_t crc32_of(const uint8_t *p, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc;
}

// ---------------------------------------------------------------------------------------------- writing

static void put(Pack *pack, uint64_t value, int bytes) { pack_bytes(pack, &value, (size_t)bytes); }

typedef struct Zip {
    Pack bytes, list;
    size_t n;
} Zip;

static void put_head(Pack *pack, const char *name, const void *bytes, size_t n)
{
    put(pack, 0, 2);           // flags: names are ASCII or UTF-8 all the same
    put(pack, 0, 2);           // stored
    put(pack, 0x210000, 4);    // a time and a day, always the same
    put(pack, crc32_of(bytes, n), 4);
    put(pack, n, 4);
    put(pack, n, 4);
    put(pack, strlen(name), 2);
    put(pack, 0, 2);
}

static void zip_add(Zip *zip, const char *name, const void *bytes, size_t n)
{
    const size_t at = zip->bytes.n;
    put(&zip->bytes, LOCAL, 4);
    put(&zip->bytes, 10, 2);
    put_head(&zip->bytes, name, bytes, n);
    pack_bytes(&zip->bytes, name, strlen(name));
    pack_bytes(&zip->bytes, bytes, n);
    put(&zip->list, ENTRY, 4);
    put(&zip->list, 20, 2);
    put(&zip->list, 10, 2);
    put_head(&zip->list, name, bytes, n);
    put(&zip->list, 0, 2);    // comment
    put(&zip->list, 0, 2);    // disk
    put(&zip->list, 0, 2);    // attributes
    put(&zip->list, 0, 4);
    put(&zip->list, at, 4);
    pack_bytes(&zip->list, name, strlen(name));
    zip->n++;
}

static void zip_end(Zip *zip)
{
    const size_t at = zip->bytes.n;
    pack_bytes(&zip->bytes, zip->list.p, zip->list.n);
    put(&zip->bytes, LAST, 4);
    put(&zip->bytes, 0, 4);
    put(&zip->bytes, zip->n, 2);
    put(&zip->bytes, zip->n, 2);
    put(&zip->bytes, zip->list.n, 4);
    put(&zip->bytes, at, 4);
    put(&zip->bytes, 0, 2);
}

// A store in memory as the bytes of its file.
typedef struct Image {
    uint8_t *p;
    sqlite3_int64 n;
} Image;

static bool do_image(orr_store *store, void *self)
{
    Image *image = self;
    image->p = sqlite3_serialize(store->db, "main", &image->n, 0);
    return image->p != NULL;
}

// Where people find a text in the archive: no path leads anywhere else.
static const char *inside(Arena *arena, const char *name)
{
    char *safe = arena_printf(arena, "files/%s", name);
    for (char *p = safe + 6; *p; p++)
        if (*p == '\\' || *p == ':' || (unsigned char)*p < ' ' || (*p == '.' && p[1] == '.') ||
            (*p == '/' && (p == safe + 6 || p[1] == '/')))
            *p = '_';
    return safe;
}

static bool write_capsule(orr_store *one, orr_store *from, size_t number, const char *path, orr_diag *diag)
{
    Arena work = { 0 };
    Image image = { 0 };
    Zip zip = { 0 };
    ReadFile *files;
    size_t n;
    FileOut f;
    bool ok = store_files(from, number, true, &files, NULL, &n, &work, diag);
    if (ok && !store_do(one, do_image, &image)) ok = store_report(one, diag);
    char *about = ok ? orr_store_describe(from, number, diag) : NULL;
    if (about && image.n >= UINT32_MAX / 2) {
        diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, path, "the run is larger than 2 GB");
        ok = false;
    }
    if (about && ok) {
        zip_add(&zip, store_name, image.p, (size_t)image.n);
        const char *head = "A run of Orrery with all it needs: 'orrery runs import' takes it into a store,\n"
                           "'orrery runs replay' repeats it. The texts it read are in files/.\n\n";
        const char *text = arena_printf(&work, "%s%s", head, about);
        zip_add(&zip, "README.txt", text, strlen(text));
        for (size_t i = 0; i < n && zip.n < ENTRIES_MOST; i++)
            zip_add(&zip, inside(&work, files[i].name), files[i].text.p, files[i].text.n);
        zip_end(&zip);
        ok = file_open(&f, path, FILE_REPLACE, diag);
        if (ok) {
            file_write(&f, zip.bytes.p, zip.bytes.n);
            file_mark(&f);
            ok = file_close(&f, diag);
        }
    }
    free(about);
    sqlite3_free(image.p);
    pack_free(&zip.bytes);
    pack_free(&zip.list);
    arena_free(&work);
    return about && ok;
}

bool orr_store_export(orr_store *store, size_t number, const char *path, orr_diag *diag)
{
    orr_kept kept;
    size_t there;
    if (!orr_store_get(store, number, &kept, diag)) return false;
    orr_store *one = orr_store_open(NULL, ORR_STORE_MEMORY, diag);
    const bool ok = one && store_copy(store, number, one, &there, diag) &&
                    write_capsule(one, store, number, path, diag);
    orr_store_close(one);
    return ok;
}

// ---------------------------------------------------------------------------------------------- reading

static uint32_t get(const uint8_t *p, int bytes)
{
    uint32_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | p[i];
    return value;
}

// The member that is a store; NULL: why not is in *why.
static const uint8_t *find_store(const uint8_t *p, size_t n, size_t *size, const char **why)
{
    enum { LAST_BYTES = 22, ENTRY_BYTES = 46, LOCAL_BYTES = 30 };
    *why = "it is no archive";
    if (n < LAST_BYTES) return NULL;
    size_t last = n - LAST_BYTES;
    while (last > 0 && n - last < 65536 + LAST_BYTES && get(p + last, 4) != LAST) last--;
    if (get(p + last, 4) != LAST) return NULL;
    const size_t n_entries = get(p + last + 10, 2), n_list = get(p + last + 12, 4),
                 list = get(p + last + 16, 4);
    *why = "its list leads nowhere";
    if (list > last || n_list > last - list) return NULL;
    *why = "it has no store of runs";
    for (size_t i = 0, at = list; i < n_entries; i++) {
        if (at + ENTRY_BYTES > list + n_list || get(p + at, 4) != ENTRY) return NULL;
        const size_t n_name = get(p + at + 28, 2), skip = get(p + at + 30, 2) + get(p + at + 32, 2);
        if (at + ENTRY_BYTES + n_name > list + n_list) return NULL;
        const uint8_t *entry = p + at;
        const size_t length = get(entry + 24, 4), local = get(entry + 42, 4);
        const bool is_it = n_name == sizeof store_name - 1 &&
                           memcmp(entry + ENTRY_BYTES, store_name, n_name) == 0;
        at += ENTRY_BYTES + n_name + skip;
        if (!is_it) continue;
        *why = "its store of runs is compressed or leads nowhere";
        if (get(entry + 10, 2) != 0) return NULL;
        if (local > n || n - local < LOCAL_BYTES || get(p + local, 4) != LOCAL) return NULL;
        const size_t begin = local + LOCAL_BYTES + get(p + local + 26, 2) + get(p + local + 28, 2);
        if (begin > n || length > n - begin) return NULL;
        *why = "it was changed since it was written";
        if (crc32_of(p + begin, length) != get(entry + 16, 4)) return NULL;
        *size = length;
        return p + begin;
    }
    return NULL;
}

bool orr_store_import(orr_store *store, const char *path, size_t *number, orr_diag *diag)
{
    Arena work = { 0 };
    Text text;
    const char *why = NULL;
    size_t size = 0;
    if (!os_read_file(&work, NULL, path, UINT32_MAX, &text, diag)) return false;
    const uint8_t *image = find_store((const uint8_t *)text.p, text.n, &size, &why);
    bool ok = image != NULL;
    if (!ok) diag_report(diag, DIAG_CAPSULE_BAD, (Place){ 0 }, path, why);
    const char *folder = ok ? os_private_folder(&work, NULL, diag) : NULL;
    const char *temp = folder ? arena_printf(&work, "%s/capsule.%ld-%llx.runs", folder, (long)getpid(),
                                             (unsigned long long)os_now_ns())
                              : NULL;
    FileOut f;
    ok = temp && file_open(&f, temp, FILE_IN_PLACE, diag);
    if (ok) {
        file_write(&f, image, size);
        file_mark(&f);
        ok = file_close(&f, diag);
    }
    orr_store *one = ok ? orr_store_open(temp, ORR_STORE_READ, diag) : NULL;
    orr_kept *all = NULL;
    size_t n = 0;
    ok = one && orr_store_list(one, &(orr_kept_filter){ 0 }, &all, &n, diag);
    if (ok && n != 1) {
        diag_report(diag, DIAG_CAPSULE_BAD, (Place){ 0 }, path, "it has not one run");
        ok = false;
    }
    // all that is read of it is checked before it is taken
    char *about = ok ? orr_store_describe(one, all[0].number, diag) : NULL;
    ok = ok && about && store_copy(one, all[0].number, store, number, diag);
    free(about);
    free(all);
    orr_store_close(one);
    if (temp) unlink(temp);
    arena_free(&work);
    return ok;
}
