// src/base/explain_list.h: the long explanations behind `orrery explain CODE`, one for each line of
// diag_list.h.
//
// X(NAME, what it means, a small example that produces it, what to do), in the order of the codes. Lines end
// with \n inside a text and are at most 90 columns long; the example is indented by four.
#pragma once

// clang-format off
#define EXPLAIN_LIST(X) \
    X(FILE_MISSING, \
      "The file named on the command line, or after 'use' in a model, was not found.", \
      "    orrery run tnak.orr", \
      "check the spelling and the folder. A path after 'use' is relative to the file\n" \
      "it stands in.") \
    X(FILE_UNREADABLE, \
      "The file exists, but the system refused to read it; its reason is given.", \
      "    chmod a-r tank.orr\n" \
      "    orrery run tank.orr", \
      "most often the permissions are wrong: ls -l shows them, chmod changes them.") \
    X(FILE_IS_FOLDER, \
      "A folder was named where a file is needed.", \
      "    orrery run examples", \
      "name a file inside it, such as examples/circle.csmp.") \
    X(FILE_TOO_LARGE, \
      "The file is larger than what a model or a table may be. The limit protects against reading\n" \
      "a disk image or an endless device by accident.", \
      "    orrery run /dev/zero", \
      "check that it is the file you mean. Large models can be split into files\n" \
      "joined by 'use'; large data belong in CSV files.") \
    X(FILE_BINARY, \
      "The file contains bytes that never occur in text, so it is no model and no table: an\n" \
      "archive, a picture, a spreadsheet.", \
      "    orrery run model.zip", \
      "name the text file. A spreadsheet can be saved as CSV by the program that made\n" \
      "it.") \
    X(FILE_NOT_UTF8, \
      "Models are UTF-8 text. The byte shown is not part of any UTF-8 character; usually the file\n" \
      "was saved in an older encoding such as Latin-1.", \
      "    printf 'model Gr\\366sse\\nend\\n' > old.orr\n" \
      "    orrery run old.orr", \
      "save it as UTF-8 in the editor, or convert it: iconv -f latin1 -t utf-8\n" \
      "old.orr > new.orr") \
    X(FILE_KIND_UNKNOWN, \
      "The kind of a model file is told by its suffix: .orr for the modelling language, .csmp for\n" \
      "CSMP block diagrams.", \
      "    orrery run model.txt", \
      "rename the file so that it ends in .orr or .csmp.") \
    X(SEQUENCE_EMPTY, \
      "A message sequence chart shows the messages of a run, and this run had none. Messages are\n" \
      "what event ports send: 'send' in the body of an event, and atomic components.", \
      "    model Quiet\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    # orrery show m.orr --sequence chart.svg", \
      "run longer, with --until; or look at events instead: orrery run --events FILE.") \
    X(FILE_OUTSIDE, \
      "A model may use files in its own folder and below. A path that leads out of it is refused,\n" \
      "so that a model from elsewhere cannot read what it should not.", \
      "    use \"../../private.orr\"", \
      "copy the file beside the model. What an input reads and an output writes may lie\n" \
      "elsewhere with --allow-io, if you trust the model.") \
    X(WRITE_FAILED, \
      "A file could not be opened for writing or not be written to its end; the system's reason\n" \
      "is given. 'No space left on device' means that the disk is full. Rows written before\n" \
      "remain whole and readable.", \
      "    orrery run tank.orr -o /dev/full", \
      "free some space or choose another place with -o; check the permissions of the\n" \
      "folder; record less with --every.") \
    X(FOLDER_FAILED, \
      "A folder that is needed, for results or for compiled models, could not be made; the\n" \
      "system's reason is given.", \
      "    ORRERY_CACHE=/proc/x orrery run tank.orr --code native", \
      "choose a folder you may write to. ORRERY_CACHE sets the folder of compiled\n" \
      "models.") \
    X(FILE_EXISTS, \
      "A file would be overwritten that is not a result, such as a model; that is never done\n" \
      "silently.", \
      "    orrery new tank.orr\n" \
      "    orrery new tank.orr", \
      "choose another name, or remove the old file first.") \
    X(FILE_FOREIGN, \
      "'orrery export' would replace a file of the same name that it did not write: files of its\n" \
      "own say so in their first line.", \
      "    echo notes > out/README.md\n" \
      "    orrery export --c out tank.orr", \
      "choose another folder; or, if the file may go, add --force.") \
    X(FILES_LIMIT, \
      "The files named by 'use', counted all together, are more than a model can sensibly consist\n" \
      "of.", \
      "    a chain of thousands of files, each using the next", \
      "join small files.") \
    X(OUTPUT_REFUSED, \
      "By itself a model may write new files in its folder, called as results are and not hidden,\n" \
      "and replace those that an earlier run of yours wrote and nobody changed since. A model from\n" \
      "elsewhere could otherwise destroy files, or write one that another program carries out.", \
      "    output x to \".bashrc\"", \
      "move a file of yours away or choose another name. If you trust the model, add\n" \
      "--allow-io. What you name yourself, by -o or --output, is not restricted.") \
    X(USAGE_COMMAND_UNKNOWN, \
      "The first argument of orrery is a command, and there is none of this name.", \
      "    orrery simulate tank.orr", \
      "'orrery --help' lists the commands; the one meant here is 'run'.") \
    X(USAGE_OPTION_UNKNOWN, \
      "The command has no option of this name.", \
      "    orrery run tank.orr --solvr rk4", \
      "'orrery COMMAND --help' lists its options.") \
    X(USAGE_OPTION_VALUE, \
      "The option exists, but its value is not of the kind it needs.", \
      "    orrery run tank.orr --until soon", \
      "give what the message asks for, here a number: --until 10.") \
    X(USAGE_ARGUMENT_MISSING, \
      "The command cannot work without an argument that was not given.", \
      "    orrery run", \
      "'orrery COMMAND --help' shows the arguments, with examples.") \
    X(USAGE_ARGUMENT_EXTRA, \
      "More arguments were given than the command takes.", \
      "    orrery check tank.orr pump.orr valve.orr", \
      "give one file; put a name that contains spaces in quotes.") \
    X(USAGE_CONFLICT, \
      "Two options were given that cannot both hold.", \
      "    orrery run tank.orr --quiet --stats", \
      "leave one of them out.") \
    X(CODE_UNKNOWN, \
      "'orrery explain' was asked for a code that no message has.", \
      "    orrery explain E999", \
      "copy the code from the message, such as E101. docs/errors.md lists all of\n" \
      "them.") \
    X(STEP_COMMAND, \
      "A line given to 'orrery step' is not one of its commands, or what it says does not fit: a\n" \
      "name that is not there, a time that has passed, a run that has ended. From a file or pipe\n" \
      "this ends the program, so that a script never goes on with something else than it meant.", \
      "    printf 'nxet\\n' | orrery step examples/ball.orr", \
      "'help' lists the commands. A run goes forward only: begin anew to see it again.") \
    X(FILE_NOT_PLAIN, \
      "A model names a FIFO, a device or a socket where a file is meant. Reading one could wait for\n" \
      "ever, and opening a device can have effects of its own, so a model may not do it.", \
      "    table drag(v) linear from \"pipe\"", \
      "name a file. If you trust the model, an input may read a FIFO with --allow-io.") \
    X(CHECKPOINT_BAD, \
      "The file given to --resume was not written by --checkpoint of this version of the program,\n" \
      "or it is not whole. Nothing was changed.", \
      "    orrery run tank.orr --resume tank.csv", \
      "look at the name of the file. Checkpoints of other versions cannot be read: the run\n" \
      "must begin anew.") \
    X(CHECKPOINT_OTHER, \
      "A checkpoint holds the numbers of one run of one model. It goes on only with the same model\n" \
      "and the same settings: parameters, inputs, start, seed, solver, steps and tolerances. Samples\n" \
      "that inputs follow are read again from their beginning, and must be the same up to there. So\n" \
      "must the files of native atomics, whose code decides what the rest of the run does.", \
      "    orrery run tank.orr --checkpoint t.ck\n" \
      "    orrery run tank.orr --resume t.ck --set k=2", \
      "give the settings the run was begun with; only the end may be another.") \
    X(CHECKPOINT_CANNOT, \
      "A checkpoint must hold all that the rest of the run depends on, and there must be a rest. That\n" \
      "is not so after the run has ended or failed, and with a component in C that keeps memory of\n" \
      "its own and has no function to save it.", \
      "    if (orr_run_advance(run, 10) != ORR_STATUS_OK) orr_run_save_file(run, \"t.ck\");", \
      "save before that; give such a component the functions save and load (orrery/devs.h).") \
    X(CHECKPOINT_OUTPUT, \
      "A file of results that was written up to the checkpoint goes on behind that point, so that in\n" \
      "the end it is the file of a run that was never interrupted. This one has the same name, but is\n" \
      "shorter or says something else, or other columns are recorded now. It was left as it is.", \
      "    orrery run tank.orr -o tank.csv --checkpoint t.ck\n" \
      "    orrery run other.orr -o tank.csv\n" \
      "    orrery run tank.orr -o tank.csv --resume t.ck --until 20", \
      "give another file: it gets the rest, from the row of the checkpoint on. If nothing in\n" \
      "the old one is needed, delete it.") \
    X(CSV_NO_HEADER, \
      "A table starts with a line of column names. This file has no such line: it is empty or has\n" \
      "only comments.", \
      "    # measured on monday", \
      "put the names of the columns into the first line, separated by commas: t,x,y") \
    X(CSV_FIELDS, \
      "Every row of a table has as many fields as the header. This one has more or fewer, often\n" \
      "because of a missing value, or a decimal comma in a file separated by commas.", \
      "    t,level\n" \
      "    0,1\n" \
      "    1", \
      "leave a field empty if its value is missing: '1,'. With decimal commas,\n" \
      "separate the fields by semicolons.") \
    X(CSV_NOT_NUMBER, \
      "The first row of this column is a number, so the others must be numbers too; an empty\n" \
      "field or NA stands for a missing value.", \
      "    t,level\n" \
      "    0,1\n" \
      "    1,low", \
      "correct the value, or leave the field empty.") \
    X(CSV_QUOTE, \
      "A field starts with a double quote, and the file ends before the quote that closes it.", \
      "    t,\"level\n" \
      "    0,1", \
      "add the missing quote. Inside a quoted field, a quote is written twice.") \
    X(CSV_LINE_TOO_LONG, \
      "A single row is longer than any sensible table has. Usually the file is not a table, or a\n" \
      "quote opens a field that never ends.", \
      "    a file of one line with many megabytes", \
      "check the file, first its quotes and line ends.") \
    X(CSV_COLUMN_TWICE, \
      "Columns are found by name, so no two can have the same.", \
      "    t,x,x\n" \
      "    0,1,2", \
      "rename one of them.") \
    X(CSV_NO_ROWS, \
      "The file has column names but no data below them.", \
      "    t,level", \
      "add at least one row.") \
    X(COLUMN_UNKNOWN, \
      "The table from which an input is read has no column of that name. Names are compared without\n" \
      "their units: a header 'flow [l/min]' is the column flow.", \
      "    orrery run tank.orr --input q=data.csv:flwo:linear", \
      "correct the name; the first line of the file has the names.") \
    X(SAMPLE_TIME, \
      "A row of the data for an input has no time, or an infinite one, so nobody can tell where it\n" \
      "belongs.", \
      "    t,u\n" \
      "    0,1\n" \
      "    ,2", \
      "fill in the time, or delete the row.") \
    X(SAMPLE_ORDER, \
      "The rows of the data for an input must stand in the order of their times, since they are read\n" \
      "one after the other while the run goes on.", \
      "    t,u\n" \
      "    0,1\n" \
      "    2,3\n" \
      "    1,2", \
      "sort the rows by time.") \
    X(SAMPLE_TWICE, \
      "Two rows of the data for an input have the same time and would give it two values at once.", \
      "    t,u\n" \
      "    0,1\n" \
      "    1,2\n" \
      "    1,3", \
      "keep one of them. A jump needs no two rows: with hold each row begins a step.") \
    X(SAMPLE_VALUE, \
      "A row of the data for an input has a time but no value, or an infinite one.", \
      "    t,u\n" \
      "    0,1\n" \
      "    1,NA\n" \
      "    2,3", \
      "fill in the value, or delete the row: between the rows that are left the value is\n" \
      "found as for any other time.") \
    X(SAMPLE_LINE, \
      "A line that came from standard input, a socket or a broker is not a time and a value.", \
      "    echo hello | orrery run tank.orr --input q=-", \
      "send lines such as 0.5,1.25. The first line may be a header; empty lines and those\n" \
      "that begin with # are passed over. With --realtime the value alone is enough.") \
    X(IO_REFUSED, \
      "The experiment would open a socket, reach a network or read a file outside of the folder of\n" \
      "the model. A model from a stranger must not do that by itself, so you are asked.", \
      "    orrery run tank.orr --input q=udp:5005", \
      "if you trust the model, add --allow-io.") \
    X(SOURCE_OPEN, \
      "A socket, a port or a broker could not be opened; the reason of the system is given.", \
      "    orrery run tank.orr --input q=unix:/tmp/nobody --allow-io", \
      "sockets and brokers must be there first: start the other program before this one.\n" \
      "A port can be used by one program at a time.") \
    X(PORT_ADDRESS, \
      "The address of a socket, a port or a broker is not written as it must be.", \
      "    orrery run tank.orr --input q=udp:abc --allow-io", \
      "udp takes [HOST:]PORT, unix the path of a socket, mqtt HOST[:PORT]/TOPIC.") \
    X(PORT_LOST, \
      "A connection that was in use has broken. What was computed before is kept.", \
      "    the program behind a socket ends while values are sent to it", \
      "see what happened to the other program, and run again.") \
    X(NAME_UNKNOWN, \
      "An expression uses a name that is neither declared in the model nor a function or constant\n" \
      "of the language. Often it is misspelt; capitals matter.", \
      "    model Tank\n" \
      "      param tau = 1\n" \
      "      var level = 1\n" \
      "      level' = -levle / tau\n" \
      "    end", \
      "correct the spelling, or declare the name with param, var or input.") \
    X(NAME_TWICE, \
      "Inside a model a name means one thing. It is declared a second time here.", \
      "    model Tank\n" \
      "      param level = 2\n" \
      "      var level = 1\n" \
      "      level' = -level\n" \
      "    end", \
      "rename one of the two. A variable and its initial value are one declaration:\n" \
      "var level = 1.") \
    X(MODEL_UNKNOWN, \
      "A component, an experiment or the command line names a model that is in none of the files\n" \
      "read.", \
      "    model Plant\n" \
      "      tank : Tnak\n" \
      "    end", \
      "correct the name, or add the file that contains the model: use \"tank.orr\".") \
    X(MODEL_TWICE, \
      "Two models, functions or experiments have the same name, perhaps in two files.", \
      "    model Tank\n" \
      "      x = 1\n" \
      "    end\n" \
      "    model Tank\n" \
      "      x = 2\n" \
      "    end", \
      "rename one of them.") \
    X(MODEL_NONE, \
      "The file was read without errors, but there is no model in it that could be run.", \
      "    function double(x) = 2*x", \
      "add a model, or name the file that contains it.") \
    X(MODEL_AMBIGUOUS, \
      "Without an experiment, 'run' takes the one model that no other uses as a component. Here\n" \
      "there are several.", \
      "    model A\n" \
      "      x = 1\n" \
      "    end\n" \
      "    model B\n" \
      "      y = 2\n" \
      "    end", \
      "name the one you mean with --model, or write an experiment: experiment once of\n" \
      "A … end.") \
    X(COMPONENT_CYCLE, \
      "A model contains a component that, directly or through others, contains the same model\n" \
      "again; it would be infinitely large.", \
      "    model Room\n" \
      "      inner : Room\n" \
      "    end", \
      "break the circle. A chain of equal parts is an array of components: part[10] :\n" \
      "Part.") \
    X(PARAM_UNKNOWN, \
      "A component is given a value for a parameter that its model does not have.", \
      "    model Part\n" \
      "      param size = 1\n" \
      "      x = size\n" \
      "    end\n" \
      "    model Whole\n" \
      "      p : Part(siez = 2)\n" \
      "    end", \
      "use one of the parameters declared in that model.") \
    X(FUNCTION_UNKNOWN, \
      "Something is called like a function, but neither the language nor the files read have one\n" \
      "of this name.", \
      "    model M\n" \
      "      x = sinus(t)\n" \
      "    end", \
      "docs/language.md lists the functions. A product needs its sign: a*(b + c), not\n" \
      "a(b + c).") \
    X(FUNCTION_ARGUMENTS, \
      "The function was called with the wrong number of arguments.", \
      "    model M\n" \
      "      x = sin(t, 2)\n" \
      "    end", \
      "give as many as the message says.") \
    X(FUNCTION_RECURSIVE, \
      "Functions are formulas, expanded where they are called, so none may call itself, neither\n" \
      "directly nor through another.", \
      "    function f(x) = f(x - 1) + 1\n" \
      "    model M\n" \
      "      y = f(3)\n" \
      "    end", \
      "write the result as a closed formula, or as a difference equation of the\n" \
      "model.") \
    X(NAME_RESERVED, \
      "This name has a meaning in every model (t is time, pi a constant, sin a function) and\n" \
      "cannot be declared again.", \
      "    model M\n" \
      "      param t = 1\n" \
      "      x = t\n" \
      "    end", \
      "choose another name.") \
    X(PARAM_CYCLE, \
      "The values of parameters may depend on other parameters, but not in a circle: none of them\n" \
      "could be computed first.", \
      "    model M\n" \
      "      param a = b + 1, b = a - 1\n" \
      "      x = a\n" \
      "    end", \
      "give one of them a plain number. If it is meant as an equation to be solved,\n" \
      "use var instead of param.") \
    X(PARAM_NOT_CONSTANT, \
      "A parameter keeps its value during a run, so it cannot be computed from a variable, an\n" \
      "input or time.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      param k = 2*x\n" \
      "      x' = -k\n" \
      "    end", \
      "make it a variable with an equation: k = 2*x.") \
    X(INPUT_DRIVEN_TWICE, \
      "An input gets its value from one place. Two arrows lead to it here.", \
      "    model Part\n" \
      "      input u = 0\n" \
      "      output y = u\n" \
      "    end\n" \
      "    model Whole\n" \
      "      a, b, c : Part\n" \
      "      a.y -> c.u\n" \
      "      b.y -> c.u\n" \
      "    end", \
      "remove one arrow, or write the sum of both as an equation of its own.") \
    X(INPUT_OPEN, \
      "An input of the model that is run, or of a component, is neither connected nor has it a\n" \
      "default value.", \
      "    model M\n" \
      "      input u\n" \
      "      x = 2*u\n" \
      "    end", \
      "connect it with an arrow, give a default: input u = 0, or let an experiment say what\n" \
      "it follows: input u = sin(t).") \
    X(OUTPUT_AS_TARGET, \
      "An arrow leads from a value to an input of a component, or to an output of the model it stands\n" \
      "in. What stands at its point is neither.", \
      "    model Part\n" \
      "      input u = 0\n" \
      "      output y = u\n" \
      "    end\n" \
      "    model Whole\n" \
      "      a, b : Part\n" \
      "      a.y -> b.y\n" \
      "    end", \
      "turn the arrow round, or lead it to an input: a.y -> b.u.") \
    X(DERIVATIVE_BAD, \
      "Only variables have derivatives with respect to time. Parameters, inputs and components do\n" \
      "not.", \
      "    model M\n" \
      "      param k = 1\n" \
      "      k' = 2\n" \
      "    end", \
      "declare it with var if it shall change.") \
    X(NOT_A_VALUE, \
      "The name stands for something that has no value of its own, such as a component.", \
      "    model Part\n" \
      "      output y = 1\n" \
      "    end\n" \
      "    model Whole\n" \
      "      p : Part\n" \
      "      x = p + 1\n" \
      "    end", \
      "name what you want of it: p.y.") \
    X(NOT_A_COMPONENT, \
      "A point leads into a component, as in tank.level. What stands before the point is\n" \
      "something else.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x.rate\n" \
      "    end", \
      "remove the point, or declare a component of that name.") \
    X(INDEX_RANGE, \
      "Arrays are counted from 1 to their size; the index lies outside.", \
      "    model M\n" \
      "      var u[3]\n" \
      "      for i in 1..3\n" \
      "        u[i] = u[i-1]\n" \
      "      end\n" \
      "    end", \
      "change the range of the loop, and write the equations of the ends separately.") \
    X(SIZE_BAD, \
      "The size of an array is a whole number, at least 1, known before the run, and not larger\n" \
      "than what a model may have.", \
      "    model M\n" \
      "      var u[0]\n" \
      "    end", \
      "give a whole number or a parameter with such a value.") \
    X(TYPE_MISMATCH, \
      "Conditions are true or false, everything else is a number; one was used where the other is\n" \
      "needed.", \
      "    model M\n" \
      "      x = if t - 1 then 1 else 2\n" \
      "    end", \
      "compare: if t - 1 > 0 then 1 else 2. A number from a condition is written 'if\n" \
      "c then 1 else 0'.") \
    X(UNIT_MISMATCH, \
      "Values of different units are added, compared or set equal. The message names both, and the\n" \
      "notes say where their units come from: a declaration, or an equation from which one was found.\n" \
      "A bare number adopts the unit of its place in a sum, but in a product it is a pure number.", \
      "    model M\n" \
      "      param a = 1 [m], b = 2 [s]\n" \
      "      x = a + b\n" \
      "    end", \
      "correct the equation or a unit; often a factor is missing that carries a unit.\n" \
      "Units of one dimension are converted with 'in': (a in km).") \
    X(UNIT_UNKNOWN, \
      "The name in square brackets is not a unit known here. Known are those of the SI with their\n" \
      "prefixes, many others, and those that a file defines with 'unit'.", \
      "    model M\n" \
      "      param a = 1 [metre/sekond]\n" \
      "      x = a\n" \
      "    end", \
      "use the usual symbols: m, s, kg, N, m/s^2; or define it above the models:\n" \
      "unit dozen = 12 [1], unit euro. Square brackets that touch a name are an index.") \
    X(TABLE_BAD, \
      "A table is a function given by points, its arguments ascending and each once; of two\n" \
      "arguments it is a grid, with a value for every pair. This one is not.", \
      "    table drag(v)\n" \
      "      0 : 0\n" \
      "      20 : 11\n" \
      "      10 : 3\n" \
      "    end\n" \
      "    model M\n" \
      "      x = drag(t)\n" \
      "    end", \
      "sort the points, remove those that occur twice, fill gaps; of a file, say which\n" \
      "columns are meant.") \
    X(INDEX_COUNT, \
      "An array must be used with one index for each of its dimensions.", \
      "    model M\n" \
      "      var u[3]\n" \
      "      u[1, 2] = 0\n" \
      "    end", \
      "give as many indices as there are sizes in the declaration.") \
    X(CONST_NEEDED, \
      "The value is needed to build the model (a size, a bound of a loop, a constant), so it must\n" \
      "be known before the run begins.", \
      "    model M\n" \
      "      param n\n" \
      "      var u[n]\n" \
      "    end", \
      "give it a value in its declaration.") \
    X(ONLY_IN_EQUATIONS, \
      "This function keeps a state of its own, so it makes sense only in an equation of a model:\n" \
      "not in a function, a parameter or an initial value.", \
      "    function f(x) = INTEG(x, 0)\n" \
      "    model M\n" \
      "      y = f(t)\n" \
      "    end", \
      "write it as an equation: z = INTEG(x, 0), and use z.") \
    X(GUESS_READS, \
      "The value in the declaration of a variable that is no state is a first guess for the\n" \
      "solver. It may read parameters, but nothing that changes during a run.", \
      "    model M\n" \
      "      var x = 1, y = 2*x\n" \
      "      x' = -y\n" \
      "    end", \
      "to define the variable, write an equation on a line of its own: y = 2*x, or\n" \
      "output y = 2*x.") \
    X(TERMINAL_TARGET, \
      "The terminal region may change parameters and initial values for the next run, but not\n" \
      "what the equations compute.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "      y = 2*x\n" \
      "      terminal\n" \
      "        y := 3\n" \
      "      end\n" \
      "    end", \
      "assign a parameter instead.") \
    X(STRUCTURAL_SET, \
      "The parameter occurs in a size, a bound or a condition on the structure. Changing it means\n" \
      "another model, which has to be compiled again.", \
      "    n of 'var u[n]', changed between two runs of a compiled model", \
      "set it when the model is compiled: on the command line with --set, in an experiment\n" \
      "with 'set', in C by orr_compile_options.settings.") \
    X(LAG_MOVES, \
      "delay(x, lag, before) remembers x for as long as the lag, so the lag must be known when the\n" \
      "run starts, or the largest that it can be; the value before the start may read parameters and t.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -delay(x, 1 + x)\n" \
      "    end", \
      "say how long it is at most: delay(x, 1 + x) within 2.") \
    X(SLICE_LENGTH, \
      "All slices and whole arrays of an equation, or of a sum, go through their elements together.\n" \
      "So they must have the same number of dimensions, and as many elements in each.", \
      "    model M\n" \
      "      var u[5], w[4]\n" \
      "      w = 1\n" \
      "      u[2..5] = w[1..3]\n" \
      "      u[1] = 0\n" \
      "    end", \
      "count: a..b has b - a + 1 elements, both ends belong to it.") \
    X(SLICE_MISPLACED, \
      "A slice such as u[1..3], or an array without indices, is several values. An equation can have\n" \
      "them on both sides, and sum, min and max make one value of them; nothing else takes them.", \
      "    model M\n" \
      "      var u[3] = 1\n" \
      "      u' = -u\n" \
      "      x = u[1..3]\n" \
      "    end", \
      "choose one element, u[1], or write sum(u[1..3]).") \
    X(TERMINALS_DIFFER, \
      "Connected terminals share their across variables, so they must be of one type: a wire cannot\n" \
      "be screwed to a shaft.", \
      "    terminal Pin\n" \
      "      across v [V]\n" \
      "      through i [A]\n" \
      "    end\n" \
      "    terminal Flange\n" \
      "      across x [m]\n" \
      "      through f [N]\n" \
      "    end\n" \
      "    model M\n" \
      "      p : Pin\n" \
      "      f : Flange\n" \
      "      p -- f\n" \
      "    end", \
      "connect them through a component that has a terminal of each type, such as a motor.") \
    X(NOT_A_TERMINAL, \
      "'--' connects terminals: of components, or of the model itself. Variables are made equal by an\n" \
      "equation, outputs lead to inputs by an arrow.", \
      "    model M\n" \
      "      var x, y\n" \
      "      x -- y\n" \
      "    end", \
      "name a terminal, as in r1.p -- c1.n; or write x = y, or a.y -> b.u.") \
    X(TERMINAL_TO_ITSELF, \
      "The same terminal stands on both sides of '--'. Most often an index or a name is wrong.", \
      "    terminal Pin\n" \
      "      across v [V]\n" \
      "      through i [A]\n" \
      "    end\n" \
      "    model M\n" \
      "      p, n : Pin\n" \
      "      p -- p\n" \
      "    end", \
      "write the other terminal on one side, or leave the connection out.") \
    X(PART_BAD, \
      "A component of a discrete-event model was given through the C interface in a way that makes\n" \
      "no sense; the reason is given.", \
      "    orr_devs_add(model, some_atomic, \"inner\", &processor, NULL);", \
      "see include/orrery/devs.h for what is needed. A table built for another version must\n" \
      "be compiled again.") \
    X(PORT_UNKNOWN, \
      "A coupling names a port that the component does not have, or that is on its other side:\n" \
      "messages leave at outputs and arrive at inputs.", \
      "    orr_devs_couple(model, source, \"jobs\", cpu, \"job\");    /* it is called job */", \
      "compare with the ports of the component.") \
    X(PORT_KINDS, \
      "Ports can only be coupled if their messages are of the same type and size.", \
      "    orr_devs_couple(model, clock, \"tick\", cpu, \"job\");    /* a tick is not a job */", \
      "put a component between them that makes one out of the other.") \
    X(COUPLING_SCOPE, \
      "A coupling connects components of the same coupled model, or a coupled model with those\n" \
      "directly inside it. It cannot reach through the wall of another one.", \
      "    orr_devs_couple(model, source, \"job\", cpu_inside_another_shop, \"job\");", \
      "give the coupled model a port, and couple in two steps: to the port, and from the\n" \
      "port to the component inside.") \
    X(COUPLING_TWICE, \
      "The same two ports are coupled twice; every message would arrive twice.", \
      "    orr_devs_couple(model, source, \"job\", cpu, \"job\");\n" \
      "    orr_devs_couple(model, source, \"job\", cpu, \"job\");", \
      "remove one of them.") \
    X(COUPLING_CIRCLE, \
      "Inputs and outputs of coupled models are coupled straight to each other in a circle. A\n" \
      "message on it would travel for ever, at one instant.", \
      "    orr_devs_couple(model, a, \"in\", a, \"out\");\n" \
      "    orr_devs_couple(model, a, \"out\", a, \"in\");", \
      "put an atomic component into the circle, or remove one of the couplings.") \
    X(PORT_OPEN, \
      "The type of this component says that the input must be coupled.", \
      "    orr_devs_add(model, ORR_DEVS_ROOT, \"cpu\", &processor, NULL);    /* and no coupling to it */", \
      "couple something to it.") \
    X(UNIT_TEXT, \
      "The text in square brackets is not written like a unit. A unit is a product of names with\n" \
      "whole powers: m/s^2, kg*m^2/s, W/(m^2*K), 1/h, and 1 or - for a pure number.", \
      "    model M\n" \
      "      param a = 1 [m//s]\n" \
      "      x = a\n" \
      "    end", \
      "correct the text. A fraction as a power stands in parentheses: Hz^(1/2).") \
    X(UNIT_PURE, \
      "sin, exp, log and their like, and the exponent of a power, take pure numbers: there is no\n" \
      "sine of a second. An angle is a pure number in radians, so degrees must be converted.", \
      "    model M\n" \
      "      param A = 2 [m]\n" \
      "      x = A*sin(t)\n" \
      "    end", \
      "make the argument a number: multiply it by what carries the inverse unit, here a\n" \
      "frequency, sin(w*t) with param w = 1 [1/s]; convert degrees with (a in rad).") \
    X(UNIT_CONVERT, \
      "'in' converts between units of one dimension: km and m, h and s. These two measure\n" \
      "different things.", \
      "    model M\n" \
      "      param a = 3 [m]\n" \
      "      x = a in s\n" \
      "    end", \
      "convert to a unit of the same dimension, or correct the expression before 'in'.") \
    X(UNIT_UNDETERMINED, \
      "A conversion needs to know the unit it converts from. No declaration tells the unit of this\n" \
      "value, neither its own nor those of what it is computed with.", \
      "    model M\n" \
      "      param a = 3\n" \
      "      x = a in km\n" \
      "      y = x + 1 [km]\n" \
      "    end", \
      "declare a unit: param a = 3 [m].") \
    X(UNIT_ZERO, \
      "A temperature in degC is counted from the freezing point of water. Two of them cannot be\n" \
      "added, and none can be multiplied: 20 degC is not twice as warm as 10 degC. Differences, means\n" \
      "and comparisons are fine.", \
      "    model M\n" \
      "      param k = 2 [W/K], T = 20 [degC]\n" \
      "      q = k*T\n" \
      "    end", \
      "use a difference, k*(T - T0), or the absolute temperature, k*(T in K).") \
    X(UNIT_CYCLE, \
      "A unit defined by itself, directly or through others, says nothing.", \
      "    unit foot2 = 0.33 [yard2]\n" \
      "    unit yard2 = 3 [foot2]\n" \
      "    model M\n" \
      "      x = 3 [foot2]\n" \
      "    end", \
      "define one of them by a unit that is known, or leave out its value to make it a\n" \
      "unit of a new kind.") \
    X(UNIT_LIMIT, \
      "Every unit defined without a value, such as 'unit euro', is a new dimension, and there is\n" \
      "room for a few dozen only.", \
      "    unit a\n" \
      "    unit b\n" \
      "    # and so on", \
      "define units that measure the same thing by one another: unit cent = 0.01 [euro].") \
    X(MESSAGE_TYPE, \
      "The type of an event port is a record of the file, 'nothing', or none: a number.", \
      "    model M\n" \
      "      input event job : Jbo\n" \
      "      discrete n = 0\n" \
      "      on job then n := n + 1 end\n" \
      "    end", \
      "correct the name, declare the record, or leave the type out if its messages are numbers.") \
    X(NOT_A_PORT, \
      "'on' and 'send' name event ports. What has a value at every moment is a signal.", \
      "    model M\n" \
      "      input u = 0\n" \
      "      discrete n = 0\n" \
      "      on u then n := n + 1 end\n" \
      "    end", \
      "declare an event port: input event u; or ask for a condition: when u > 1 then … end.") \
    X(ARROW_FROM, \
      "An arrow between event ports begins at an output of a component, or at an input of the model it\n" \
      "stands in, whose messages it hands on.", \
      "    model Part\n" \
      "      input event a : nothing\n" \
      "      discrete n = 0\n" \
      "      on a then n := n + 1 end\n" \
      "    end\n" \
      "    model Whole\n" \
      "      p, q : Part\n" \
      "      p.a -> q.a\n" \
      "    end", \
      "begin the arrow at an output event.") \
    X(ARROW_TO, \
      "An arrow between event ports leads to an input of a component, or to an output of the model it\n" \
      "stands in.", \
      "    model Part\n" \
      "      output event a : nothing\n" \
      "      every 1 then send a end\n" \
      "    end\n" \
      "    model Whole\n" \
      "      p, q : Part\n" \
      "      p.a -> q.a\n" \
      "    end", \
      "lead the arrow to an input event.") \
    X(ARROW_TYPES, \
      "Ports are connected only if their messages are of one type.", \
      "    model Clock\n" \
      "      output event tick : nothing\n" \
      "      every 1 then send tick end\n" \
      "    end\n" \
      "    model Gauge\n" \
      "      input event level\n" \
      "      discrete x = 0\n" \
      "      on level then x := level end\n" \
      "    end\n" \
      "    model Both\n" \
      "      c : Clock\n" \
      "      g : Gauge\n" \
      "      c.tick -> g.level\n" \
      "    end", \
      "declare both with one type.") \
    X(ARROW_UNITS, \
      "A message that is a number has the unit of its port, and is not converted on its way.", \
      "    model Clock\n" \
      "      output event tick [m]\n" \
      "      every 1 then send tick(1) end\n" \
      "    end\n" \
      "    model Gauge\n" \
      "      input event level [km]\n" \
      "      discrete x = 0 [km]\n" \
      "      on level then x := level end\n" \
      "    end\n" \
      "    model Both\n" \
      "      c : Clock\n" \
      "      g : Gauge\n" \
      "      c.tick -> g.level\n" \
      "    end", \
      "declare both with one unit.") \
    X(HOLD_TARGET, \
      "Messages lead to event ports, to a signal input of a component, which then holds the number\n" \
      "that came last, or to a state of an island, which they perturb.", \
      "    model Clock\n" \
      "      output event tick\n" \
      "      every 1 then send tick(1) end\n" \
      "    end\n" \
      "    model Tank\n" \
      "      var level = 1\n" \
      "      level' = -level\n" \
      "    end\n" \
      "    model Both\n" \
      "      c : Clock\n" \
      "      w : Tank\n" \
      "      c.tick -> w.level\n" \
      "    end", \
      "declare an input there, or an event port and 'on PORT then level := PORT end'.") \
    X(SIGNAL_TO_EVENT, \
      "A signal has a value at every moment; nothing says at which of them a message should be sent.", \
      "    model Tank\n" \
      "      var level = 1\n" \
      "      level' = -level\n" \
      "    end\n" \
      "    model Alarm\n" \
      "      input event ring\n" \
      "      discrete n = 0\n" \
      "      on ring then n := n + 1 end\n" \
      "    end\n" \
      "    model Both\n" \
      "      w : Tank\n" \
      "      a : Alarm\n" \
      "      w.level -> a.ring\n" \
      "    end", \
      "write when: output event low; when level < 0.5 then send low(level) end.") \
    X(SEND_TARGET, \
      "Messages leave a model by its own event outputs.", \
      "    model M\n" \
      "      input event a : nothing\n" \
      "      every 1 then send a end\n" \
      "    end", \
      "declare 'output event' and lead an arrow from it to who should get the messages.") \
    X(SEND_VALUES, \
      "A message has as many values as its type says: a number one, nothing none, a record one for each\n" \
      "field in the order declared.", \
      "    model M\n" \
      "      output event a\n" \
      "      every 1 then send a end\n" \
      "    end", \
      "give the values in parentheses: send a(1); or declare the port ': nothing'.") \
    X(ON_PORT, \
      "A model acts on messages that arrive at its own event inputs, and on those that its components\n" \
      "send.", \
      "    model M\n" \
      "      output event a : nothing\n" \
      "      discrete n = 0\n" \
      "      on a then n := n + 1 end\n" \
      "    end", \
      "declare an 'input event' and lead an arrow to it, or name a component's: on p.a then.") \
    X(MESSAGE_FIELD, \
      "What a message says is read by the names of the fields of its record.", \
      "    record Job\n" \
      "      size\n" \
      "    end\n" \
      "    model M\n" \
      "      input event job : Job\n" \
      "      discrete n = 0\n" \
      "      on job then n := n + job.weight end\n" \
      "    end", \
      "name a field of the record.") \
    X(NOT_AN_ATOMIC, \
      "Atomic components can take part for a while and then be away. Equations always hold.", \
      "    model Tank\n" \
      "      var h = 1\n" \
      "      h' = -h\n" \
      "    end\n" \
      "    model M\n" \
      "      a : Tank\n" \
      "      present a when t > 1\n" \
      "    end", \
      "switch the equations by a condition in them: h' = if t > 1 then -h else 0.") \
    X(SIGNAL_WHEN, \
      "Arrows with 'when' lead messages. A signal needs a source at every moment.", \
      "    model Part\n" \
      "      input u = 0\n" \
      "      output y = u\n" \
      "    end\n" \
      "    model M\n" \
      "      a, b : Part\n" \
      "      a.y -> b.u when t > 1\n" \
      "    end", \
      "write an equation that chooses: output z = if t > 1 then a.y else 0, and z -> b.u.") \
    X(SPECIES, \
      "A reaction changes its species: as equations it is part of their rates of change, as events it\n" \
      "counts them up and down.", \
      "    model M\n" \
      "      param A = 1\n" \
      "      var B = 0\n" \
      "      reaction r : A -> B rate 0.1*A\n" \
      "    end", \
      "declare it with 'var'; what only decides how fast it goes stands in the rate alone:\n" \
      "reaction r : -> B rate 0.1*A.") \
    X(DRAW_MISPLACED, \
      "A distribution gives another number each time it is drawn. Equations hold at all times, so\n" \
      "there would be no telling when; sizes and indices must be known before the run.", \
      "    model M\n" \
      "      var x = 0\n" \
      "      x' = -x + normal(0, 1)\n" \
      "    end", \
      "say when: param k ~ normal(0, 1) draws at the start of a run, x := normal(0, 1) in\n" \
      "the body of an event, sample(normal(0, 1), 0.1) every 0.1. White noise is noise(1).") \
    X(DRAW_ARGUMENT, \
      "An argument of a distribution makes no sense: a negative deviation, a shape of 0, an upper\n" \
      "end below the lower one, weights that are all 0.", \
      "    model M\n" \
      "      param k ~ normal(2, -0.1)\n" \
      "      output y = k\n" \
      "    end", \
      "correct it; where it is computed, look at how it can come to this value.") \
    X(SAMPLES_UNKNOWN, \
      "empirical(…) draws from measurements, which a statement 'samples' reads from a file.", \
      "    model M\n" \
      "      param wait ~ empirical(Waits)\n" \
      "      output y = wait\n" \
      "    end", \
      "write, outside of models: samples Waits from \"waits.csv\" column \"wait\"") \
    X(NOISE_MISPLACED, \
      "White noise is the derivative of a Brownian path, which has none: only its integral is a number.\n" \
      "So it can be added to a rate, multiplied by anything, but not be squared, compared, delayed,\n" \
      "assigned, or be the value of a variable of its own.", \
      "    model M\n" \
      "      var x = 0\n" \
      "      x' = -x + noise(1)^2\n" \
      "    end", \
      "write x' = f + noise(sigma), where sigma may depend on everything else; for a noisy\n" \
      "signal that is a number, sample one: sample(normal(0, 1), 0.1).") \
    X(CHARACTER_BAD, \
      "This character has no meaning in the language. Typographic quotes and dashes, pasted from\n" \
      "a document, are a common cause.", \
      "    model M\n" \
      "      x = 2 × t\n" \
      "    end", \
      "use the plain characters: * for times, - for minus, \" for quotes.") \
    X(NUMBER_BAD, \
      "It starts like a number and goes on like something else.", \
      "    model M\n" \
      "      x = 1.2.3 + 5x\n" \
      "    end", \
      "write numbers as 12, 0.5 or 1e-3, with a digit on both sides of the point, and\n" \
      "products with a sign: 5*x.") \
    X(TEXT_OPEN, \
      "A double quote opens a name or text, and the line ends before the one that closes it.", \
      "    model M \"a tank\n" \
      "      x = 1\n" \
      "    end", \
      "add the missing quote. The single quote is the derivative: x'.") \
    X(EXPECTED, \
      "Something else is needed at this place for the statement to make sense.", \
      "    model M\n" \
      "      param k 3\n" \
      "    end", \
      "compare the line with the form of the statement in docs/language.md. The cause\n" \
      "may stand just before the place shown.") \
    X(END_MISSING, \
      "A block was opened and the file ends before its 'end'.", \
      "    model M\n" \
      "      x = 1", \
      "add 'end'. If there are enough of them, look for one that closes an inner\n" \
      "block too early.") \
    X(END_EXTRA, \
      "There is one 'end' more than there are open blocks.", \
      "    model M\n" \
      "      x = 1\n" \
      "    end\n" \
      "    end", \
      "remove it, or find the block whose first line is missing.") \
    X(NESTED_TOO_DEEP, \
      "Brackets, conditions, functions or components are nested deeper than any model written by\n" \
      "hand.", \
      "    an expression of ten thousand opening brackets", \
      "give parts of it names of their own, in equations or components.") \
    X(NUMBER_TOO_LARGE, \
      "Numbers reach to about 1.8e308.", \
      "    model M\n" \
      "      x = 1e999\n" \
      "    end", \
      "correct the exponent. Infinity is written 'inf'.") \
    X(STATEMENT_UNKNOWN, \
      "The line starts with a word that begins no statement here.", \
      "    model M\n" \
      "      parameter k = 1\n" \
      "      x = k\n" \
      "    end", \
      "docs/language.md lists the statements of each kind of block; here it is\n" \
      "'param'.") \
    X(ASSIGN_IN_MODEL, \
      "The equations of a model hold all the time, and are written with '='. ':=' changes a value\n" \
      "at a moment, which only events, functions of time, and the terminal region do.", \
      "    model M\n" \
      "      x := 2\n" \
      "    end", \
      "write x = 2.") \
    X(EQUALS_TWICE, \
      "An equation has a left side and a right side.", \
      "    model M\n" \
      "      x = y = 2\n" \
      "    end", \
      "write two equations: x = 2 and y = 2.") \
    X(RELATION_CHAINED, \
      "'a < b < c' would compare a truth value with a number.", \
      "    model M\n" \
      "      x = if 0 < t < 1 then 1 else 0\n" \
      "    end", \
      "write 0 < t and t < 1.") \
    X(VERSION_UNKNOWN, \
      "The first line says that the file needs a newer version of the language than this program\n" \
      "knows.", \
      "    orrery 99\n" \
      "    model M\n" \
      "      x = 1\n" \
      "    end", \
      "install a newer Orrery, or change the line if the file uses nothing new.") \
    X(PAREN_OPEN, \
      "A bracket is opened here and never closed.", \
      "    model M\n" \
      "      x = (1 + t * 2\n" \
      "    end", \
      "add the closing bracket. Inside round brackets a statement goes on over line\n" \
      "ends, so the mistake may be some lines above.") \
    X(NOT_YET, \
      "The construct is understood, but this version cannot run it.", \
      "    model M\n" \
      "      const k[3] = 1\n" \
      "      x = t\n" \
      "    end", \
      "write it in another way; the message names one if there is one.") \
    X(EVENT_TARGET, \
      "An event can change states and discrete variables. Everything else is computed: it would be\n" \
      "computed again at once, so the assignment would be lost.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "      y = 2*x\n" \
      "      when x < 0.5 then y := 0 end\n" \
      "    end", \
      "assign the state it is computed from, or declare it as discrete.") \
    X(OTHER_MEAN, \
      "Where a solution slides, what switches has a mean value by which it stays on the surface (Utkin's\n" \
      "equivalent control), and all other equations are evaluated with that. A rate that is not linear in\n" \
      "it, as here abs(u), then is another one than the mean of the rates on both sides (Filippov), which\n" \
      "a switch that really goes back and forth would give.", \
      "    model M\n" \
      "      var x = 1, v = 0, cost = 0, u\n" \
      "      u = -2*sign(x + v)\n" \
      "      x' = v\n" \
      "      v' = u\n" \
      "      cost' = abs(u)\n" \
      "    end", \
      "nothing, if u stands for the mean; else give the switch a hysteresis.") \
    X(DATA_PARTLY, \
      "Points that were measured before the run begins or after it ends are not compared with it.", \
      "    orrery run tank.orr --until 5 --data level=measured.csv:level", \
      "let the run go over all times of the data.") \
    X(STUDY_NONE, \
      "--continue goes on with a study that was stopped, if it was kept: with the same texts of the\n" \
      "model and of what it uses, the same experiment and words, and the same version. There is none\n" \
      "in the store: it was never kept, or is complete, or something of this has changed.", \
      "    orrery sweep examples/mass_spring.orr --sweep M=1,2 --continue --store s.runs", \
      "nothing: all members are computed. 'orrery runs diff' shows what has changed.") \
    X(WHEN_CONSTANT, \
      "An event happens when its condition becomes true. A condition made of numbers and parameters\n" \
      "never becomes anything, so its body never runs.", \
      "    model M\n" \
      "      param a = 1\n" \
      "      discrete n = 0\n" \
      "      when a > 0 then n := 1 end\n" \
      "    end", \
      "name a variable or t in the condition; for the start write: when initial then.") \
    X(EVENT_STAYS, \
      "The body of an event gives a state the very value at which its own condition changes, and the\n" \
      "solution goes on to where the condition is true. It has never been false for any time, so the\n" \
      "event does not happen again until it has been.", \
      "    model M\n" \
      "      var x = 0\n" \
      "      x' = 1\n" \
      "      when x > 1 then x := 1 end\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 2\n" \
      "    end", \
      "to hold a state at a limit write it into its rate: x' = if x < 1 then 1 else 0.") \
    X(FIT_UNKNOWN, \
      "In some direction the parameters can move and nothing that was measured changes: a product\n" \
      "a*b is known, but neither factor. Such parameters get no standard error.", \
      "    orrery fit product.orr --fit a --fit b --data x=measured.csv:x", \
      "fit only one of them, or give data in which each is felt alone.") \
    X(FIT_UNFINISHED, \
      "The sum of squares was still becoming smaller when the search ended.", \
      "    orrery fit valley.orr --fit a=1e6 --fit b=1e-6 --data x=measured.csv:x", \
      "start nearer to the solution, or give bounds.") \
    X(ONLY_IN_EVENTS, \
      "pre(x) is the value of x before an event, so it means something in the conditions and bodies\n" \
      "of events only.", \
      "    model M\n" \
      "      discrete n = 0\n" \
      "      x = pre(n)\n" \
      "    end", \
      "in an equation write the variable itself.") \
    X(EVENT_TIME, \
      "The times of `at` and `every` are known when a run starts: they are made of numbers and\n" \
      "parameters. A delay may read discrete variables too.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "      at 2*x then x := 1 end\n" \
      "    end", \
      "use `when` with a condition on t: when t >= 2*x then.") \
    X(DISCRETE_EQUATION, \
      "A discrete variable keeps its value until an event assigns another one. An equation for it\n" \
      "would have to hold all the time.", \
      "    model M\n" \
      "      discrete n = 0\n" \
      "      n = 2*t\n" \
      "    end", \
      "declare it as var, or assign it in an event with ':='.") \
    X(NOT_DISCRETE, \
      "hold keeps the value of something that changes at events. What changes all the time has no\n" \
      "value to be kept; sample takes one every period.", \
      "    model M\n" \
      "      x = hold(sin(t))\n" \
      "    end", \
      "write hold(sample(x, period)).") \
    X(ONLY_IN_REINIT, \
      "named(x) asks whether the message that reached an island is about x. Only a reinit block is\n" \
      "told about messages.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "      at 1 then if named(x) then x := 2 end end\n" \
      "    end", \
      "write reinit then if named(x) then x := message end end.") \
    X(STATEMENT_TWICE, \
      "A setting that can have only one value is given a second time.", \
      "    model M\n" \
      "      x = t\n" \
      "    end\n" \
      "    experiment once of M\n" \
      "      until 10\n" \
      "      until 20\n" \
      "    end", \
      "remove one of the two.") \
    X(EQUALS_COMPARES, \
      "'=' states an equation. To ask whether two values are equal, the language has '=='.", \
      "    model M\n" \
      "      x = if t = 1 then 1 else 0\n" \
      "    end", \
      "write '=='; and better '<' or '>=' for values that change continuously.") \
    X(NOTHING_STATED, \
      "The line compares two values, which is true or false, but it says nothing about the model.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "      x < 2\n" \
      "    end", \
      "write 'assert x < 2' for a condition that must hold, or '=' for an equation.") \
    X(PRIME_MISPLACED, \
      "The single quote is the derivative and belongs to a variable, not to an expression or a\n" \
      "number.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      (2*x)' = 1\n" \
      "    end", \
      "give the expression a name, y = 2*x, and write y'.") \
    X(WORD_NOT_YET, \
      "The word belongs to a part of the language that this version does not contain.", \
      "    experiment compared of MassSpring\n" \
      "      morphism Abstract\n" \
      "    end", \
      "see docs/language.md for what this version has.") \
    X(WORD_RESERVED, \
      "Words such as if, then, else, and, or, not are part of expressions and cannot be names.", \
      "    model M\n" \
      "      var and = 1\n" \
      "    end", \
      "choose another name, or put it in double quotes.") \
    X(UNIT_MISPLACED, \
      "Square brackets after white space are a unit, and belong to a number or a declaration.", \
      "    model M\n" \
      "      var u[3]\n" \
      "      x = u [1]\n" \
      "    end", \
      "for an index, let the bracket touch the name: u[1].") \
    X(OUTSIDE_MODEL, \
      "Equations and declarations stand inside a model. At the top of a file there are only\n" \
      "models, functions, experiments, 'use' and the like.", \
      "    x = 1\n" \
      "    model M\n" \
      "      y = 2\n" \
      "    end", \
      "move the line into a model; perhaps the first line of the model is missing, or\n" \
      "an 'end' stands too early.") \
    X(CSMP_BLOCK_UNKNOWN, \
      "The first field of a line is the type of the block, and there is none of this name.", \
      "    Z, 1, 2", \
      "'orrery blocks' lists the types: W + I - X / K O and the named ones.") \
    X(CSMP_BLOCK_NUMBER, \
      "The second field of a block is its number, a positive whole number.", \
      "    K, one, 5", \
      "number the blocks 1, 2, 3, … in any order.") \
    X(CSMP_BLOCK_TWICE, \
      "Two blocks have the same number, so it is not clear whose output others read.", \
      "    K, 1, 5\n" \
      "    K, 1, 6", \
      "give one of them a number that is free, and change those who read it.") \
    X(CSMP_BLOCK_MISSING, \
      "A block takes its input from a block that is not in the file.", \
      "    I, 1, 0, 7", \
      "correct the number, or add the missing block. An input is the number of a\n" \
      "block, not a value: use a K block for a constant.") \
    X(CSMP_ARGUMENTS, \
      "The block has too few or too many arguments.", \
      "    I, 1, 0", \
      "'orrery blocks' shows the form of each: an integrator is I, number, initial\n" \
      "value, input.") \
    X(CSMP_SETTING_UNKNOWN, \
      "A line starting with $ is a setting, and there is none of this name.", \
      "    $stoptime = 10", \
      "the settings are listed in docs/csmp.md; the usual ones are $endtime,\n" \
      "$timestep and $comminterval.") \
    X(CSMP_SETTING_MISSING, \
      "A diagram says when the run ends and how long a step is; one of the two is missing.", \
      "    $timestep = 0.01\n" \
      "    I, 1, 0, 1", \
      "add a line such as $endtime = 100; $timestep = ? leaves the step to --set timestep=0.01.") \
    X(CSMP_SETTING_VALUE, \
      "The value of the setting is not what it can be.", \
      "    $endtime = soon", \
      "give a number. $timestep may also be '?': then it is given with --set timestep=0.01.") \
    X(CSMP_PARAMETER, \
      "The argument at this place is a parameter, that is a number.", \
      "    K, 1, five", \
      "write a number such as 5, -0.5 or 1e-3.") \
    X(CSMP_INPUT, \
      "The argument at this place is an input, that is the number of the block it comes from.", \
      "    K, 1, 5\n" \
      "    I, 2, 0, 1.5", \
      "give a whole number; a constant comes in through a K block.") \
    X(CSMP_LINE, \
      "A line is a block, a setting that starts with $, or a comment that starts with ';'. This\n" \
      "one is none of them.", \
      "    this is a diagram", \
      "put ';' in front of a comment.") \
    X(CSMP_NO_BLOCKS, \
      "The file has comments or settings at most, but nothing to compute.", \
      "    $endtime = 10", \
      "add blocks; examples/circle.csmp is a small diagram to start from.") \
    X(CSMP_NEEDS, \
      "The numbers given to this block cannot work together, such as a lower limit above the\n" \
      "upper one.", \
      "    K, 1, 5\n" \
      "    LIMIT, 2, 3, -3, 1", \
      "correct them as the message says; docs/csmp.md describes each block.") \
    X(SYSTEM_TOO_FEW, \
      "There are fewer equations than unknowns, so some unknowns cannot be computed. Every\n" \
      "variable that is not a state needs an equation; a state needs one for its derivative.", \
      "    model M\n" \
      "      var x = 1, y = 2\n" \
      "      x' = -x*y\n" \
      "    end", \
      "add the missing equation, here one for y, or make the name a parameter: param\n" \
      "y = 2.") \
    X(SYSTEM_TOO_MANY, \
      "There are more equations than unknowns, so they cannot all hold.", \
      "    model M\n" \
      "      var a, b\n" \
      "      a + b = 1\n" \
      "      a - b = 2\n" \
      "      a = 3*b\n" \
      "    end", \
      "remove one of the equations named, or turn a parameter they contain into a\n" \
      "variable.") \
    X(INITIAL_MISSING, \
      "A state starts somewhere, and the model does not say where. Zero is never assumed.", \
      "    model M\n" \
      "      var x\n" \
      "      x' = -x\n" \
      "    end", \
      "give a value, var x = 1, or an equation: initial x = 2*k.") \
    X(INITIAL_TOO_MANY, \
      "The start of a variable is given twice, in its declaration, in INTEG or by an 'initial'\n" \
      "equation.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "      initial x = 2\n" \
      "    end", \
      "keep one of them. A first guess is written with ~ instead of =.") \
    X(LOOP_REFUSED, \
      "The variables named depend on each other within one instant, so they can only be computed\n" \
      "together. This was forbidden by --loops halt.", \
      "    orrery run loop.orr --loops halt\n" \
      "    # with x = y + 16, y = -x - z, z = 5", \
      "allow loops, or break the loop by a state or a delay.") \
    X(LOOP_SINGULAR, \
      "The loop is linear, and its matrix is singular: it has no solution, or infinitely many.", \
      "    model M\n" \
      "      var x, y\n" \
      "      x = y + 1\n" \
      "      y = x - 1\n" \
      "    end", \
      "one of the equations says the same as the others, or the contrary; replace it.") \
    X(HIGH_INDEX, \
      "An equation ties states together, so that their derivatives follow only after\n" \
      "differentiating it. Orrery does this by itself, but cannot tell how fast the past of a\n" \
      "delay passes by, and stops if nothing is left of the equation.", \
      "    model Pushed\n" \
      "      var x = 0, F\n" \
      "      x'' = F\n" \
      "      x = delay(sin(t), 1)\n" \
      "    end", \
      "let the delay drive a derivative instead, or a state that follows it.") \
    X(EQUATION_EMPTY, \
      "Both sides are known before the run, so the equation computes nothing; it is either always\n" \
      "true or always false.", \
      "    model M\n" \
      "      param a = 1, b = 2\n" \
      "      a = b\n" \
      "      x = a\n" \
      "    end", \
      "remove it, turn a parameter into a variable, or write 'assert a == b'.") \
    X(DEFINED_TWICE, \
      "Two equations have this variable alone on the left.", \
      "    model M\n" \
      "      x = 1\n" \
      "      x = 2*t\n" \
      "    end", \
      "remove one of them. To change a value at a moment, use an event.") \
    X(NOT_IN_EQUATIONS, \
      "A variable is declared, but no equation contains it, so nothing can compute it.", \
      "    model M\n" \
      "      var x = 1, y\n" \
      "      x' = -x\n" \
      "    end", \
      "write an equation for it, or remove the declaration.") \
    X(CONSTRAINT_DEPENDENT, \
      "Several equations tie the same variables together, and one of them follows from the others\n" \
      "or contradicts them. So the forces that keep them cannot be told apart.", \
      "    model Rod\n" \
      "      var x = 0, x' = 0, y = 1, F, G\n" \
      "      x'' = F + G\n" \
      "      y'' = -F + G\n" \
      "      y = x + 1\n" \
      "      2*y = 2*x + 2\n" \
      "    end", \
      "remove the constraint that says nothing new, and the force that keeps it.") \
    X(POSITIVE_NO_STATE, \
      "'positive' is kept by the solver, which makes a step again that would leave it. It can do so for\n" \
      "states, variables whose derivative occurs, not for what follows from them.", \
      "    model Tank\n" \
      "      var level = 1, out positive\n" \
      "      level' = -out\n" \
      "      out = 0.1*level\n" \
      "    end", \
      "declare the state positive, here 'level', or claim it: assert out >= 0.") \
    X(NOT_CSMP, \
      "CSMP blocks know arithmetic and integrals. The model contains something that cannot be\n" \
      "taken apart into them.", \
      "    orrery export --csmp ball.orr    # with a 'when' in it", \
      "leave that part out: a diagram has blocks for arithmetic, integrals and delays.") \
    X(NOT_C, \
      "An exported program has the equations, the loops of equations up to 2000, events, delays,\n" \
      "random numbers, data of inputs, and the methods of fixed steps, of noise, of quantised\n" \
      "states, and dopri5 inside; atomics and their messages, too. What\n" \
      "needs a library (CVODE, IDA), islands, or other data than the model, stays with Orrery.", \
      "    orrery export --c out examples/robertson.orr    # stiff: its solver is bdf", \
      "take another solver with --solver, another experiment, or leave out what is named.") \
    X(EXPERIMENT_UNKNOWN, \
      "The file contains no experiment of the name given on the command line.", \
      "    orrery run tank.orr onec", \
      "use one of the names after 'experiment', or leave it out to run the model\n" \
      "itself.") \
    X(SOLVER_UNKNOWN, \
      "There is no solver of this name.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment once of M\n" \
      "      solver rk5 step 0.1\n" \
      "      until 1\n" \
      "    end", \
      "'orrery solvers' lists them; 'auto' chooses one for you.") \
    X(SOLVER_OPTION, \
      "No solver has an option of this name. There are step, tol (relative error of a step), abs\n" \
      "(absolute error) and max (largest step).", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment once of M\n" \
      "      solver euler stap 1e-3\n" \
      "      until 1\n" \
      "    end", \
      "correct the name, here to step.") \
    X(SOLVER_UNSUITABLE, \
      "The solver cannot treat a model of this kind, for the reason given.", \
      "    rk4, and a model with a loop of 5000 equations, which only ida can solve", \
      "take another; 'auto' knows which fit.") \
    X(SETTING_UNKNOWN, \
      "--set, or 'set' in an experiment, names something that is not a parameter, an initial\n" \
      "value or an input.", \
      "    orrery run tank.orr --set tua=2", \
      "'orrery check FILE' lists the parameters. Those of a component are written\n" \
      "with a point: pump.size=2.") \
    X(SETTING_VALUE, \
      "The parameter exists, but it cannot take this value.", \
      "    orrery run tank.orr --set tau=fast", \
      "give a number within the range the message names.") \
    X(SETTING_MISSING, \
      "The experiment leaves this value open, and it was not given.", \
      "    orrery run examples/circle.csmp", \
      "give it: orrery run examples/circle.csmp --set timestep=0.01.") \
    X(STEP_BAD, \
      "A step is a length of time: positive and finite.", \
      "    orrery run tank.orr --solver rk4 --step 0", \
      "give a positive number, small against the fastest change in the model.") \
    X(TIME_BAD, \
      "A run goes forward, to an end that is finite and not before its start.", \
      "    orrery run tank.orr --until -1", \
      "check 'from' and 'until', or --until.") \
    X(RECORD_UNKNOWN, \
      "Something is to be recorded or printed that the model does not have.", \
      "    orrery run tank.orr --record levle", \
      "'orrery check FILE' lists the variables. Those of a component are written with\n" \
      "a point: pump.flow.") \
    X(PLOT_BAD, \
      "The plot asked for cannot be drawn, for the reason given.", \
      "    orrery run tank.orr --plot 'level over nothing'", \
      "plot what is recorded: 'level', or 'x over y' for a phase plot; file names end\n" \
      "in .svg, .png or .pdf.") \
    X(EXPECT_FAILED, \
      "The experiment states an expectation, and the result of the run differs from it by more\n" \
      "than is allowed.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment once of M\n" \
      "      until 1\n" \
      "      expect x at 1 = 0.5 within 1e-3\n" \
      "    end", \
      "check the model first, then the accuracy of the solver, then the expectation.") \
    X(EXPECT_OUTSIDE, \
      "The time of an expectation is never reached by the run.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment once of M\n" \
      "      until 1\n" \
      "      expect x at 5 = 0 within 1e-3\n" \
      "    end", \
      "let the run go on longer, or move the expectation.") \
    X(TOLERANCE_BAD, \
      "Tolerances are positive and finite.", \
      "    orrery run tank.orr --tol 0", \
      "1e-6 is a usual value; below about 1e-13 rounding rules.") \
    X(STUDY_ENDLESS, \
      "A study repeats the run as long as its terminal region asks for it. It asked more often\n" \
      "than the limit allows, so its condition probably never becomes false.", \
      "    a terminal region that says 'run again' without changing anything", \
      "make the condition depend on what changes from run to run, or raise the limit.") \
    X(QUANTUM_BAD, \
      "A quantum is the distance that a state moves before others are told of it: a positive number.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "      solver qss2 quantum -1e-4\n" \
      "    end", \
      "give one such as quantum 1e-4.") \
    X(QUANTUM_NAME, \
      "Only states have a quantum: variables whose derivative occurs.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      y = 2*x\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "      solver qss2 quantum 1e-4\n" \
      "      quantum y = 0.01\n" \
      "    end", \
      "name a state, or an array of states.") \
    X(ANALYSE_PARAMETER, \
      "'orrery continue' and 'orrery linearise' vary parameters and inputs: what is given from\n" \
      "outside. The rest is computed by the model, so it cannot be given another value.", \
      "    model M\n" \
      "      param a = 1\n" \
      "      var x = 1\n" \
      "      x' = a - x\n" \
      "    end\n" \
      "    # orrery continue m.orr --param x --from 0 --to 1", \
      "name a parameter or an input, here a. 'orrery check' lists them.") \
    X(ANALYSE_RANGE, \
      "The range to search, or the range of the parameter to follow, is not one.", \
      "    orrery steady logistic.orr --range x=2..1\n" \
      "    orrery continue fold.orr --param a --from 1 --to 1", \
      "write the smaller number of a range first, and two different ends for a\n" \
      "parameter. --range takes states only.") \
    X(ANALYSE_MODEL, \
      "Equilibria, linear models and branches are about states: what changes by itself until it\n" \
      "rests. A model without states has none, and of a model with delays the whole past is a\n" \
      "state, which these commands do not treat.", \
      "    model M\n" \
      "      x = 2\n" \
      "    end\n" \
      "    # orrery steady m.orr", \
      "'orrery run' computes such a model.") \
    X(KIND_UNKNOWN, \
      "An experiment says what kind it is: simulate, steady, linearise, continue, compare, ensemble\n" \
      "or replicate. Each is a command of 'orrery', too.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      kind stady\n" \
      "    end", \
      "correct the name.") \
    X(KIND_WORD, \
      "Behind the kind of an experiment stand words of that kind, each with its value. They are the\n" \
      "options of its command without the two dashes; those that write files or open connections\n" \
      "belong on the command line.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      kind steady strats 50\n" \
      "    end", \
      "correct the word; 'orrery steady --help' lists them.") \
    X(UNTIL_OPEN, \
      "A run that ends when a condition becomes true needs a time at which it ends if that never happens.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until x < 0.01\n" \
      "    end", \
      "add a time: until x < 0.01 or t >= 100.") \
    X(SAVE_AS, \
      "--save-as writes the options of a command as an experiment behind the text of the model file. Some\n" \
      "options have no statement, and a name can be used once.", \
      "    orrery run tank.orr --until 5 --input u=data.csv:flow:linear --save-as short", \
      "choose another name, or write what is missing into the experiment by hand.") \
    X(CORRELATION, \
      "If a goes with b and b with c, a and c cannot go against each other: a matrix of correlations\n" \
      "must be positive definite.", \
      "    orrery run tank.orr --set 'a~normal(0, 1)' --set 'b~normal(0, 1)' --correlation a,b=1", \
      "take correlations from data, or smaller ones.") \
    X(CHANCE_KIND, \
      "set K ~ normal(2, 0.1) gives each replication another value. Kinds without replications\n" \
      "cannot use it.", \
      "    orrery sweep tank.orr --sweep b=1,2 --set 'a~normal(0, 1)'", \
      "give it a value, or replicate the experiment.") \
    X(INPUT_UNKNOWN, \
      "The experiment, or --input, gives values to something that is no input of the model.", \
      "    model M\n" \
      "      input u = 0\n" \
      "      var x = 0\n" \
      "      x' = u\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "      input U = sin(t)\n" \
      "    end", \
      "correct the name. Parameters and initial values are changed by 'set'.") \
    X(INPUT_TWICE, \
      "One input is given two things to follow.", \
      "    model M\n" \
      "      input u = 0\n" \
      "      var x = 0\n" \
      "      x' = u\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "      input u = sin(t)\n" \
      "      input u = cos(t)\n" \
      "    end", \
      "keep one of them.") \
    X(INPUT_NOT_COMPILED, \
      "What an input follows decides how it is compiled: a value that is held is read like a\n" \
      "parameter, one with a slope is computed. The model was compiled for something else.", \
      "    orr_model_compile(source, NULL, diag)    /* without .inputs */", \
      "in a program of your own, give the inputs of the experiment to orr_model_compile too.") \
    X(INPUT_SHARED, \
      "A source of values can serve one input, and once.", \
      "    orrery run tank.orr --input u=- --input w=-", \
      "keep the samples in files, or send one of them by a socket.") \
    X(INPUT_READS, \
      "An experiment applies an input from outside: it may depend on time, on parameters and on other\n" \
      "inputs, but not on what the model computes.", \
      "    model M\n" \
      "      input u = 0\n" \
      "      var x = 1\n" \
      "      x' = u\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "      input u = -x\n" \
      "    end", \
      "what is fed back belongs into a model that has this one as a component.") \
    X(FRAME_UNKNOWN, \
      "The experiment is to take place in a frame that the file does not contain.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment e of M in Bench\n" \
      "      until 1\n" \
      "    end", \
      "correct the name, or write the frame: frame Bench of M … end.") \
    X(FRAME_NAME, \
      "A frame claims something of a name, or observes it, that the model of the experiment does not\n" \
      "have. A frame fits every model that has the names it uses.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    frame Bench of M\n" \
      "      range y in 0..1\n" \
      "    end\n" \
      "    experiment e of M in Bench\n" \
      "      until 1\n" \
      "    end", \
      "correct the name, or choose a model or a frame that fits.") \
    X(FRAME_NOT_INPUT, \
      "A frame says what may be applied to an input, but the model has no such input.", \
      "    model M\n" \
      "      param k = 1\n" \
      "      var x = 1\n" \
      "      x' = -k*x\n" \
      "    end\n" \
      "    frame Bench of M\n" \
      "      input k in 0..1\n" \
      "    end\n" \
      "    experiment e of M in Bench\n" \
      "      until 1\n" \
      "    end", \
      "parameters and variables have a range: range k in 0..1.") \
    X(FRAME_APPLIES, \
      "A frame that names inputs allows these and no others to be changed.", \
      "    model M\n" \
      "      input u = 0, w = 0\n" \
      "      var x = 1\n" \
      "      x' = u + w - x\n" \
      "    end\n" \
      "    frame Bench of M\n" \
      "      input u in 0..1\n" \
      "    end\n" \
      "    experiment e of M in Bench\n" \
      "      until 1\n" \
      "      input w = sin(t)\n" \
      "    end", \
      "add the input to the frame, if the claims of the frame hold for it too.") \
    X(FRAME_RANGE, \
      "The upper bound of a range lies below the lower one, so nothing can be inside.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    frame Bench of M\n" \
      "      range x in 1..0\n" \
      "    end\n" \
      "    experiment e of M in Bench\n" \
      "      until 1\n" \
      "    end", \
      "write the smaller bound first. inf stands for no bound.") \
    X(RANGE_OF_COMPONENT, \
      "A frame watches what equations compute, at every time between two events. What an atomic\n" \
      "shows changes at its own events, which a step does not see.", \
      "    atomic Clock\n" \
      "      var n = 0\n" \
      "      state active for 1\n" \
      "        after do n := n + 1 -> active\n" \
      "    end\n" \
      "    model M\n" \
      "      clock : Clock\n" \
      "    end\n" \
      "    frame Bench of M\n" \
      "      range clock.n in 0..5\n" \
      "    end\n" \
      "    experiment e of M in Bench\n" \
      "      until 10\n" \
      "    end", \
      "let the atomic send it to an input of a model, which holds it, and give that a range.") \
    X(PRECISION_NAME, \
      "'precision … of' names what must be precise: a variable that is recorded, for its value at the\n" \
      "end, or mean(x) for the mean of its rows, which are recorded with 'every'.", \
      "    model M\n" \
      "      param k ~ normal(2, 0.1)\n" \
      "      output y = k\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "      precision 0.05 of mean(y)\n" \
      "    end\n" \
      "    # orrery replicate m.orr", \
      "record it, and for a mean say how often: every 0.1.") \
    X(MESSAGES_OUT, \
      "An event port is named as an output of an experiment, so its messages would be written, a line\n" \
      "for each. They cannot share lines with other names. Where arrows or components are switched by\n" \
      "'when', only what leaves the event output of an atomic, or is sent by a body, can be written.", \
      "    atomic Clock\n" \
      "      output event tick, tock\n" \
      "      state on for 1\n" \
      "        after send tick(t), tock(t) -> on\n" \
      "    end\n" \
      "    model M\n" \
      "      clock : Clock\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 3\n" \
      "      output clock.tick, clock.tock to \"ticks.csv\"\n" \
      "    end", \
      "give each event port an output of its own: output clock.tick to \"ticks.csv\".") \
    X(STATISTIC_NAME, \
      "'statistics' and 'plot histogram of' name what an atomic component shows: a tally or a level that\n" \
      "it keeps, a queue, a variable, or its state, which are weighted by the time for which they hold.\n" \
      "Or they name a variable of equations, which is looked at in each row. Each is named once, and\n" \
      "parameters have no statistics.", \
      "    atomic Clock\n" \
      "      output event tick\n" \
      "      var gaps = tally()\n" \
      "      state on for 1\n" \
      "        after send tick(t) do add(gaps, 1) -> on\n" \
      "    end\n" \
      "    model M\n" \
      "      clock : Clock\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 3\n" \
      "      statistics clock.gap\n" \
      "    end", \
      "name what there is: statistics clock.gaps.") \
    X(MESSAGE_COLUMNS, \
      "'columns' names the columns of a file whose rows are messages, one for each field of the record in\n" \
      "the order of its declaration. A message that is a number has one.", \
      "    record Job\n" \
      "      born, size\n" \
      "    end\n" \
      "    model Shop\n" \
      "      input event job : Job\n" \
      "      discrete n = 0\n" \
      "      on job then n := n + job.size end\n" \
      "    end\n" \
      "    experiment day of Shop\n" \
      "      until 3\n" \
      "      input job from \"jobs.csv\" columns \"size\" as messages\n" \
      "    end", \
      "name a column for each field: columns \"t\", \"size\". One column may be named twice.\n" \
      "Without 'columns' those with the names of the fields are read.") \
    X(OBSERVE_NONE, \
      "What is to be measured is not known between the steps of this run: a variable of a component\n" \
      "changes at the instants of the component, and with quantised states only states have curves.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "      y = 2*x\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "      solver qss2\n" \
      "      observe max of y\n" \
      "    end", \
      "observe a state, observe the value at the end (y at end), or take another solver.") \
    X(EXPECT_OBSERVED, \
      "What was measured of the run, such as a largest value, a time or a count, is not what the\n" \
      "experiment expects. For 'always', 'never' and 'eventually' 1 is true and 0 is not.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "      expect min of x = 0.3 within 0.01\n" \
      "    end", \
      "see which of both is wrong, the model or the expectation; 'observe' shows what it is.") \
    X(ISLAND_UNKNOWN, \
      "An experiment, or the option --island, names the solver of one island. Islands are components\n" \
      "that the model declares with the word 'island'; those inside of components have full names (a.b).", \
      "    model One\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    model Both\n" \
      "      island left : One\n" \
      "    end\n" \
      "    experiment e of Both\n" \
      "      until 1\n" \
      "      solver lefd : rk4 step 0.01\n" \
      "    end", \
      "name an island of the model, or an array of islands: solver left : rk4 step 0.01.") \
    X(DATA_COLUMN, \
      "Measured data are a table whose first row has the names of its columns, with units in brackets if\n" \
      "they have any: 'position [cm]' is the column position.", \
      "    orrery run tank.orr --data level=measured.csv:hight", \
      "name a column of the file; orrery plot FILE shows what is in it.") \
    X(DATA_NONE, \
      "A row without a number is left out as a missing value, and here all of them are.", \
      "    orrery run tank.orr --data level=measured.csv:remarks", \
      "name a column of numbers.") \
    X(DATA_OUTSIDE, \
      "Data are compared with a run at the times at which they were measured. Here the run has none of\n" \
      "these times; perhaps the times are in another unit than the model's. A heading 'time [ms]' says\n" \
      "which.", \
      "    orrery run tank.orr --until 10 --data level=measured.csv:level", \
      "let the run go over the times of the data, or give the unit of the time column.") \
    X(DATA_DEVIATION, \
      "A deviation says how exact a measurement is: its standard deviation, a positive number.", \
      "    orrery run tank.orr --data level=measured.csv:level:sd", \
      "correct the file, or leave the deviations out.") \
    X(FORM_UNKNOWN, \
      "Rows and tables are written as CSV or as NetCDF-4, by the suffix of the file. Another\n" \
      "suffix promises a form that is not written, so nothing is.", \
      "    orrery run examples/mass_spring.orr -o out.xlsx", \
      "write CSV (.csv), which every program reads, or NetCDF-4 (.nc), which keeps units\n" \
      "and where the results come from; other programs convert both.") \
    X(STORE_MISSING, \
      "A store of runs is a file beside the model, NAME.runs, made by the first run that is kept.\n" \
      "There is none of this name.", \
      "    orrery runs --store nothing.runs", \
      "keep a run first: orrery run FILE --keep; or name the store by --store.") \
    X(STORE_FOREIGN, \
      "The file is something else than a store of runs, or its tables are not those that a store\n" \
      "has. It is neither read nor changed.", \
      "    echo text > model.runs\n" \
      "    orrery runs --store model.runs", \
      "name another file by --store, or move this one away.") \
    X(STORE_NEWER, \
      "The store was written by a newer version of Orrery, which keeps more or otherwise. It is\n" \
      "left as it is.", \
      "    orrery runs --store from_a_newer_version.runs", \
      "read it with that version, or let that version export what is needed.") \
    X(STORE_DAMAGED, \
      "Something in the store cannot be what was written: bytes were lost or changed.", \
      "    orrery runs show 3 --store damaged.runs", \
      "'orrery runs salvage' copies all that can still be read to a new store; the damaged\n" \
      "one stays as it is.") \
    X(STORE_BUSY, \
      "Several programs may use a store at once, each for a moment. Another one has kept it\n" \
      "locked for twenty seconds.", \
      "    orrery run model.orr --keep", \
      "wait for the other program, or end it.") \
    X(STORE_FAILED, \
      "The store could not be read or written; the system's reason is given.", \
      "    orrery run model.orr --keep --store /nowhere/model.runs", \
      "check that the folder exists, may be written to and has room.") \
    X(RUN_UNKNOWN, \
      "Runs in a store have numbers, which never change. There is none with this number.", \
      "    orrery run examples/mass_spring.orr --keep --store s.runs\n" \
      "    orrery runs show 99 --store s.runs", \
      "'orrery runs' lists them.") \
    X(REPLAY_IMPOSSIBLE, \
      "What was kept of the run is not enough to repeat it: code of --native is never kept, and\n" \
      "values that came from sockets, other programs or files that are gone are not there.", \
      "    orrery runs replay 3 --store s.runs", \
      "run it again by hand.") \
    X(REPLAY_DIFFERS, \
      "The run was repeated from the files and settings that were kept, and other numbers came\n" \
      "out. The report says where and by how much.", \
      "    orrery runs replay 3 --store s.runs", \
      "another version of the program, of its libraries or another processor can be the\n" \
      "reason; the report names versions and machines that differ.") \
    X(CAPSULE_BAD, \
      "A capsule is an archive that 'orrery runs export' wrote. This file is something else, or\n" \
      "was changed. Nothing of it was taken.", \
      "    echo text > capsule.zip\n" \
      "    orrery runs import capsule.zip --store s.runs", \
      "export it anew on the other machine.") \
    X(KEPT_NONE, \
      "What a run leaves depends on its kind: rows of simulations and of members, messages of\n" \
      "models with components.", \
      "    orrery runs messages 1 -o replay.jsonl", \
      "'orrery runs show N' says what there is.") \
    X(STORE_WHICH, \
      "Without --store the only store in this folder is meant. There are several, or none.", \
      "    orrery runs", \
      "name the store or its model: orrery runs --store model.orr.") \
    X(FIT_POINTS, \
      "Each parameter that is fitted needs at least one measured point of its own.", \
      "    orrery fit spring.orr --fit K --fit D --fit M --data x=two_points.csv:x", \
      "fit fewer parameters, or give more data.") \
    X(FIT_PARAMETER, \
      "What is to be fitted is a parameter, an input or an initial value of the model, with a start\n" \
      "inside its bounds.", \
      "    orrery fit spring.orr --fit 'K=100 in 0.1..50' --data x=measured.csv:x", \
      "write NAME, NAME=START or NAME=START in LOW..HIGH; log behind it looks\n" \
      "for its logarithm.") \
    X(FIT_START, \
      "A search begins with a run at the start of all parameters, and this run failed. Runs that fail\n" \
      "later are avoided and counted; the first one cannot be.", \
      "    orrery fit spring.orr --fit K=1e300 --data x=measured.csv:x", \
      "give other starts, or bounds within which the model runs.") \
    X(STEP_UNDERFLOW, \
      "The solver made its step smaller and smaller to keep its tolerance, until time itself\n" \
      "would not advance any more. Usually the solution runs to infinity, or jumps, or the model\n" \
      "is stiff.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = x^2        # infinite at t = 1\n" \
      "    end", \
      "look at the variable named just before that time. For stiff models take 'bdf';\n" \
      "for jumps write an event; loosen the tolerance if it is near 1e-13.") \
    X(VALUE_NOT_FINITE, \
      "A value became infinite or undefined (NaN), which no later step can repair. The run stops;\n" \
      "what was computed so far is kept.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -1e4*x\n" \
      "    end\n" \
      "    experiment once of M\n" \
      "      until 100\n" \
      "      solver euler step 0.1\n" \
      "    end", \
      "look at the operands in the message. A step that is too large is a common\n" \
      "cause with fixed-step solvers: halve it.") \
    X(DOMAIN_ERROR, \
      "A function was asked for a value it does not have: the square root or the logarithm of a\n" \
      "negative number, the arc sine beyond 1.", \
      "    model M\n" \
      "      x = sqrt(1 - t)    # at t > 1\n" \
      "    end", \
      "check the sign of the argument; guard it if the model allows: sqrt(max(0, e)).") \
    X(NO_CONVERGENCE, \
      "A non-linear loop is solved by Newton's method at every step, and it did not converge\n" \
      "here. Perhaps there is no solution any more: often two of them come nearer and nearer to each\n" \
      "other, meet, and are gone. The message then says that the solution seems to end, and the notes\n" \
      "show the last values that were found.", \
      "    model M\n" \
      "      var x ~ 1\n" \
      "      x^2 = 1 - t        # no solution after t = 1\n" \
      "    end", \
      "give a better first guess (var x ~ 2), take smaller steps, and check that a\n" \
      "solution exists at that time. Where it ends, the equations are no longer true of the thing that\n" \
      "is modelled: an event (when ... then) says what happens there, or ends the run by terminate.") \
    X(INITIAL_FAILED, \
      "The equations at the start have no solution near the guesses, so the run cannot begin.", \
      "    model M\n" \
      "      var x ~ 1\n" \
      "      x^2 = -1\n" \
      "    end", \
      "check the initial equations; give guesses near the solution you mean: var x ~\n" \
      "2.") \
    X(MEMORY_LIMIT, \
      "The model or its run needs more memory than it may take: what --max-memory says, or nine\n" \
      "tenths of the machine's. What was written with -o is kept.", \
      "    orrery run heat.orr --max-memory 100", \
      "allow more with --max-memory; make the model smaller; record less, with --every and\n" \
      "--record, or write to a file with -o.") \
    X(SOLVER_FAILED, \
      "The solver stopped for the reason given.", \
      "    bdf at a discontinuity it cannot pass", \
      "try another solver, a smaller first step or a looser tolerance; write jumps as\n" \
      "events.") \
    X(QUANTUM_STALL, \
      "A solver of quantised states follows each state in steps of its quantum. Here a state changes so\n" \
      "often that the run would not end in reasonable time: the model is stiff, or the quantum is far\n" \
      "smaller than what matters.", \
      "    model M\n" \
      "      var x = 0, y = 20\n" \
      "      x' = 0.01*y\n" \
      "      y' = 2020 - 1e9*(x + y)\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 500\n" \
      "      solver qss2 quantum 1e-6\n" \
      "    end", \
      "take 'solver liqss2', which is made for stiff models, 'solver mliqss2' or 'solver bdf';\n" \
      "or a larger quantum.") \
    X(ZENO, \
      "Events follow each other without time advancing, for ever: a ball that bounces lower and\n" \
      "lower, a switch that flickers.", \
      "    model M\n" \
      "      var x = 0\n" \
      "      discrete u = 1\n" \
      "      x' = u\n" \
      "      when x > 0.5 then u := -1 end\n" \
      "      when x < 0.5 then u := 1 end\n" \
      "    end", \
      "end the sequence in the model (stop below a small height), or give a switch a\n" \
      "dead band.") \
    X(EVENT_CYCLE, \
      "At one instant events made each other fire again and again. Events that follow from others are\n" \
      "carried out until nothing more happens; here that never comes.", \
      "    model M\n" \
      "      discrete a = 0, b = 0\n" \
      "      at 1 then a := 1 end\n" \
      "      when a > b then b := b + 1 end\n" \
      "      when b >= a then a := a + 1 end\n" \
      "    end", \
      "let one of them change something that makes the other false for good.") \
    X(EVENTS_WAIT, \
      "An event with `after` fires some time after its condition became true. Too many such firings\n" \
      "wait at the same time.", \
      "    model M\n" \
      "      discrete n = 0, u = 0\n" \
      "      every 0.0001 then u := 1 - u end\n" \
      "      when u > 0.5 after 100 then n := n + 1 end\n" \
      "    end", \
      "shorten the delay, or count in a discrete variable what is on its way.") \
    X(DIVISION_BY_ZERO, \
      "A divisor became exactly zero.", \
      "    model M\n" \
      "      x = 1/(t - 1)\n" \
      "    end", \
      "check where the divisor may vanish, and write the limit as a case of its own.") \
    X(LOOP_SINGULAR_NOW, \
      "A loop that is solved at every step has no unique solution at this time: its matrix became\n" \
      "singular.", \
      "    model M\n" \
      "      var x, y\n" \
      "      x + y = 3\n" \
      "      x + t*y = 2        # at t = 1 both have the same left side\n" \
      "    end", \
      "check what vanishes at that time; an equation may have to change there.") \
    X(TIME_LIMIT, \
      "The run took longer on the clock than it was allowed to. What was computed so far is kept.", \
      "    orrery run long.orr --max-time 10", \
      "raise the limit, or make the run cheaper: larger steps, fewer records, native\n" \
      "code.") \
    X(CANCELLED, \
      "The run was interrupted, by Ctrl-C or by the program that uses the library. What was\n" \
      "computed so far is kept.", \
      "    orrery run long.orr    # and Ctrl-C", \
      "nothing is wrong; start it again when you like.") \
    X(INITIAL_CONTRADICTS, \
      "Constraints tie variables together at the start too. More initial values are given than\n" \
      "can be chosen freely, and they do not fit together.", \
      "    model Pendulum\n" \
      "      var x = 0.6, x' = 0, y = -0.9, F\n" \
      "      x'' = -F*x\n" \
      "      y'' = -F*y - 9.81\n" \
      "      x^2 + y^2 = 1\n" \
      "    end", \
      "correct one of the values, or write it as a first guess: var y ~ -0.9.") \
    X(CONSTRAINTS_DEPENDENT_NOW, \
      "Where the model stands, one of the constraints follows from the others, so that they do not\n" \
      "determine how it moves on. This happens where a mechanism is stretched or folded, and if\n" \
      "a constraint is written twice in different words.", \
      "    model Touch \"a sphere and a bowl, which touch in one point\"\n" \
      "      var x = 0, y = 0, z = 1, F, G\n" \
      "      x' = F*x + G*x + 1\n" \
      "      y' = F*y + G*y\n" \
      "      z' = F*z + G\n" \
      "      x^2 + y^2 + z^2 = 1\n" \
      "      x^2 + y^2 = z - 1\n" \
      "    end", \
      "start elsewhere, or remove a constraint that says nothing new.") \
    X(STEADY_NONE, \
      "From none of the starting points did the search come to a state at which every rate is\n" \
      "zero. Perhaps there is none, perhaps it is far from where the search began. The message\n" \
      "shows the nearest point, and the equation that was farthest from rest.", \
      "    model M\n" \
      "      var x = 0\n" \
      "      x' = 1\n" \
      "    end\n" \
      "    # orrery steady m.orr", \
      "look whether the rate named there can become zero at all. If so, help the\n" \
      "search: --range x=0..10 says where to look, --starts 200 looks more often, --set x=5 begins\n" \
      "elsewhere.") \
    X(BRANCH_NONE, \
      "A branch is followed from an equilibrium, and none was found: neither at the first value\n" \
      "of the parameter, nor at the value it has in the model, nor at the last.", \
      "    model M\n" \
      "      param a = -1\n" \
      "      var x = 0\n" \
      "      x' = a - x^2\n" \
      "    end\n" \
      "    # orrery continue m.orr --param a --from -2 --to -1", \
      "choose a range in which there is one; 'orrery steady --set a=1' tells.") \
    X(ANALYSE_POINT, \
      "The point about which a model was to be linearised, or from which a branch was to begin,\n" \
      "lies where a rate has no value or no derivative.", \
      "    model M\n" \
      "      var x = 0\n" \
      "      x' = -sqrt(x)\n" \
      "    end\n" \
      "    # orrery linearise m.orr --at start", \
      "move the point with --set, or linearise at another one: --at T goes where a\n" \
      "run has come at the time T.") \
    X(MESSAGE_CYCLE, \
      "Each message makes somebody send another at the same instant, so that time cannot go on.", \
      "    model Echo\n" \
      "      input event a\n" \
      "      output event b\n" \
      "      on a then send b(a) end\n" \
      "      at 1 then send b(1) end\n" \
      "    end\n" \
      "    model Both\n" \
      "      x, y : Echo\n" \
      "      x.b -> y.a\n" \
      "      y.b -> x.a\n" \
      "    end\n" \
      "    experiment e of Both\n" \
      "      until 2\n" \
      "    end", \
      "let one of them answer later, or only under a condition.") \
    X(NOT_POSITIVE, \
      "A state that is declared positive is never below 0: trial values below are seen as 0, and steps\n" \
      "that would end there are made again, shorter. This one starts below 0, an event put it there, its\n" \
      "rate at 0 leads it further down, or the steps are fixed and too long.", \
      "    model Tank\n" \
      "      var level = 1 positive\n" \
      "      level' = -0.2\n" \
      "    end\n" \
      "    experiment e of Tank\n" \
      "      until 10\n" \
      "      solver dopri5\n" \
      "    end", \
      "write equations that keep it, such as an outflow that ends with the level; of fixed\n" \
      "steps, take shorter ones.") \
    X(RATE_BAD, \
      "A rate says how often something happens: it is a finite number that is not negative.", \
      "    model M\n" \
      "      discrete n = 3\n" \
      "      rate 2 - n then n := n + 1 end\n" \
      "    end", \
      "make two reactions of one that goes both ways; max(r, 0) never happens where r < 0.") \
    X(LAG_OUTSIDE, \
      "The past is kept for as long as 'within' says, and the future is not known.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -delay(x, t/2) within 3\n" \
      "    end", \
      "give the largest lag that can occur; a lag is never negative: max(lag, 0).") \
    X(ADVANCE_BAD, \
      "The time until the next internal transition of a component must be 0 or more. It was\n" \
      "negative, or not a number, or a point in time that has passed.", \
      "    static double advance(const void *state, const orr_devs_call *call) { return -1; }", \
      "look at how the time is computed; a time that should never come is INFINITY. A normal\n" \
      "distribution has negative values: take another one, or its positive part.") \
    X(CHAIN_ENDLESS, \
      "Components react to each other again and again without time going on: each has a time\n" \
      "advance of 0 and wakes the next. The circle of components is shown. A time advance that is\n" \
      "less than the resolution of t (1e-10 at t = 1e6) does not let time go on either.", \
      "    two components with time advance 0 that send each other every message back", \
      "give one of them a time advance greater than 0. If so many bags at one instant are\n" \
      "meant, raise max_bags.") \
    X(ATOMIC_FAILED, \
      "A component of a discrete-event model could not go on, for the reason given.", \
      "    orr_devs_fail(call, \"the queue is full\");", \
      "this depends on the component; the time tells where to look.") \
    X(ISLAND_BAD, \
      "An island is a set of equations with a solver of its own. It can contain components, but no other\n" \
      "islands and no atomics: these stand beside it, in the model around.", \
      "    model Inner\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    model Outer\n" \
      "      island a : Inner\n" \
      "    end\n" \
      "    model Top\n" \
      "      island b : Outer\n" \
      "    end", \
      "declare both islands in the same model.") \
    X(PORT_VARIABLE, \
      "An island reads external variables at its input ports, which must be inputs of its model,\n" \
      "and tells variables at its output ports.", \
      "    options.inputs of orr_island_create names a parameter", \
      "declare it in the model: input u.") \
    X(ISLAND_OPTION, \
      "Options of an island, such as its step, are settled when the run begins. They can be computed from\n" \
      "parameters, but not from what changes afterwards.", \
      "    model Inner\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    model Top\n" \
      "      discrete h = 0.01\n" \
      "      at 1 then h := 0.1 end\n" \
      "      island a : Inner solver rk4 step h\n" \
      "    end", \
      "write it with numbers and parameters, or take a method that chooses its steps.") \
    X(QUEUE_MEMORY, \
      "The queues of a run share a limited memory, and one of them has grown until it was full.\n" \
      "Mostly more arrives at a component than it can handle, so that the queue has no end.", \
      "    an arrival every second, a service of two seconds, and a run of 10^9 s", \
      "compare what arrives with what is handled; let the component refuse what does not fit.\n" \
      "If the length is meant, allow more memory (max_memory of the options).") \
    X(INPUT_LATE, \
      "The run needs the next value of an input to go on, and the sender took too long. What was\n" \
      "computed before is kept.", \
      "    orrery run tank.orr --input q=udp:5005 --allow-io --wait 1    # and nobody sends", \
      "see what the sender does; --wait 60 waits longer. With --realtime the run goes on with\n" \
      "the last value that came.") \
    X(INPUT_OUTSIDE, \
      "The run has come to a time for which there are no data, and 'outside error' asks to stop\n" \
      "there. What was computed before is kept.", \
      "    orrery run tank.orr --input q=data.csv:flow:linear:outside-error --until 1e9", \
      "end the run where the data end, begin it where they begin, or say what holds outside:\n" \
      "hold (the nearest value) or zero.") \
    X(INPUT_EMPTY, \
      "Standard input, a socket or a broker ended before the first value of an input had come.", \
      "    orrery run tank.orr --input q=- </dev/null", \
      "send at least one line such as 0,1.") \
    X(REPLICATION_FAILED, \
      "A replication ended with an error. It counts for nothing, the others go on; only the first\n" \
      "that fails is told. What is left out may well be special, so the means are those of the runs\n" \
      "that did not fail.", \
      "    model M\n" \
      "      param k ~ normal(0, 1)\n" \
      "      output y = sqrt(k)\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "    end\n" \
      "    # orrery replicate m.orr", \
      "run it alone to see more: orrery run FILE --seed N --run I.") \
    X(NAME_UNUSED, \
      "A parameter, a constant or an input is declared, but nothing in its model reads it, nor does\n" \
      "another model. 'orrery check' looks for them in the file it is given.", \
      "    model M\n" \
      "      param k = 1\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end", \
      "remove it, or use it: perhaps an equation contains another name by mistake.") \
    X(OPTION_UNUSED, \
      "A solver with fixed steps takes the step it is given, so a tolerance or a largest step changes\n" \
      "nothing; nor does a quantum where states are not quantised. The same holds for what is written\n" \
      "behind an island: it goes to the island's own solver or, if it has none, to that of the run.", \
      "    model Decay\n" \
      "      var x = 1\n" \
      "      x' = -x\n" \
      "    end\n" \
      "    experiment e of Decay\n" \
      "      until 1\n" \
      "      solver euler step 0.01 tol 1e-6\n" \
      "    end", \
      "leave it out and choose the step; or take a solver that chooses its steps itself:\n" \
      "solver dopri5 tol 1e-6.") \
    X(STIFF, \
      "The solver is held to tiny steps by a part of the model that decays fast and has long\n" \
      "stopped to matter.", \
      "    model M\n" \
      "      var x = 2\n" \
      "      x' = -1e6*(x - cos(t))\n" \
      "    end\n" \
      "    experiment once of M\n" \
      "      until 10\n" \
      "      solver dopri5\n" \
      "    end", \
      "take 'bdf', or 'auto', which changes over by itself.") \
    X(FRAME_LEFT, \
      "A value left the range in which the model is claimed to hold. The results from there on\n" \
      "are stamped.", \
      "    frame F of M\n" \
      "      range x in 0..1\n" \
      "    end", \
      "change the experiment, or the frame if the model holds further.") \
    X(GUESS_UNUSED, \
      "A value was given to a variable that is no state: an equation computes it, so the value\n" \
      "only tells Newton's method where to start, if it is needed at all.", \
      "    model M\n" \
      "      var x = 1, y = 5\n" \
      "      x' = -x\n" \
      "      y = 2*x\n" \
      "    end", \
      "remove the value, or write ~ instead of = to say that it is a guess.") \
    X(EQUAL_REALS, \
      "Two values that change continuously are equal at single instants only, which a step hits\n" \
      "by accident at best.", \
      "    model M\n" \
      "      x = if t == 1 then 1 else 0\n" \
      "    end", \
      "use < or >=, or an event at that moment.") \
    X(CSMP_NO_OUTPUT, \
      "O blocks say what is written at the communication points, and the diagram has none.", \
      "    $endtime = 10\n" \
      "    $timestep = 0.1\n" \
      "    K, 1, 5\n" \
      "    I, 2, 0, 1", \
      "add an O block: O, 3, 2. Or choose with --record b2.") \
    X(ASSERT_BROKEN, \
      "A condition the model claims by 'assert' is false at the end of a step. The run goes on, but\n" \
      "its results lie outside what the model is made for. Each assertion is reported once.", \
      "    model Spring\n" \
      "      var x = 0.5, v = 0\n" \
      "      x' = v\n" \
      "      v' = -2*x\n" \
      "      assert abs(x) < 0.2 \"the spring law holds for small extensions only\"\n" \
      "    end", \
      "stay inside the claim by other parameters or inputs, or extend the model.") \
    X(INITIAL_ADJUSTED, \
      "An initial value was given for a variable that follows from others by a constraint. It fits\n" \
      "roughly, as a rounded number does, and was replaced by the exact one.", \
      "    model Pendulum\n" \
      "      var x = 0.5, x' = 0, y = -0.866, F\n" \
      "      x'' = -F*x\n" \
      "      y'' = -F*y - 9.81\n" \
      "      x^2 + y^2 = 1\n" \
      "    end", \
      "nothing, or write it as a first guess: var y ~ -0.866.") \
    X(RECORD_FEW, \
      "Nobody said what to record, and the model has a very long array. A table of all its elements\n" \
      "would hardly be read, so a few of them are taken, evenly spread, with both ends.", \
      "    model M\n" \
      "      var u[5000] = 1\n" \
      "      for i in 1..5000\n" \
      "        u[i]' = -u[i]\n" \
      "      end\n" \
      "    end", \
      "name what you want to see: record u[1], u[2500]; or record u, which is all of it.") \
    X(RESTS, \
      "The body of an event turns a motion back from the surface of its condition, as a floor does with a\n" \
      "ball, and the flights that follow are too short to be seen, or there are none. From then on a\n" \
      "force holds it on the surface: on the states that the body assigns, in the proportion in which it\n" \
      "changes them, until another event moves it away or the force would have to pull.", \
      "    model M\n" \
      "      var h = 1, v = 0\n" \
      "      h' = v\n" \
      "      v' = -9.81\n" \
      "      when h <= 0 then v := -0.5*v end\n" \
      "    end", \
      "nothing, if rest is what is meant; else say in the model what happens.") \
    X(SLIDES, \
      "On both sides of the surface where a relation changes the rates lead back to it. The solution\n" \
      "follows the surface, as it would by switching infinitely often (Filippov's solution). Variables\n" \
      "show the mean of both sides with which it stays there.", \
      "    model M\n" \
      "      var x = 1\n" \
      "      x' = -sign(x)\n" \
      "    end", \
      "nothing, if an ideal switch is meant; a hysteresis gives it a finite rate.") \
    X(TIME_FROZEN, \
      "The rates depend on t itself, not only on the states. What is said about equilibria, linear\n" \
      "models or branches holds for the model with its time stopped.", \
      "    model M\n" \
      "      var x = 0\n" \
      "      x' = sin(t) - x\n" \
      "    end\n" \
      "    # orrery steady m.orr", \
      "nothing, if that is what you mean; --from T stops the time elsewhere.") \
    X(BRANCH_STOPPED, \
      "The branch was followed up to this value of the parameter and not further, for the reason\n" \
      "given. What was computed is kept.", \
      "    model M\n" \
      "      param a = 1\n" \
      "      var x = 1\n" \
      "      x' = 1/a - x\n" \
      "    end\n" \
      "    # orrery continue m.orr --param a --from 1 --to -1", \
      "where the equilibrium goes to infinity or rates jump, the branch does end. If it\n" \
      "was only long, --points N allows more points.") \
    X(BRANCH_ELSEWHERE, \
      "At the value with which the range begins no equilibrium was found, so the branch begins\n" \
      "at another one: the value that the parameter has in the model, or the end of the range.", \
      "    model M\n" \
      "      param a = 1\n" \
      "      var x = 1\n" \
      "      x' = a - x^2\n" \
      "    end\n" \
      "    # orrery continue m.orr --param a --from -1 --to 1", \
      "nothing, if the branch is the one you wanted.") \
    X(DRAWN_ONCE, \
      "A parameter of a component has one value in a run. A distribution given to it is drawn when\n" \
      "the run begins: every job would take the same time, not each one its own.", \
      "    atomic Desk\n" \
      "      param time = 1\n" \
      "      var n = 0\n" \
      "      state busy for time\n" \
      "        after do n := n + 1 -> busy\n" \
      "    end\n" \
      "    model Shop\n" \
      "      desk : Desk(time = exponential(0.5))\n" \
      "    end", \
      "let the atomic declare it with the word 'draw' (draw time = 1): it is drawn wherever it\n" \
      "is used, if it is given where the component is declared and not from further outside. If one draw\n" \
      "is meant, say so by a parameter of the model: param time ~ exponential(0.5), and\n" \
      "desk : Desk(time = time).") \
    X(INPUT_CLOSED, \
      "The program that sent the values of an input has closed the connection. The run goes on with\n" \
      "the value shown.", \
      "    a sender on a socket that ends before the run", \
      "nothing, if that is what you want; else let the sender go on as long as the run, or say\n" \
      "'outside error' to stop where it ends.") \
    X(UNIT_NOT_USED, \
      "The header of a table tells the unit of a column, but the input that is read from it has no\n" \
      "unit in the model. The numbers are taken as they are.", \
      "    model M\n" \
      "      input u = 0\n" \
      "      …\n" \
      "    # orrery run m.orr --input u=data.csv:flow:linear    # header: t,flow [l/min]", \
      "give the input a unit in the model: input u [l/min]; or leave the unit out of the\n" \
      "header.") \
    X(LINES_SKIPPED, \
      "Something that is no number came for an input of a run that keeps pace with the clock. Such a\n" \
      "run cannot ask again: it skips the line and goes on with the latest value.", \
      "    echo nonsense | nc -u …    # to the port that the input listens on", \
      "see what the sender sends: a line is a number, or a time and a number.") \
    X(OVERRUN, \
      "In a run that keeps pace with the clock, computing some instants took longer than there was\n" \
      "time. Nothing is lost, but values left later than they should.", \
      "    orrery run large.orr --realtime 1000", \
      "a larger interval (--every), a larger tolerance, --code native or a smaller factor gives\n" \
      "more time.") \
    X(COMPILER_MISSING, \
      "Native code needs a C compiler, and none was found.", \
      "    PATH=/nowhere orrery run tank.orr --code native", \
      "install one (on Debian: apt install gcc), see that PATH leads to cc, or leave out\n" \
      "--code native.") \
    X(COMPILER_FAILED, \
      "The C compiler refused the code made from the model, or could not run. That is a mistake\n" \
      "in Orrery or in the set-up, not in your model.", \
      "    a folder of PATH with another program called cc", \
      "leave out --code native; see whether cc compiles other programs; report it together\n" \
      "with the model.") \
    X(CODE_LOAD_FAILED, \
      "The compiled model is there but could not be loaded into the program. Some systems forbid\n" \
      "programs in the folder of the cache.", \
      "    a cache folder on a disk mounted with noexec", \
      "set ORRERY_CACHE to another folder, or leave out --code native.") \
    X(INSTANT_FAILED, \
      "The code made from the model could not be compiled in memory. That is a mistake in Orrery,\n" \
      "not in your model.", \
      "    should not happen", \
      "try --code native, and report it together with the model.") \
    X(PROGRAM_MISSING, \
      "Another program is needed for what was asked, and it is not installed.", \
      "    orrery run tank.orr --plot level.svg    # without gnuplot", \
      "install it (on Debian: apt install gnuplot-nox), or do without.") \
    X(PROGRAM_FAILED, \
      "Another program was started for what was asked and reported the error shown.", \
      "    orrery run tank.orr --plot /nowhere/level.svg", \
      "read its message; often the place to write to does not exist.") \
    X(MODEL_TOO_LARGE, \
      "The model is larger than what can be treated.", \
      "    an array of a thousand components with a million variables each", \
      "make the arrays smaller; check the sizes first.") \
    X(LIBRARY_MISSING, \
      "A library that is loaded only when it is needed was not found on this machine.", \
      "    orrery steady logistic.orr", \
      "install the package named in the message.") \
    X(INTERNAL, \
      "Orrery found itself in a state that its authors took for impossible. It is a mistake in\n" \
      "the program, not in your model.", \
      "    should not happen", \
      "please report it, with the model and the message.") \
    X(MACHINE_SET_EMPTY, \
      "The first principle of finite-state modelling: choose finite sets of inputs, states and\n" \
      "outputs. One of the sets is empty.", \
      "    machine Door\n" \
      "      input push\n" \
      "    end", \
      "name what can happen to it ('input') and what it can be like ('state').") \
    X(MACHINE_TARGET, \
      "The second principle of finite-state modelling: for each state and input choose one and\n" \
      "only one transition, and to one of the states. Here a transition leads elsewhere.", \
      "    machine Door\n" \
      "      input push\n" \
      "      state open / light : push -> closed\n" \
      "      state close / dark : push -> open\n" \
      "    end", \
      "correct the name, or add the state.") \
    X(MACHINE_MOVE_MISSING, \
      "The second principle of finite-state modelling: for each state and input choose one and\n" \
      "only one transition. Without this one the model is incomplete: it does not say what happens.", \
      "    machine Door\n" \
      "      input push, wait\n" \
      "      state open / light : push -> closed\n" \
      "      state closed / dark : push -> open, wait -> closed\n" \
      "    end", \
      "add the transition; '* -> STATE' stands for all inputs of a state not named.") \
    X(MACHINE_MOVE_TWICE, \
      "The second principle of finite-state modelling: for each state and input choose one and\n" \
      "only one transition. With two of them the model is ambiguous.", \
      "    machine Door\n" \
      "      input push\n" \
      "      state open / light : push -> closed, push -> open\n" \
      "      state closed / dark : push -> open\n" \
      "    end", \
      "decide for one; tell the cases apart by more states or inputs; or, if it is a\n" \
      "matter of chance, say so: push -> 0.9 closed | 0.1 open") \
    X(MACHINE_OUTPUT_MISSING, \
      "The third principle of finite-state modelling: for each state choose one and only one\n" \
      "output, that is what an observer sees. In a machine whose outputs stand at its moves each\n" \
      "move needs one.", \
      "    machine Door\n" \
      "      input push\n" \
      "      state open / light : push -> closed\n" \
      "      state closed : push -> open\n" \
      "    end", \
      "write it behind the state: state closed / dark") \
    X(MACHINE_OUTPUT_TWICE, \
      "The third principle of finite-state modelling: for each state choose one and only one\n" \
      "output.", \
      "    machine Door\n" \
      "      input push\n" \
      "      state door[2] / light : * -> door[1]\n" \
      "      door[2] / dark\n" \
      "    end", \
      "keep one of them. If both are observed, there are two states.") \
    X(MACHINE_OUTPUT_UNKNOWN, \
      "The machine lists its outputs in a line 'output', and this one is not among them.", \
      "    machine Door\n" \
      "      input push\n" \
      "      output light, dark\n" \
      "      state open / lihgt : push -> closed\n" \
      "      state closed / dark : push -> open\n" \
      "    end", \
      "correct it or add it to the list. Without the line all that is used is an\n" \
      "output.") \
    X(MACHINE_SYMBOL_UNKNOWN, \
      "The name is not one of the inputs, or states, of the machine.", \
      "    machine Door\n" \
      "      input push\n" \
      "      state open / light : psuh -> closed\n" \
      "      state closed / dark : push -> open\n" \
      "    end", \
      "correct it, or declare it.") \
    X(MACHINE_CHANCES, \
      "A move drawn by chance says how likely each state is; together that is certain.", \
      "    machine Coin\n" \
      "      input toss\n" \
      "      state heads / H : toss -> 0.5 heads | 0.4 tails\n" \
      "      state tails / T : toss -> 1/2 heads | 1/2 tails\n" \
      "    end", \
      "correct the probabilities.") \
    X(MACHINE_INDEX, \
      "An index or a bound of a range in a machine is a whole number, computed when the machine\n" \
      "is read from numbers, constants and the indices that the rule's left side names.", \
      "    machine Counter\n" \
      "      input add\n" \
      "      state S[5] / counting\n" \
      "      S[i] on add -> S[i + k]\n" \
      "    end", \
      "write const k = 1, or name the index on the left: S[i] on add[k] -> S[i + k]") \
    X(MACHINE_MIXED, \
      "A Moore machine has one output for each state, a Mealy machine one for each state and\n" \
      "input. This one has some of both.", \
      "    machine Door\n" \
      "      input push\n" \
      "      state open / light : push -> closed / creaks\n" \
      "      state closed / dark : push -> open\n" \
      "    end", \
      "put the outputs either behind the states or behind the moves.") \
    X(MACHINE_TOO_LARGE, \
      "The transition table would not fit in memory.", \
      "    machine M\n" \
      "      input a[100000]\n" \
      "      state S[100000] / x : * -> S[1]\n" \
      "    end", \
      "use fewer states or inputs.") \
    X(MACHINE_NONE_THERE, \
      "A question about a machine was asked of a file without one, or without the one named.", \
      "    orrery machine show tank.orr", \
      "name a file with 'machine … end', a transition table (.csv) or a graph (.dot).") \
    X(MACHINE_AMBIGUOUS, \
      "The file contains several machines and none was chosen.", \
      "    orrery machine show games.orr", \
      "choose one with --machine NAME.") \
    X(MACHINE_NO_START, \
      "A machine runs from a state, and neither the machine nor the command says which.", \
      "    orrery run baby.orr --inputs toy,food", \
      "add 'start STATE' to the machine, or --from STATE to the command. What does not\n" \
      "depend on the start is asked with orrery machine behave.") \
    X(MACHINE_TABLE, \
      "A transition table has one column for the states, one for each input and, unless the\n" \
      "outputs stand in the cells (next/output), one called output; and one row for each state.", \
      "    state,toy,food\n" \
      "    hungry,hungry,eating", \
      "look at the line named; 'orrery machine show --as csv' writes a table to compare\n" \
      "with.") \
    X(MACHINE_DOT, \
      "Of DOT, the language of Graphviz, a digraph is read whose nodes are states and whose\n" \
      "edges are labelled input (and the nodes name|output) or input/output.", \
      "    digraph { a - b }", \
      "look at the place named; 'orrery machine show --as dot' writes a graph to compare\n" \
      "with.") \
    X(MACHINE_LEDGER, \
      "A ledger has one line for each experiment: the inputs tried, a colon, the outputs\n" \
      "observed.", \
      "    toy, food", \
      "write toy, food : cries, cries, quiet") \
    X(MACHINE_LEDGER_OTHER, \
      "The ledger names the model it was kept for, or uses inputs or outputs that the model\n" \
      "does not have.", \
      "    orrery machine validate door.orr --ledger baby.ledger", \
      "name the right file, or correct the first line of the ledger.") \
    X(MACHINE_BY_CHANCE, \
      "Questions that compare states one by one (minimise, compare, next) need machines whose next\n" \
      "state is certain. This one draws it by chance somewhere; the hint says where.", \
      "    machine Coin\n" \
      "      input toss\n" \
      "      state heads / h : toss -> 0.5 heads | 0.5 tails\n" \
      "      state tails / t : toss -> 0.5 heads | 0.5 tails\n" \
      "    end\n" \
      "    # orrery machine minimise coin.orr", \
      "ask what such machines can answer: 'orrery machine reach' and 'policy'. Or make the\n" \
      "moves certain, by inputs that say how the toss came out.") \
    X(MACHINE_INPUTS, \
      "Machines are compared by what they answer to the same inputs, matched by name. One of them\n" \
      "has an input that the other does not have.", \
      "    orrery machine compare baby.orr switch.orr", \
      "rename inputs that mean the same; add the missing one, if nothing else with moves that\n" \
      "stay in the same state.") \
    X(MACHINE_LIMIT, \
      "What was asked for would need more time or memory than is allowed.", \
      "    orrery machine policy big.csv --cost bad=1 --horizon 1000000000", \
      "ask for less: a smaller machine (minimise it first), fewer steps.") \
    X(MACHINE_POLICY, \
      "The costs or the criterion of a policy make no sense for this machine.", \
      "    orrery machine policy baby.orr --cost cries=1 --discount 2", \
      "costs are finite numbers, a discount lies between 0 and 1, a horizon is at least 1.") \
    X(MACHINE_UNSETTLED, \
      "The average cost, or the part of the time spent in each state, is a limit. It is computed\n" \
      "by repetition, and after a great many the digits still changed.", \
      "    a move with a probability of 1e-12", \
      "take a discount, such as --discount 0.999, or a horizon; or leave out moves that\n" \
      "hardly ever happen.") \
    X(MACHINE_LEARN, \
      "There is nothing to learn from, or what was observed is not of one kind.", \
      "    orrery machine learn empty.ledger", \
      "give at least one experiment with inputs and the outputs seen.") \
    X(ATOMIC_NO_STATE, \
      "An atomic is always in one of its states; it needs at least one.", \
      "    atomic Processor\n" \
      "      input event job\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "write a state and what happens in it: state idle, and below it on job -> idle.") \
    X(STATE_UNKNOWN, \
      "A transition leads to a state that the atomic does not have.", \
      "    atomic Processor\n" \
      "      input event job\n" \
      "      state idle\n" \
      "        on job -> bussy\n" \
      "      state busy for 1\n" \
      "        after -> idle\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "write the name of one of its states, or add 'state NAME'.") \
    X(TYPE_UNKNOWN, \
      "What an event tells, or what a variable holds, is a number, boolean, a record or an\n" \
      "enumeration. This name is none of them.", \
      "    atomic Sink\n" \
      "      input event job : Jbo\n" \
      "      state waiting\n" \
      "        on job\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "define the record or the enumeration, or write one that exists.") \
    X(FIELD_UNKNOWN, \
      "A record has the fields that it was declared with, and only records have fields.", \
      "    record Job\n" \
      "      born, size\n" \
      "    end\n" \
      "    atomic Sink\n" \
      "      input event job : Job\n" \
      "      var total = 0\n" \
      "      state waiting\n" \
      "        on job do total := total + job.sise end\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "write one of its fields, or add the field to the record.") \
    X(NOT_ASSIGNABLE, \
      "A 'do' block changes variables. Parameters and constants stay as they are, messages are\n" \
      "read, queues and statistics have functions of their own.", \
      "    atomic Counter\n" \
      "      param n = 0\n" \
      "      input event job\n" \
      "      state counting\n" \
      "        on job do n := n + 1 end\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "declare what changes as a variable: var n = 0.") \
    X(EFFECT_MISPLACED, \
      "Conditions of 'on' and 'after', and what is sent, only look at the state: they are computed\n" \
      "without changing it, some of them twice. Drawing a random number or taking from a queue\n" \
      "changes it.", \
      "    atomic Source\n" \
      "      output event job\n" \
      "      state waiting for 1\n" \
      "        after send job(normal(0, 1)) -> waiting\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "compute it before, in a 'do' block, and keep it in a variable: var next = 0, and\n" \
      "after send job(next) do next := normal(0, 1) -> waiting.") \
    X(ENUM_AMBIGUOUS, \
      "Two enumerations have a value of this name, and nothing tells which one is meant.", \
      "    enum Light red, green\n" \
      "    enum Wine red, white\n" \
      "    atomic Signal\n" \
      "      var colour = red\n" \
      "      state on\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "name the enumeration: Light.red; or declare the type: var colour : Light = red.") \
    X(NO_MESSAGE, \
      "A message is there while it is taken, in 'on EVENT'. In other places it has no value.", \
      "    atomic Delay\n" \
      "      input event job\n" \
      "      output event done\n" \
      "      state idle\n" \
      "        on job -> busy\n" \
      "      state busy for 1\n" \
      "        after send done(job) -> idle\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "keep it: var now = 0, and on job do now := job -> busy.") \
    X(MESSAGE_VALUE, \
      "What is sent must be of the type that the output event was declared with; one declared with\n" \
      "': nothing' is sent without a value.", \
      "    atomic Source\n" \
      "      output event job : nothing\n" \
      "      state waiting for 1\n" \
      "        after send job(3) -> waiting\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "send a value of that type, or change the declaration of the event.") \
    X(ATOMIC_CHANCES, \
      "In a choice by chance the probabilities of all cases sum to 1, and none is negative.", \
      "    atomic Coin\n" \
      "      state tossed for 1\n" \
      "        after -> 0.5 heads | 0.6 tails\n" \
      "      state heads\n" \
      "      state tails\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "correct the probabilities.") \
    X(AFTER_MISSING, \
      "A state with 'for' ends when its time is up. Something must say what happens then, also when\n" \
      "no condition of an 'after' is true.", \
      "    atomic Lamp\n" \
      "      input event press\n" \
      "      state off\n" \
      "        on press -> lit\n" \
      "      state lit for 10\n" \
      "        on press -> off\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "write a line below it: after -> off.") \
    X(AFTER_NEVER, \
      "A state without 'for' lasts until a message comes, so what stands behind 'after' never happens.", \
      "    atomic Lamp\n" \
      "      input event press\n" \
      "      state off\n" \
      "        on press -> lit\n" \
      "      state lit\n" \
      "        after -> off\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "say how long it lasts: state lit for 10.") \
    X(DURATION_BAD, \
      "A state lasts 0 or more, or for ever.", \
      "    atomic Lamp\n" \
      "      state lit for -1\n" \
      "        after -> lit\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "give a time that is not negative.") \
    X(KEEPING, \
      "'keeping time' goes on with the time that is left of the present state. When the time is up,\n" \
      "or before the first state, there is none.", \
      "    atomic Clock\n" \
      "      state ticking for 1\n" \
      "        after -> ticking keeping time\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "leave out 'keeping time': a new time begins when a state is entered.") \
    X(NATIVE_BODY, \
      "What a native atomic does is C code in an object named with --native. In the model it has\n" \
      "parameters, events and the names of variables, but no states and no values.", \
      "    model M\n" \
      "      output y = 1\n" \
      "    end\n" \
      "    atomic Filter native\n" \
      "      input event x\n" \
      "      state idle\n" \
      "    end", \
      "leave the word 'native' out if the atomic is written here; else remove what is in the\n" \
      "C code.") \
    X(NATIVE_NONE, \
      "The atomic is declared as native, so its functions must come from an object with C code.\n" \
      "None was named, or those that were have no atomic of this name. Without --native no such\n" \
      "code is ever loaded.", \
      "    model M\n" \
      "      f : Filter\n" \
      "    end\n" \
      "    atomic Filter native\n" \
      "      input event x\n" \
      "    end", \
      "name the object, if you trust it: orrery run model.orr --native filter.so. The atomic in\n" \
      "it has the same name; examples/native/smooth.c is a whole one.") \
    X(NATIVE_OBJECT, \
      "The file named with --native is not a shared object of this machine, needs symbols that are\n" \
      "nowhere, or has no function orr_native_atomics. The reason of the system is given.", \
      "    orrery run model.orr --native model.orr", \
      "build it with cc -shared -fPIC -o filter.so filter.c, and let it export\n" \
      "orr_native_atomics as examples/native/smooth.c does.") \
    X(NATIVE_VERSION, \
      "An object says for which version of the structures in orrery/devs.h it was compiled. Those\n" \
      "of another version cannot be read.", \
      "    orrery run model.orr --native filter_of_last_year.so", \
      "compile it again, with the headers that belong to this program.") \
    X(NATIVE_UNFIT, \
      "The atomic in the native object and the one declared in the model differ: in parameters, in\n" \
      "events, in the types of their messages, or a variable is missing. All must be the same, in\n" \
      "the same order.", \
      "    orrery run examples/native/smooth.orr --native other_smooth.so", \
      "change the declaration in the model, or the table in C, and compile that again.") \
    X(NATIVE_TWICE, \
      "Two objects have an atomic of the same name, and nothing says which is meant.", \
      "    orrery run model.orr --native filter.so --native filter.so", \
      "name only one of them, or rename the atomic in one.") \
    X(CLAIM_BROKEN, \
      "In one of many runs, of an ensemble or of replications, an 'assert' or a range of the frame did\n" \
      "not hold. The run goes on and counts, but its results lie outside what the model is made for.\n" \
      "Only the first such runs are told, and of each its first claim.", \
      "    model M\n" \
      "      param k ~ normal(1, 0.2)\n" \
      "      var x = 1\n" \
      "      x' = -k*x\n" \
      "      assert x > 0.3 \"the law holds for large x only\"\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "    end\n" \
      "    # orrery replicate m.orr", \
      "run it alone to see all: orrery run FILE --seed N --run I, with its settings.") \
    X(ISLAND_READS, \
      "Islands tell each other their values and slopes. Between two messages what an island reads goes on\n" \
      "along a straight line. Methods that choose their steps tell anew where it leaves their tolerance;\n" \
      "fixed steps tell at their ends. Here the line was far from the value that came next, so the\n" \
      "results are less accurate than the method promises.", \
      "    model Prey\n" \
      "      input y = 0\n" \
      "      var x = 1\n" \
      "      x' = -y\n" \
      "    end\n" \
      "    model Hunter\n" \
      "      input x = 1\n" \
      "      var y = 0\n" \
      "      y' = x\n" \
      "    end\n" \
      "    model M\n" \
      "      island a : Prey solver rk4 step 0.1\n" \
      "      island b : Hunter solver rk4 step 0.1\n" \
      "      a.x -> b.x\n" \
      "      b.y -> a.y\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 10\n" \
      "    end", \
      "declare them without 'island', so that they are solved together; or take shorter\n" \
      "steps until the warning's figure is small enough, or a method that chooses them, such as dopri5.") \
    X(ISLAND_ANEW, \
      "A message ends the step of an island. Multistep methods remember many steps and begin with\n" \
      "short ones of first order, so with a message at each step they are slow, and the small errors\n" \
      "of very many steps add up to more than the tolerance lets expect.", \
      "    model Prey\n" \
      "      input y = 0\n" \
      "      var x = 1\n" \
      "      x' = -y\n" \
      "    end\n" \
      "    model Hunter\n" \
      "      input x = 1\n" \
      "      var y = 0\n" \
      "      y' = x\n" \
      "    end\n" \
      "    model M\n" \
      "      island a : Prey solver bdf\n" \
      "      island b : Hunter solver bdf\n" \
      "      a.x -> b.x\n" \
      "      b.y -> a.y\n" \
      "    end\n" \
      "    experiment e of M\n" \
      "      until 1\n" \
      "    end", \
      "give the island a method of single steps, such as dopri5, or declare it without\n" \
      "'island'.") \
    X(STATE_SMALL, \
      "A solver that chooses its steps allows an absolute error in each state beside the relative one,\n" \
      "by default a thousandth of the tolerance times the size that the state seemed to have at the\n" \
      "start. A quantity that is always near it, such as moles in a cell, is noise,\n" \
      "or zero, or even negative, whatever its digits say.", \
      "    model Cell\n" \
      "      var A = 4e-12, B = 1e-12\n" \
      "      A' = -0.1*A\n" \
      "      B' = 0.1*A\n" \
      "    end\n" \
      "    experiment e of Cell\n" \
      "      until 10\n" \
      "      solver dopri5 abs 1e-9\n" \
      "    end", \
      "give no 'abs', or say how small matters: 'abs A = 1e-18' in the experiment; or write the\n" \
      "model in units in which its states are about 1.") \
    X(MOVE_HIDDEN, \
      "Transitions of a state are tried in the order written, and the first whose condition is true\n" \
      "is made. One without a condition hides those below it.", \
      "    atomic Gate\n" \
      "      input event car\n" \
      "      state open\n" \
      "        on car -> closed\n" \
      "        on car if car > 2 -> open\n" \
      "      state closed\n" \
      "        on car -> open\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "put the one with the condition first, or remove one.") \
    X(STATE_UNREACHED, \
      "No transition leads to this state, and the atomic does not start in it.", \
      "    atomic Lamp\n" \
      "      input event press\n" \
      "      state off\n" \
      "        on press -> off\n" \
      "      state lit\n" \
      "        on press -> off\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "add the transition that was meant, or remove the state.") \
    X(SELF_COUPLING, \
      "An arrow leads from a component to itself. Coupled models of P-DEVS exclude this; here the\n" \
      "message arrives at the instant at which it is sent, by the confluent transition.", \
      "    atomic Clock\n" \
      "      input event stop : nothing\n" \
      "      output event tick : nothing\n" \
      "      state waiting for 1\n" \
      "        on stop -> waiting\n" \
      "        after send tick -> waiting\n" \
      "    end\n" \
      "    model M\n" \
      "      clock : Clock\n" \
      "      clock.tick -> clock.stop\n" \
      "    end", \
      "let the transition that sends the message also do what the message would cause.") \
    X(PORT_UNUSED, \
      "An event is declared, but no state takes it, or none sends it.", \
      "    atomic Sink\n" \
      "      input event job, stop\n" \
      "      state waiting\n" \
      "        on job\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "use it, or remove the declaration. 'on stop' alone says that a state ignores it.") \
    X(CELL_UNASSIGNED, \
      "The variable is read, but nothing ever gives it a value: it is 0 for ever.", \
      "    atomic Source\n" \
      "      output event job\n" \
      "      var size\n" \
      "      state waiting for 1\n" \
      "        after send job(size) -> waiting\n" \
      "    end\n" \
      "    model M\n" \
      "      output y = 1\n" \
      "    end", \
      "give it a first value, var size = 1, or assign it in a 'do' block.")
// clang-format on
