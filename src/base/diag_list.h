// src/base/diag_list.h: every message we can give; docs/errors.md is generated from it.
//
// One line for each, in the order of the codes; the long explanation stands in explain_list.h under the same
// name. A code is never used again for something else.
//   E0xx files and the command line     E4xx experiments and settings
//   E1xx names and declarations         E5xx while running
//   E2xx syntax                         W6xx warnings
//   E3xx structure of the equations     E7xx code generation and the computer
//                                       E8xx finite-state machines
#pragma once

// clang-format off
#define DIAG_LIST(D) \
    D(FILE_MISSING,           "E001", "there is no file '%s'") \
    D(FILE_UNREADABLE,        "E002", "cannot read '%s': %s") \
    D(FILE_IS_FOLDER,         "E003", "'%s' is a folder, not a file") \
    D(FILE_TOO_LARGE,         "E004", "'%s' is larger than the limit of %zu bytes") \
    D(FILE_BINARY,            "E005", "'%s' does not look like text: byte %zu is 0x%02x") \
    D(FILE_NOT_UTF8,          "E006", "'%s' is not UTF-8 text: ill-formed byte 0x%02x") \
    D(FILE_KIND_UNKNOWN,      "E007", "cannot tell what kind of file '%s' is; known are %s") \
    D(SEQUENCE_EMPTY,         "E008", "there is no message to draw: none was sent during the run") \
    D(FILE_OUTSIDE,           "E009", "'%s' is outside the folder of the model") \
    D(WRITE_FAILED,           "E010", "cannot write '%s': %s") \
    D(FOLDER_FAILED,          "E011", "cannot make the folder '%s': %s") \
    D(FILE_EXISTS,            "E012", "'%s' exists already") \
    D(FILE_FOREIGN,           "E013", "'%s' exists and was not written by 'orrery export'") \
    D(FILES_LIMIT,            "E014", "more than %d files are used") \
    D(OUTPUT_REFUSED,         "E016", "the model may not write '%s': %s") \
    D(USAGE_COMMAND_UNKNOWN,  "E020", "there is no command '%s'") \
    D(USAGE_OPTION_UNKNOWN,   "E021", "there is no option '%s'") \
    D(USAGE_OPTION_VALUE,     "E022", "option '%s' needs %s, not '%s'") \
    D(USAGE_ARGUMENT_MISSING, "E023", "%s is missing") \
    D(USAGE_ARGUMENT_EXTRA,   "E024", "too many arguments, from '%s' on") \
    D(USAGE_CONFLICT,         "E025", "'%s' and '%s' exclude each other") \
    D(CODE_UNKNOWN,           "E026", "there is no message with the code '%s'") \
    D(STEP_COMMAND,           "E027", "a command of 'orrery step' makes no sense: %s '%s'") \
    D(FILE_NOT_PLAIN,         "E028", "'%s' is no plain file") \
    D(CHECKPOINT_BAD,         "E030", "'%s' is no checkpoint to go on from: %s") \
    D(CHECKPOINT_OTHER,       "E031", "the checkpoint '%s' is of another run: %s") \
    D(CHECKPOINT_CANNOT,      "E032", "the run cannot be saved at t = %.10g: %s") \
    D(CHECKPOINT_OUTPUT,      "E033", "'%s' is not as it was when the checkpoint was written") \
    D(CSV_NO_HEADER,          "E040", "'%s' has no columns: a first line such as t,x,y is expected") \
    D(CSV_FIELDS,             "E041", "this row has %zu fields, the header has %zu") \
    D(CSV_NOT_NUMBER,         "E042", "'%s' in column '%s' is not a number") \
    D(CSV_QUOTE,              "E043", "a quoted field is never closed") \
    D(CSV_LINE_TOO_LONG,      "E045", "a row is longer than %zu bytes") \
    D(CSV_COLUMN_TWICE,       "E046", "two columns are called '%s'") \
    D(CSV_NO_ROWS,            "E047", "'%s' has a header but no rows") \
    D(COLUMN_UNKNOWN,         "E050", "'%s' has no column '%s'") \
    D(SAMPLE_TIME,            "E051", "the time of this row is %s") \
    D(SAMPLE_ORDER,           "E052", "time goes back in this row, from %.10g to %.10g") \
    D(SAMPLE_TWICE,           "E053", "two rows have the time %.10g") \
    D(SAMPLE_VALUE,           "E054", "the value of '%s' in this row is %s") \
    D(SAMPLE_LINE,            "E055", "'%s' is not a sample: a line such as 0.5,1.25 is expected") \
    D(IO_REFUSED,             "E056", "%s reaches outside of the model and has not been allowed") \
    D(SOURCE_OPEN,            "E057", "cannot open %s: %s") \
    D(PORT_ADDRESS,           "E058", "'%s' is no address for %s: %s is expected") \
    D(PORT_LOST,              "E059", "the connection with %s was lost: %s") \
    D(NAME_UNKNOWN,           "E101", "nothing called '%s' is declared in '%s'") \
    D(NAME_TWICE,             "E102", "'%s' is declared twice") \
    D(MODEL_UNKNOWN,          "E103", "there is no model called '%s'") \
    D(MODEL_TWICE,            "E104", "'%s' is defined twice") \
    D(MODEL_NONE,             "E105", "'%s' contains no model to run") \
    D(MODEL_AMBIGUOUS,        "E106", "several models could be run: %s") \
    D(COMPONENT_CYCLE,        "E107", "'%s' contains itself: %s") \
    D(PARAM_UNKNOWN,          "E108", "'%s' has no parameter called '%s'") \
    D(FUNCTION_UNKNOWN,       "E110", "there is no function called '%s'") \
    D(FUNCTION_ARGUMENTS,     "E111", "'%s' takes %s, not %zu") \
    D(FUNCTION_RECURSIVE,     "E112", "function '%s' calls itself: %s") \
    D(NAME_RESERVED,          "E113", "'%s' has a meaning of its own and cannot be declared") \
    D(PARAM_CYCLE,            "E114", "the value of parameter '%s' depends on itself: %s") \
    D(PARAM_NOT_CONSTANT,     "E115", \
      "the value of parameter '%s' depends on '%s', which changes during a run") \
    D(INPUT_DRIVEN_TWICE,     "E116", "input '%s' has two sources") \
    D(INPUT_OPEN,             "E117", "input '%s' has neither a source nor a default") \
    D(OUTPUT_AS_TARGET,       "E118", "'%s' cannot be the target of an arrow") \
    D(DERIVATIVE_BAD,         "E119", "'%s' is a %s and has no derivative") \
    D(NOT_A_VALUE,            "E120", "'%s' is a %s, not a value") \
    D(NOT_A_COMPONENT,        "E121", "'%s' is a %s, not a component") \
    D(INDEX_RANGE,            "E122", "index %lld of '%s' is outside 1..%lld") \
    D(SIZE_BAD,               "E123", "the size of '%s' is %s; a whole number from 1 to %lld is needed") \
    D(TYPE_MISMATCH,          "E124", "%s is needed here, but this is %s") \
    D(UNIT_MISMATCH,          "E125", "units do not agree: %s is in [%s], %s in [%s]") \
    D(UNIT_UNKNOWN,           "E126", "there is no unit called '%s'") \
    D(TABLE_BAD,              "E127", "table '%s': %s") \
    D(INDEX_COUNT,            "E128", "the number of indices of '%s' is %u, not %u") \
    D(CONST_NEEDED,           "E129", "'%s' must have a value that is known before the run") \
    D(ONLY_IN_EQUATIONS,      "E130", "'%s' can only stand in an equation of a model") \
    D(GUESS_READS,            "E131", "the value given for '%s' is a first guess and cannot read '%s'") \
    D(TERMINAL_TARGET,        "E132", "'%s' is computed by the equations and cannot be assigned at the end") \
    D(STRUCTURAL_SET,         "E133", \
      "'%s' decides the structure of the model and cannot be changed for a run") \
    D(LAG_MOVES,              "E134", "the %s of a delay depends on '%s', which changes during a run") \
    D(SLICE_LENGTH,           "E135", "%s selects %s, but %s selects %s") \
    D(SLICE_MISPLACED,        "E136", "%s stands for several values; one is needed here") \
    D(TERMINALS_DIFFER,       "E140", "'%s' is a terminal of type %s, '%s' one of type %s") \
    D(NOT_A_TERMINAL,         "E141", "'%s' is a %s, not a terminal") \
    D(TERMINAL_TO_ITSELF,     "E142", "terminal '%s' is connected with itself") \
    D(PART_BAD,               "E150", "component '%s' cannot be added: %s") \
    D(PORT_UNKNOWN,           "E151", "'%s' has no %s called '%s'") \
    D(PORT_KINDS,             "E152", "'%s' sends at '%s' %s, but '%s' takes at '%s' %s") \
    D(COUPLING_SCOPE,         "E153", \
      "'%s' cannot be coupled to '%s': neither is directly inside the other, nor are they brothers") \
    D(COUPLING_TWICE,         "E154", "'%s' is coupled to '%s' twice") \
    D(COUPLING_CIRCLE,        "E155", \
      "couplings lead from '%s' back to it without passing an atomic component") \
    D(PORT_OPEN,              "E156", "input '%s' must be coupled, and is not") \
    D(UNIT_TEXT,              "E160", "'%s' is not a unit: %s") \
    D(UNIT_PURE,              "E161", "%s must be a pure number, but %s is in [%s]") \
    D(UNIT_CONVERT,           "E162", "%s is in [%s] and cannot be converted to [%s]") \
    D(UNIT_UNDETERMINED,      "E163", \
      "the unit of %s is not known, so it cannot be converted to [%s]") \
    D(UNIT_ZERO,              "E164", "%s is in [%s], which has a zero of its own: it cannot be %s") \
    D(UNIT_CYCLE,             "E165", "unit '%s' is defined by itself") \
    D(UNIT_LIMIT,             "E166", "more than %d units of new kinds are defined") \
    D(MESSAGE_TYPE,           "E170", "nothing says what messages of type '%s' are") \
    D(NOT_A_PORT,             "E171", "'%s' is a %s, not an event port") \
    D(ARROW_FROM,             "E172", "no arrow begins at '%s': it is %s") \
    D(ARROW_TO,               "E173", "no arrow leads to '%s': it is %s") \
    D(ARROW_TYPES,            "E174", "'%s' sends messages of type %s, but '%s' takes %s") \
    D(ARROW_UNITS,            "E175", "'%s' sends messages in [%s], but '%s' takes [%s]") \
    D(HOLD_TARGET,            "E176", "messages of '%s' cannot go to '%s': it is a %s") \
    D(SIGNAL_TO_EVENT,        "E177", "'%s' has a value at every moment, but '%s' takes messages") \
    D(SEND_TARGET,            "E178", "nothing can be sent to '%s'") \
    D(SEND_VALUES,            "E179", "a message to '%s' is of type %s: it has %zu values, not %zu") \
    D(ON_PORT,                "E180", \
      "'on' needs an input of this model or an output of a component, not '%s'") \
    D(MESSAGE_FIELD,          "E181", "messages of '%s' have no '%s'") \
    D(NOT_AN_ATOMIC,          "E182", "'%s' is a %s, and only atomics can be present for a while") \
    D(SIGNAL_WHEN,            "E183", \
      "'%s' has a value at every moment, also while the condition does not hold") \
    D(SPECIES,                "E184", "'%s' cannot take part in a reaction: it is a %s") \
    D(DRAW_MISPLACED,         "E190", "'%s' draws a random number, which has no meaning here") \
    D(DRAW_ARGUMENT,          "E191", "%s: %s = %.10g %s") \
    D(SAMPLES_UNKNOWN,        "E192", "there are no samples called '%s'") \
    D(NOISE_MISPLACED,        "E193", "white noise has no value at an instant, so it cannot %s") \
    D(CHARACTER_BAD,          "E201", "the character %s cannot stand here") \
    D(NUMBER_BAD,             "E202", "'%s' is not a number") \
    D(TEXT_OPEN,              "E203", "a quoted name or text is never closed") \
    D(EXPECTED,               "E204", "%s is expected here, not %s") \
    D(END_MISSING,            "E205", "'%s' is never closed by 'end'") \
    D(END_EXTRA,              "E206", "there is nothing to close here with 'end'") \
    D(NESTED_TOO_DEEP,        "E207", "nested more than %d deep") \
    D(NUMBER_TOO_LARGE,       "E208", "'%s' is too large for a number") \
    D(STATEMENT_UNKNOWN,      "E209", "'%s' does not start a statement of %s") \
    D(ASSIGN_IN_MODEL,        "E210", \
      "':=' assigns and belongs in an event; an equation is written with '='") \
    D(EQUALS_TWICE,           "E211", "an equation has one '='") \
    D(RELATION_CHAINED,       "E212", "relations cannot be chained") \
    D(VERSION_UNKNOWN,        "E213", \
      "this file is written for version %s of the language; this program knows up to %d") \
    D(PAREN_OPEN,             "E214", "'%s' is never closed") \
    D(NOT_YET,                "E215", "%s is not supported yet") \
    D(STATEMENT_TWICE,        "E216", "'%s' is given twice") \
    D(EQUALS_COMPARES,        "E217", "'=' states an equation; two values are compared with '=='") \
    D(NOTHING_STATED,         "E218", "this compares two values, but states nothing") \
    D(PRIME_MISPLACED,        "E219", \
      "only a variable has a derivative: a single quote follows a name or its index") \
    D(WORD_NOT_YET,           "E220", "'%s' is not known in this version of the language") \
    D(WORD_RESERVED,          "E221", "'%s' is a word of the language, not a name") \
    D(UNIT_MISPLACED,         "E222", "a unit cannot stand here") \
    D(OUTSIDE_MODEL,          "E223", "this belongs inside a model") \
    D(EVENT_TARGET,           "E224", "'%s' cannot be assigned in an event: it is %s") \
    D(ONLY_IN_EVENTS,         "E226", "'%s' is used outside of an event") \
    D(EVENT_TIME,             "E227", "the %s of an event changes during the run: it reads '%s'") \
    D(DISCRETE_EQUATION,      "E228", "'%s' is discrete: it changes in events, not by an equation") \
    D(NOT_DISCRETE,           "E229", "'%s' is not discrete: there is nothing to hold") \
    D(ONLY_IN_REINIT,         "E230", "'%s' is used outside of a reinit block") \
    D(CSMP_BLOCK_UNKNOWN,     "E240", "there is no block type '%s'") \
    D(CSMP_BLOCK_NUMBER,      "E241", "a block starts with its number, from 1 to %lld, not '%s'") \
    D(CSMP_BLOCK_TWICE,       "E242", "block %lld is defined twice") \
    D(CSMP_BLOCK_MISSING,     "E243", "block %lld reads block %lld, which does not exist") \
    D(CSMP_ARGUMENTS,         "E244", "block type %s takes %s, not %zu") \
    D(CSMP_SETTING_UNKNOWN,   "E245", "there is no setting '%s'") \
    D(CSMP_SETTING_MISSING,   "E246", "'%s' is not given in the file") \
    D(CSMP_SETTING_VALUE,     "E247", "'%s' needs %s, not '%s'") \
    D(CSMP_PARAMETER,         "E250", "%s must be a finite number, not '%s'") \
    D(CSMP_INPUT,             "E251", "%s must be the number of a block, not '%s'") \
    D(CSMP_LINE,              "E252", "this line is neither a block nor a setting nor a comment") \
    D(CSMP_NO_BLOCKS,         "E253", "'%s' contains no blocks") \
    D(CSMP_NEEDS,             "E254", "block type %s needs %.*s") \
    D(SYSTEM_TOO_FEW,         "E301", "%s never computed (%s for %s)") \
    D(SYSTEM_TOO_MANY,        "E302", "%s too many (%s for %s: %s)") \
    D(INITIAL_MISSING,        "E304", "state '%s' has no initial value") \
    D(INITIAL_TOO_MANY,       "E305", "'%s' has more than one initial value") \
    D(LOOP_REFUSED,           "E306", "algebraic loop of %zu equations: %s") \
    D(LOOP_SINGULAR,          "E307", "the %s for %s %s no unique solution") \
    D(HIGH_INDEX,             "E308", "'%s' must be differentiated to be solved, but %s") \
    D(EQUATION_EMPTY,         "E309", "this equation contains no unknown: %s") \
    D(DEFINED_TWICE,          "E310", "'%s' is computed twice") \
    D(NOT_IN_EQUATIONS,       "E312", "'%s' occurs in no equation") \
    D(CONSTRAINT_DEPENDENT,   "E313", "'%s' says nothing new, or contradicts other constraints") \
    D(POSITIVE_NO_STATE,      "E314", "'%s' is declared positive, but it is no state") \
    D(NOT_CSMP,               "E320", "%s cannot be written as CSMP blocks") \
    D(NOT_C,                  "E321", "%s cannot be exported as C: %s") \
    D(EXPERIMENT_UNKNOWN,     "E401", "there is no experiment called '%s'") \
    D(SOLVER_UNKNOWN,         "E403", "there is no solver called '%s'") \
    D(SOLVER_OPTION,          "E404", "solver '%s' has no option '%s'") \
    D(SOLVER_UNSUITABLE,      "E405", "solver '%s' cannot run this model: %s") \
    D(SETTING_UNKNOWN,        "E406", "there is nothing called '%s' to set") \
    D(SETTING_VALUE,          "E407", "'%s' cannot be set to '%s': %s") \
    D(SETTING_MISSING,        "E408", "'%s' must be given") \
    D(STEP_BAD,               "E409", "step %g s is not a positive number") \
    D(TIME_BAD,               "E410", "the run would go from %g s to %g s") \
    D(RECORD_UNKNOWN,         "E411", "there is nothing called '%s' to record") \
    D(PLOT_BAD,               "E412", "cannot plot '%s': %s") \
    D(EXPECT_FAILED,          "E413", "expected %s at %g = %.10g within %g, but it is %.10g") \
    D(EXPECT_OUTSIDE,         "E414", "the expectation at %g lies outside the run, %g to %g") \
    D(TOLERANCE_BAD,          "E415", "tolerance %g is not a positive number") \
    D(STUDY_ENDLESS,          "E416", "the terminal region asked for more than %zu runs") \
    D(QUANTUM_BAD,            "E417", "a quantum must be positive and finite, not %g") \
    D(QUANTUM_NAME,           "E418", "'%s' has no %s: %s") \
    D(ANALYSE_PARAMETER,      "E420", "'%s' cannot be varied: %s") \
    D(ANALYSE_RANGE,          "E421", "'%s' cannot go from %g to %g: %s") \
    D(ANALYSE_MODEL,          "E422", "'%s' cannot be analysed: %s") \
    D(KIND_UNKNOWN,           "E423", "there is no kind of experiment called '%s'") \
    D(KIND_WORD,              "E424", "'%s' is no word of the kind '%s'") \
    D(UNTIL_OPEN,             "E425", "nothing says when the run ends at the latest") \
    D(SAVE_AS,                "E426", "'%s' cannot be saved as an experiment: %s") \
    D(CORRELATION,            "E427", "no numbers have these correlations with each other") \
    D(CHANCE_KIND,            "E428", "'%s' is drawn, and the kind '%s' draws nothing") \
    D(INPUT_UNKNOWN,          "E430", "'%s' has no input called '%s'") \
    D(INPUT_TWICE,            "E431", "input '%s' is given twice") \
    D(INPUT_NOT_COMPILED,     "E432", "the model was not compiled with '%s' as an input to be driven") \
    D(INPUT_SHARED,           "E433", "%s cannot serve '%s': %s") \
    D(INPUT_READS,            "E434", "what an experiment gives to input '%s' cannot read '%s'") \
    D(FRAME_UNKNOWN,          "E435", "there is no frame called '%s'") \
    D(FRAME_NAME,             "E436", "frame '%s' speaks of '%s', which '%s' does not have") \
    D(FRAME_NOT_INPUT,        "E437", "frame '%s' applies '%s', which is no input of '%s'") \
    D(FRAME_APPLIES,          "E438", "frame '%s' does not allow input '%s' to be applied") \
    D(FRAME_RANGE,            "E439", "the range of '%s', %g to %g, is empty") \
    D(RANGE_OF_COMPONENT,     "E440", "the range of '%s' cannot be watched: an atomic computes it") \
    D(PRECISION_NAME,         "E445", "how precise '%s' is cannot be told: no replication observes it") \
    D(MESSAGES_OUT,           "E446", "messages of '%s' cannot be written: %s") \
    D(STATISTIC_NAME,         "E447", "no statistics can be kept of '%s': %s") \
    D(MESSAGE_COLUMNS,        "E448", "a message of '%s' has %zu fields, but %zu columns are named") \
    D(OBSERVE_NONE,           "E449", "%s cannot be observed: %s") \
    D(EXPECT_OBSERVED,        "E450", "expected %s = %.10g within %g, but it is %.10g") \
    D(ISLAND_UNKNOWN,         "E451", "there is no island called '%s'") \
    D(DATA_COLUMN,            "E452", "'%s' has no column '%s'") \
    D(DATA_NONE,              "E453", "'%s' has no numbers in column '%s'") \
    D(DATA_OUTSIDE,           "E454", "'%s' was measured from t = %g to %g, and the run goes from %g to %g") \
    D(DATA_DEVIATION,         "E455", "a deviation in '%s' is %g, at t = %g: it must be positive") \
    D(FORM_UNKNOWN,           "E460", "cannot write '%s': results are not written as '%s'") \
    D(STORE_MISSING,          "E461", "there is no store of runs '%s'") \
    D(STORE_FOREIGN,          "E462", "'%s' is no store of runs, or somebody changed what it consists of") \
    D(STORE_NEWER,            "E463", "'%s' is a store of version %zu, this program knows version %zu") \
    D(STORE_DAMAGED,          "E464", "the store '%s' is damaged: %s (run %zu)") \
    D(STORE_BUSY,             "E465", "the store '%s' is locked") \
    D(STORE_FAILED,           "E466", "the store '%s' cannot be used: %s") \
    D(RUN_UNKNOWN,            "E467", "there is no run %zu in '%s'") \
    D(REPLAY_IMPOSSIBLE,      "E468", "run %zu cannot be repeated: %s") \
    D(REPLAY_DIFFERS,         "E469", "run %zu gives other results than those that were kept") \
    D(CAPSULE_BAD,            "E470", "'%s' is no capsule of a run: %s") \
    D(KEPT_NONE,              "E471", "run %zu has no %s") \
    D(STORE_WHICH,            "E472", "it is not clear which store is meant: %s") \
    D(FIT_POINTS,             "E490", "%zu points cannot tell %zu parameters") \
    D(FIT_PARAMETER,          "E491", "'%s' cannot be fitted: %s") \
    D(FIT_START,              "E492", "the run from which the fit starts fails: %s") \
    D(STEP_UNDERFLOW,         "E501", "step fell below %g s at t = %g s; '%s' changes fastest") \
    D(VALUE_NOT_FINITE,       "E502", "'%s' became %s at t = %.10g") \
    D(DOMAIN_ERROR,           "E503", "%s has no real value at t = %.10g") \
    D(NO_CONVERGENCE,         "E504", "the loop of %s did not converge at t = %.10g") \
    D(INITIAL_FAILED,         "E505", "no consistent initial values were found; farthest off is %s") \
    D(MEMORY_LIMIT,           "E507", "%s would need %.3g GB; the limit is %.3g GB") \
    D(SOLVER_FAILED,          "E509", "solver '%s' gave up at t = %.10g: %s") \
    D(ZENO,                   "E510", "events never stop at t = %.10g: %s fires again and again") \
    D(DIVISION_BY_ZERO,       "E511", "division by zero at t = %.10g in %s") \
    D(LOOP_SINGULAR_NOW,      "E512", "the loop of %s became singular at t = %.10g") \
    D(TIME_LIMIT,             "E513", "the time limit of %g s was reached at t = %.10g") \
    D(CANCELLED,              "E514", "stopped on request at t = %.10g") \
    D(INITIAL_CONTRADICTS,    "E515", \
      "the initial value %.10g given for '%s' contradicts the constraints: %s") \
    D(CONSTRAINTS_DEPENDENT_NOW, "E516", "the constraints on %s are not independent at t = %.10g") \
    D(EVENT_CYCLE,            "E517", "events at t = %.10g fire more than %zu times in a row: %s") \
    D(EVENTS_WAIT,            "E518", "at t = %.10g more than %zu delayed events wait; the latest is '%s'") \
    D(QUANTUM_STALL,          "E519", \
      "solver '%s' makes no progress at t = %.10g: '%s' changes by its quantum about every %.2g s") \
    D(STEADY_NONE,            "E520", "no equilibrium was found from %zu starting point%s") \
    D(BRANCH_NONE,            "E521", "no equilibrium to begin with was found for '%s' from %g to %g") \
    D(ANALYSE_POINT,          "E522", \
      "the rates or their derivatives cannot be computed at this point, t = %g") \
    D(MESSAGE_CYCLE,          "E523", "messages go round at t = %.10g without an end: %s") \
    D(NOT_POSITIVE,           "E524", "'%s', which is declared positive, falls below 0 at t = %.10g: %.6g") \
    D(RATE_BAD,               "E525", "the rate of this event is %.10g at t = %.10g") \
    D(LAG_OUTSIDE,            "E526", "the lag %s is %.10g at t = %.10g") \
    D(ADVANCE_BAD,            "E530", "'%s' asked at t = %.10g %s %g") \
    D(CHAIN_ENDLESS,          "E531", "time stands still at t = %.10g, after %llu bags of events: %s") \
    D(ATOMIC_FAILED,          "E532", "'%s' failed at t = %.10g: %s") \
    D(QUEUE_MEMORY,           "E533", \
      "a queue of '%s' has %lu elements at t = %.10g: more than fit into the %lu MB allowed for queues") \
    D(ISLAND_BAD,             "E534", "'%s' cannot be part of an island: %s") \
    D(PORT_VARIABLE,          "E535", "'%s' cannot be a port of an island of '%s': %s") \
    D(ISLAND_OPTION,          "E536", "'%s' of an island changes during the run: it reads '%s'") \
    D(INPUT_LATE,             "E540", \
      "no value of '%s' came from %s within %g s; the run stands at t = %.10g") \
    D(INPUT_OUTSIDE,          "E541", \
      "'%s' has no value at t = %.10g: the data of %s go from %.10g to %.10g") \
    D(INPUT_EMPTY,            "E542", "no value of '%s' came from %s before it ended") \
    D(REPLICATION_FAILED,     "E545", "replication %zu failed at t = %.10g: %s") \
    D(NAME_UNUSED,            "W601", "'%s' is never used") \
    D(OPTION_UNUSED,          "W602", "'%s' means nothing to solver '%s': %s") \
    D(STIFF,                  "W603", "the model became stiff at t = %.10g; '%s' is slow here") \
    D(FRAME_LEFT,             "W605", "'%s' left its range at t = %.10g: %s") \
    D(GUESS_UNUSED,           "W609", \
      "the value given for '%s' is only a first guess: it is computed by an equation") \
    D(EQUAL_REALS,            "W612", \
      "'%s' compares numbers that change continuously: it holds at single instants only") \
    D(CSMP_NO_OUTPUT,         "W613", "the diagram has no O block; %s recorded") \
    D(ASSERT_BROKEN,          "W614", "an assertion does not hold at t = %.10g: %s") \
    D(INITIAL_ADJUSTED,       "W615", "'%s' starts with %.10g, since the constraints do not allow %.10g") \
    D(RECORD_FEW,             "W616", "%zu of the %zu elements of '%.*s' are recorded") \
    D(RESTS,                  "W618", \
      "the impacts of '%s' end at t = %.10g: %s rests from there on") \
    D(SLIDES,                 "W619", \
      "both sides of %s lead back to it from t = %.10g on: sliding, with %s") \
    D(TIME_FROZEN,            "W620", "the equations depend on time; this holds for t = %g only") \
    D(BRANCH_STOPPED,         "W621", "the branch is not followed beyond %s = %.10g: %s") \
    D(BRANCH_ELSEWHERE,       "W622", "there is no equilibrium for %s = %g; the branch begins at %g") \
    D(DRAWN_ONCE,             "W623", "'%s' is drawn once, when the run begins, and keeps this value") \
    D(INPUT_CLOSED,           "W630", "%s has closed; '%s' stays at %.10g from t = %.10g on") \
    D(UNIT_NOT_USED,          "W631", "the unit [%s] of the data is not used: '%s' has no unit") \
    D(OVERRUN,                "W632", "the run was late at %zu of %zu instants, by up to %.3g s") \
    D(CLAIM_BROKEN,           "W633", "in run %zu a claim does not hold: %s") \
    D(ISLAND_READS,           "W634", \
      "what island '%s' read as '%s' was off by up to %.3g (of %.3g) before the next value came") \
    D(ISLAND_ANEW,            "W635", \
      "messages made island '%s' begin anew %zu times, and '%s' then forgets its past") \
    D(STATE_SMALL,            "W636", \
      "'%s' never exceeded %.3g, which is less than 100 times the error allowed in it, %.3g") \
    D(LINES_SKIPPED,          "W637", \
      "%zu lines from %s are no samples of '%s' and were skipped; the first: '%s'") \
    D(MOVE_HIDDEN,            "W640", "this is never reached: '%s' above it has no condition") \
    D(STATE_UNREACHED,        "W641", "nothing leads to state '%s'") \
    D(PORT_UNUSED,            "W642", "%s '%s' is never %s") \
    D(CELL_UNASSIGNED,        "W643", "variable '%s' is read but never given a value") \
    D(SELF_COUPLING,          "W644", "'%s' leads to '%s' of the same component") \
    D(OTHER_MEAN,             "W650", \
      "the rate of '%s' where it slides, at t = %.10g, is %.6g, by the relations that hold there; " \
      "the mean of both sides would be %.6g") \
    D(DATA_PARTLY,            "W651", "%zu of %zu points of '%s' lie outside the run") \
    D(STUDY_NONE,             "W655", "nothing in '%s' can go on: this study begins anew") \
    D(WHEN_CONSTANT,          "W665", "this event never happens: its condition reads no variable") \
    D(EVENT_STAYS,            "W666", \
      "'%s' puts its condition to where it changes, at t = %.10g: it counts as true, and happens once") \
    D(FIT_UNKNOWN,            "W680", "the data cannot tell %zu of %zu parameters") \
    D(FIT_UNFINISHED,         "W681", "the search was not done after %zu steps; this is the best so far") \
    D(COMPILER_MISSING,       "E701", "no C compiler called '%s' was found") \
    D(COMPILER_FAILED,        "E702", "the C compiler failed: %s") \
    D(CODE_LOAD_FAILED,       "E703", "compiled code could not be loaded: %s") \
    D(INSTANT_FAILED,         "E704", "the code could not be compiled in memory: %s") \
    D(PROGRAM_MISSING,        "E705", "the program '%s' is needed for %s and was not found") \
    D(PROGRAM_FAILED,         "E706", "'%s' failed: %s") \
    D(MODEL_TOO_LARGE,        "E707", "the model has %zu %s; the limit is %zu") \
    D(LIBRARY_MISSING,        "E710", "the library '%s' is needed for %s and was not found") \
    D(INTERNAL,               "E799", "this should not happen: %s") \
    D(MACHINE_SET_EMPTY,      "E801", "principle 1 is broken: machine '%s' has no %s") \
    D(MACHINE_TARGET,         "E802", "principle 2 is broken: '%s' %s leads to '%s', which is not a state") \
    D(MACHINE_MOVE_MISSING,   "E803", "principle 2 is broken: nothing says where '%s' goes on %s") \
    D(MACHINE_MOVE_TWICE,     "E804", "principle 2 is broken: '%s' on '%s' leads to %s") \
    D(MACHINE_OUTPUT_MISSING, "E805", "principle 3 is broken: '%s'%s has no output") \
    D(MACHINE_OUTPUT_TWICE,   "E806", "principle 3 is broken: '%s' has the outputs '%s' and '%s'") \
    D(MACHINE_OUTPUT_UNKNOWN, "E807", "principle 3 is broken: '%s' is not one of the outputs declared") \
    D(MACHINE_SYMBOL_UNKNOWN, "E808", "'%s' is not %s of machine '%s'") \
    D(MACHINE_CHANCES,        "E809", "the probabilities of '%s' on '%s' %s") \
    D(MACHINE_INDEX,          "E810", "an index cannot be computed: %s") \
    D(MACHINE_MIXED,          "E811", "'%s' has outputs at states and at moves") \
    D(MACHINE_TOO_LARGE,      "E812", \
      "machine '%s' has %zu states and %zu inputs; the limit is a product of %zu") \
    D(MACHINE_NONE_THERE,     "E813", "'%s' contains no machine%s%s%s") \
    D(MACHINE_AMBIGUOUS,      "E814", "'%s' contains several machines: %s") \
    D(MACHINE_NO_START,       "E815", "where machine '%s' starts is not known") \
    D(MACHINE_TABLE,          "E816", "this is not a transition table: %s") \
    D(MACHINE_DOT,            "E817", "this is not a machine in DOT: %s") \
    D(MACHINE_LEDGER,         "E818", "this is not a ledger of experiments: %s") \
    D(MACHINE_LEDGER_OTHER,   "E819", "the ledger belongs to another model: %s") \
    D(MACHINE_BY_CHANCE,      "E850", "'%s' moves by chance and cannot be %s") \
    D(MACHINE_INPUTS,         "E851", "'%s' and '%s' cannot be compared: '%s' has no input '%s'") \
    D(MACHINE_LIMIT,          "E852", "%s: there are too many %s") \
    D(MACHINE_POLICY,         "E853", "no policy can be computed for '%s': %s") \
    D(MACHINE_UNSETTLED,      "E854", "the long run of '%s' did not settle within the work allowed") \
    D(MACHINE_LEARN,          "E855", "no machine can be learned: %s") \
    D(ATOMIC_NO_STATE,        "E860", "atomic '%s' has no state") \
    D(STATE_UNKNOWN,          "E861", "'%s' has no state called '%s'") \
    D(TYPE_UNKNOWN,           "E862", "there is no type called '%s'") \
    D(FIELD_UNKNOWN,          "E863", "%s has no field called '%s'") \
    D(NOT_ASSIGNABLE,         "E864", "'%s' cannot be assigned: it is %s") \
    D(EFFECT_MISPLACED,       "E865", "'%s' changes something and cannot stand in %s") \
    D(ENUM_AMBIGUOUS,         "E866", "'%s' is a value of '%s' and of '%s'") \
    D(NO_MESSAGE,             "E867", "there is no message of '%s' here") \
    D(MESSAGE_VALUE,          "E868", "what '%s' tells is %s, but %s is sent") \
    D(ATOMIC_CHANCES,         "E869", "the probabilities of a choice %s") \
    D(AFTER_MISSING,          "E870", "nothing says where state '%s' leads when its time is up") \
    D(AFTER_NEVER,            "E871", "state '%s' lasts for ever, so nothing happens after it") \
    D(DURATION_BAD,           "E872", "state '%s' cannot last %g") \
    D(KEEPING,                "E873", "there is no time to keep here") \
    D(NATIVE_BODY,            "E874", "atomic '%s' is native: %s belongs to its C code") \
    D(NATIVE_NONE,            "E875", "atomic '%s' is native, and %s") \
    D(NATIVE_OBJECT,          "E876", "'%s' is no native object that can be loaded: %s") \
    D(NATIVE_VERSION,         "E877", \
      "'%s' was built for version %u of orrery/devs.h, and this is version %u") \
    D(NATIVE_UNFIT,           "E878", "atomic '%s' does not fit the one in '%s': %s") \
    D(NATIVE_TWICE,           "E879", "atomic '%s' is in two native objects: '%s' and '%s'")
// clang-format on
