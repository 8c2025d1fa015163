// src/export/c/prune.c: functions and tables that an exported file does not use are left out.
//
// Compilers warn of static things that nobody uses, and people read what is there. A text is a list of items
// here: a definition or declaration that begins with `static`, together with the comment above it. Kept are
// those that the rest of the file names, and those that kept ones name.
#include "base/map.h"
#include "export/c/c.h"
#include <ctype.h>

typedef struct Item {
    Text text;        // with its comment, and the empty line behind it
    uint32_t next;    // 1 + another item of the same name; 0: none
    bool is_named, is_kept;
} Item;

typedef struct Pruning {
    Arena work;
    VEC(Item) items;
    TextMap by_name;
    VEC(uint32_t) kept;    // items whose text is still to be looked through
} Pruning;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static Text next_line(Text *rest)
{
    const char *end = memchr(rest->p, '\n', rest->n);
    const size_t n = end ? (size_t)(end - rest->p) + 1 : rest->n;
    const Text line = text_part(*rest, 0, n);
    *rest = text_part(*rest, n, rest->n);
    return line;
}

// A remark may stand behind it.
static bool ends_with(Text line, const char *end)
{
    const char *remark = memmem(line.p, line.n, "    //", 6);
    const Text text = text_trim(remark ? text_part(line, 0, (size_t)(remark - line.p)) : line);
    const size_t n = strlen(end);
    return text.n >= n && memcmp(text.p + text.n - n, end, n) == 0;
}

// What a `static` line defines: the word before the first bracket.
static Text name_of(Text line)
{
    size_t end = 0;
    while (end < line.n && line.p[end] != '(' && line.p[end] != '[' && line.p[end] != '{') end++;
    size_t begin = end;
    while (begin > 0 && is_word(line.p[begin - 1])) begin--;
    return end < line.n && line.p[end] != '{' ? text_part(line, begin, end) : (Text){ 0 };
}

static bool is_table(Text line)
{
    const char *bracket = memchr(line.p, '[', line.n), *open = memchr(line.p, '(', line.n);
    return bracket && (!open || bracket < open);
}

static void add_item(Pruning *p, const char *begin, const char *end, Text name)
{
    Item item = { .text = { begin, (size_t)(end - begin) }, .is_named = name.n > 0 };
    uint32_t *first = name.n ? text_map_find(&p->by_name, name) : NULL;
    if (first) {
        item.next = *first;
        *first = (uint32_t)p->items.n + 1;
    } else if (name.n) text_map_put(&p->by_name, name, (uint32_t)p->items.n + 1);
    if (begin < end) vec_push(&p->work, &p->items, item);
}

// Does a line end a declaration, or something that stands in one line? A remark may stand behind it.
static bool is_last(Text line)
{
    const char *remark = memmem(line.p, line.n, "    /", 5);
    if (remark) line.n = (size_t)(remark - line.p);
    return ends_with(line, ";") || ends_with(line, "}");
}

static void split(Pruning *p, Text text)
{
    const char *begin = text.p, *comment = NULL;    // what is not yet in an item; a comment at its end
    for (Text rest = text; rest.n;) {
        Text line = next_line(&rest);
        if (!text_starts(line, "static ")) {
            if (!text_starts(line, "//")) comment = NULL;
            else if (!comment) comment = line.p;
            continue;
        }
        const Text name = name_of(line);
        const bool table = is_table(line);
        const char *item = comment && name.n ? comment : line.p;
        add_item(p, begin, item, (Text){ 0 });
        bool is_over = is_last(line), is_head = !table;
        while (!is_over && rest.n) {
            line = next_line(&rest);
            is_head = is_head && line.p[0] != '{';
            is_over = table ? ends_with(line, "};") : line.p[0] == '}' || (is_head && is_last(line));
        }
        if (rest.n && rest.p[0] == '\n') next_line(&rest);
        add_item(p, item, rest.p, name);
        begin = rest.p;
        comment = NULL;
    }
    add_item(p, begin, text.p + text.n, (Text){ 0 });
}

// All items that the words of a text name are kept.
static void look_through(Pruning *p, Text text)
{
    for (size_t i = 0; i < text.n;) {
        if (text.p[i] == '/' && i + 1 < text.n && text.p[i + 1] == '/') {
            while (i < text.n && text.p[i] != '\n') i++;
            continue;
        }
        if (!is_word(text.p[i])) {
            i++;
            continue;
        }
        const size_t begin = i;
        while (i < text.n && is_word(text.p[i])) i++;
        const uint32_t *found = text_map_find(&p->by_name, text_part(text, begin, i));
        for (uint32_t k = found ? *found : 0; k; k = p->items.items[k - 1].next) {
            Item *item = &p->items.items[k - 1];
            if (item->is_kept) continue;
            item->is_kept = true;
            vec_push(&p->work, &p->kept, k - 1);
        }
    }
}

Text c_prune(Text before, Text text, Text behind, Arena *arena)
{
    Pruning p = { 0 };
    text_map_init(&p.by_name, &p.work);
    split(&p, text);
    look_through(&p, before);
    look_through(&p, behind);
    for (size_t i = 0; i < p.items.n; i++) {
        if (p.items.items[i].is_named) continue;
        p.items.items[i].is_kept = true;
        look_through(&p, p.items.items[i].text);
    }
    while (p.kept.n) look_through(&p, p.items.items[p.kept.items[--p.kept.n]].text);
    StrBuf s = { .arena = arena };
    for (size_t i = 0; i < p.items.n; i++)
        if (p.items.items[i].is_kept) str_add_text(&s, p.items.items[i].text);
    arena_free(&p.work);
    const size_t n = s.n;
    return (Text){ str_finish(&s), n };
}
