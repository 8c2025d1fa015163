// tests/fuzz/fuzz_ledger.c: any bytes as a ledger of experiments, and as a sequence of inputs: judged or
// refused with a message, never a crash.
#include "orrery/machine.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char lamp[] = "machine Lamp\n  input press, wait\n"
                           "  state off / dark : press -> on, wait -> off\n"
                           "  state on / light : press -> off, wait -> on\nend\n";

static void must(bool ok)
{
    if (!ok) abort();
}

static void judge(const orr_ledger *ledger, const orr_machine *machine, orr_diag *diag)
{
    for (size_t i = 0; i < orr_ledger_count(ledger); i++) {
        const char *from, *inputs, *outputs;
        size_t first;
        orr_ledger_get(ledger, i, &from, &inputs, &outputs, &first);
        must(inputs && outputs && first <= i);
    }
    orr_validation validation;
    const bool ok = orr_ledger_validate(ledger, machine, &machine, 1, &validation, diag);
    must(ok == (orr_diag_errors(diag) == 0));
    if (ok) must(validation.falsified_by <= orr_ledger_count(ledger));
    orr_validation_free(&validation);
    size_t n_repairs;
    bool too_large;
    free(orr_ledger_repairs(ledger, machine, &n_repairs, &too_large));
    must(!too_large);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static orr_machine *machine;    // made once
    orr_diag *diag = orr_diag_create();
    if (!machine) machine = orr_machine_parse("lamp.orr", lamp, sizeof lamp - 1, NULL, diag);
    if (!machine) orr_diag_print(diag, stderr, 0);
    must(machine != NULL);
    orr_ledger *ledger = orr_ledger_parse("fuzz.ledger", size ? (const char *)data : "", size, diag);
    must((ledger == NULL) == (orr_diag_errors(diag) > 0));
    if (ledger) judge(ledger, machine, diag);
    orr_ledger_destroy(ledger);
    orr_diag_clear(diag);

    char *text = strndup(size ? (const char *)data : "", size);
    must(text != NULL);
    for (int outputs = 0; outputs < 2; outputs++) {
        uint32_t *sequence;
        size_t n;
        orr_diag_clear(diag);
        const bool ok = orr_machine_read_sequence(machine, outputs ? ORR_MACHINE_OUTPUTS : ORR_MACHINE_INPUTS,
                                                  text, &sequence, &n, diag);
        must(ok == (orr_diag_errors(diag) == 0));
        for (size_t i = 0; ok && i < n; i++)
            must(sequence[i] < 2 || (outputs && sequence[i] == ORR_MACHINE_NONE));
        if (ok) free(sequence);
    }
    free(text);
    orr_diag_destroy(diag);
    return 0;
}
