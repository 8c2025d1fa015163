// src/atomic/embed.c: atomics as components of models: what a component shows is a model without equations.
//
// So overrides, units, arrays and arrows know nothing of atomics; what they do is the network's.
#include "atomic/atomic.h"
#include "atomic/draw.h"

static AstItem port_item(const AstPort *port)
{
    AstItem item = { .kind = AST_DECL, .place = port->place };
    item.decl = (AstDecl){ .kind = port->is_output ? AST_EVENT_OUTPUT : AST_EVENT_INPUT,
                           .name = port->name,
                           .sizes = (AstExpr **)&port->size,
                           .n_sizes = port->size != NULL,
                           .unit = port->unit,
                           .unit_place = port->unit_place,
                           .doc = port->doc,
                           .type = port->type,
                           .type_place = port->type_place,
                           .is_required = port->is_required,
                           .place = port->place };
    return item;
}

void atomic_embed(Ast *ast)
{
    atomic_specialise(ast);
    for (size_t i = 0; i < ast->atomics.n; i++) {
        const AstAtomic *atomic = &ast->atomics.items[i];
        AstModel model = {
            .name = atomic->name, .doc = atomic->doc, .place = atomic->place, .atomic = atomic
        };
        model.items = ARENA_ARRAY(ast->arena, AstItem, atomic->n_params + atomic->n_ports);
        for (uint32_t k = 0; k < atomic->n_params; k++) {
            const AstDecl *d = &atomic->params[k];
            if (!d->is_drawn)
                model.items[model.n_items++] = (AstItem){ .kind = AST_DECL, .place = d->place, .decl = *d };
        }
        for (uint32_t k = 0; k < atomic->n_ports; k++)
            model.items[model.n_items++] = port_item(&atomic->ports[k]);
        vec_push(ast->arena, &ast->models, model);
    }
}
