package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.explain.CauseFinder;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles ten files that export functions, changed in 24 ways. genksyms and gendwarfksyms of the newest kernel's
 * source compute the CRCs. The first cause that weaklink names for a changed symbol must be among the types that the
 * generator itself reports as changed. Takes half a minute.
 */
class GeneratorsIT {
    private static final Path SCRIPT = Path.of("src/test/scripts/generators.sh").toAbsolutePath();
    private static final String SUITE = "trixie-backports";

    /** The packages for building gendwarfksyms. */
    private static final List<String> LIBRARIES =
            List.of("libdw-dev", "libdw1", "libelf-dev", "libelf1", "zlib1g-dev", "zlib1g");

    /** The headers by name. gendwarfksyms does not follow a struct that a .c file defines. */
    private static final Map<String, String> HEADERS = new TreeMap<>(Map.of(
            "base.h", """
              typedef unsigned char u8;
              typedef unsigned int u32;
              typedef struct { int raw; } lock_t;
              enum mode { MODE_A, MODE_B };
              """,
            "inner.h", """
              struct inner { int a; lock_t lock; };
              """,
            "dev.h", """
              struct hidden;
              struct dev {
                int id; unsigned char state; struct inner in; enum mode m;
                int (*cb)(struct dev *d, int x); struct hidden *h; struct dev *next;
              };
              """,
            "queue.h", """
              struct queue { struct dev *owner; struct buf *first; u32 flags : 3; u32 rest : 5; };
              """,
            "buf.h", """
              union word { long whole; u8 bytes[8]; };
              struct buf { union word head; struct { int from; int to; } range; struct queue *in; };
              """,
            "hidden.h", """
              struct hidden { long secret; struct queue *all; };
              """));

    /** The headers of each file, in this order; the file does not see the other headers. */
    private static final List<List<String>> FILES = List.of(
            List.of("base.h", "inner.h", "dev.h"),
            List.of("base.h", "inner.h", "dev.h", "hidden.h"),
            List.of("base.h", "queue.h"),
            List.of("base.h", "buf.h"),
            List.of("base.h", "buf.h", "queue.h"),
            List.of("base.h", "inner.h", "dev.h", "queue.h", "buf.h"),
            List.of("base.h", "inner.h"),
            List.of("base.h", "inner.h", "dev.h", "queue.h"),
            List.of("base.h", "hidden.h", "queue.h"),
            List.of("base.h", "inner.h", "dev.h", "queue.h", "buf.h", "hidden.h"));

    /** The exports of each file; {@code #} stands for the file's number. */
    private static final List<String> FUNCTIONS = List.of(
            "int dev_add#(struct dev *d, int how)",
            "void dev_mode#(enum mode m, u32 flags)",
            "struct queue *queue_of#(const struct dev *d)",
            "int queue_put#(struct queue *q, struct buf *b)",
            "long buf_word#(struct buf *b, union word *w)",
            "struct hidden *hidden_get#(struct inner *in, lock_t *lock)",
            "int call#(int (*open)(struct dev *d, struct buf *b), void *data)",
            "void other#(int x)");

    /** The edits: a header (or function), the old text, and the new text. */
    private static final List<List<String>> EDITS = List.of(
            List.of("dev.h", "int id;", "int id; int more;"),
            List.of("dev.h", "int id;", "int ident;"),
            List.of("dev.h", "unsigned char state", "u8 state"),
            List.of("base.h", "MODE_B }", "MODE_B, MODE_C }"),
            List.of("inner.h", "{ int a;", "{ int a; int b;"),
            List.of("", "int how)", "int how, int why)"),
            List.of("", "struct inner *in,", "struct inner *inside,"),
            List.of("hidden.h", "long secret;", "long secret; long other;"),
            List.of("queue.h", "u32 flags : 3;", "u32 flags : 4;"),
            List.of("buf.h", "u8 bytes[8]", "u8 bytes[16]"),
            List.of("buf.h", "int to; }", "long to; }"),
            List.of("base.h", "struct { int raw; } lock_t", "struct { long raw; } lock_t"));

    private static final Pattern VERSION = Pattern.compile("#SYMVER (\\w+) (0x[0-9a-f]+)");
    private static final Map<String, String> TAGS =
            Map.of("struct", "s#", "union", "u#", "enum", "e#", "typedef", "t#", "prototype", "");

    /** The output of one generator for all files: CRCs, and definitions by the names of types. */
    private record Seen(Map<String, String> crcs, Map<String, Map<String, String>> types) {
        Seen() {
            this(new TreeMap<>(), new TreeMap<>());
        }

        /** Returns the types that the symbol refers to in its file and whose definitions differ. */
        Set<String> roots(Seen now, String symbol) {
            Map<String, String> olds = Objects.requireNonNull(types.get(symbol));
            Map<String, String> news = Objects.requireNonNull(now.types.get(symbol));
            Set<String> roots = new HashSet<>();
            Set<String> met = new HashSet<>(Set.of(symbol));
            Deque<String> next = new ArrayDeque<>(met);
            while (!next.isEmpty()) {
                String name = next.remove();
                String text = olds.getOrDefault(name, "") + " " + news.getOrDefault(name, "");
                if (!olds.getOrDefault(name, "").equals(news.getOrDefault(name, ""))) {
                    roots.add(name);
                }
                for (String word : text.split(" ")) {
                    if (word.indexOf('#') == 1 && met.add(word)) {
                        next.add(word);
                    }
                }
            }
            return roots;
        }
    }

    /** The results of all files as one kernel. */
    private record Version(Seen genksyms, Seen gendwarfksyms, TypeGraph types) {}

    @TempDir
    Path scratch;

    private Path programs;

    @Test
    void firstCausesAreThoseThatEachGeneratorSaw() throws Exception {
        for (String tool : List.of("gcc", "ld", "flex", "bison", "pahole")) {
            ExternalTool.orSkip(tool);
        }
        build();

        int[] genksyms = new int[5];
        int[] gendwarfksyms = new int[5];
        Version before = version(0, List.of());
        for (int i = 0; i < EDITS.size(); i++) {
            List<String> first = EDITS.get(i);
            List<String> second = EDITS.get((i + 4) % EDITS.size());
            List<String> third = EDITS.get((i + 7) % EDITS.size());
            for (List<List<String>> edits : List.of(List.of(first), List.of(first, second, third))) {
                Version after = version(1 + 2 * i + edits.size() / 3, edits);
                score(before, after, true, genksyms);
                score(before, after, false, gendwarfksyms);
            }
        }
        say("genksyms", genksyms);
        say("gendwarfksyms", gendwarfksyms);
        for (int[] score : List.of(genksyms, gendwarfksyms)) {
            assertThat(score[0]).isGreaterThan(500);
            assertThat(score[1]).as("with a cause").isEqualTo(score[0]);
            // A wrong cause is a type that the symbol's file has not seen. BTF does not record this, so the cause must
            // be marked as a guess.
            assertThat(score[2] * 100).as("right").isGreaterThanOrEqualTo(score[0] * 90);
            assertThat(score[4]).as("wrong, but not called a guess").isZero();
            assertThat(score[3]).as("right, or one of three").isEqualTo(score[0]);
        }
    }

    private void build() throws IOException, InterruptedException {
        Optional<Path> source = SuitePackages.unpacked("generators", SUITE, List.of("linux-source-"));
        assumeThat(source).as("linux-source of " + SUITE).isPresent();
        Optional<Path> libraries = SuitePackages.unpacked("generators", "bookworm", LIBRARIES);
        assumeThat(libraries).as("libdw-dev of bookworm").isPresent();
        programs = Report.FETCHED.resolve("generators/programs");
        int built = run(
                scratch,
                "bash",
                SCRIPT.toString(),
                programs.toString(),
                source.orElseThrow().toString(),
                libraries.orElseThrow().toString());
        assumeThat(built).as("gendwarfksyms of linux-source of " + SUITE).isZero();
    }

    private static void say(String generator, int[] score) {
        Report.say(generator
                + ": "
                + score[0]
                + " changed, "
                + score[1]
                + " with a cause, "
                + score[2]
                + " right, "
                + score[3]
                + " with a right one of three");
    }

    /**
     * Counts symbols: changed, with a cause, with a right first cause, and with a right cause among three. Also counts
     * symbols with a wrong first cause that is not marked as a guess.
     */
    private static void score(Version before, Version after, boolean genksyms, int[] score) {
        Seen was = genksyms ? before.genksyms : before.gendwarfksyms;
        Seen is = genksyms ? after.genksyms : after.gendwarfksyms;
        List<String> changed = new ArrayList<>();
        List<String> unchanged = new ArrayList<>();
        was.crcs.forEach((symbol, crc) -> (crc.equals(is.crcs.get(symbol)) ? unchanged : changed).add(symbol));
        Map<String, CrcCause> causes =
                new CauseFinder(before.types, after.types, null, genksyms).find(changed, unchanged, 1);
        for (String symbol : changed) {
            CrcCause cause = causes.get(symbol);
            Set<String> roots = was.roots(is, symbol);
            score[0]++;
            if (cause != null) {
                boolean right = roots.contains(key(cause.change()));
                boolean among = cause.others().stream().anyMatch(other -> roots.contains(key(other)));
                score[1]++;
                score[2] += right ? 1 : 0;
                score[3] += right || among ? 1 : 0;
                score[4] += right || cause.certainty() == CrcCause.Certainty.GUESS ? 0 : 1;
            }
        }
    }

    private static String key(TypeChange change) {
        return TAGS.get(change.kind()) + change.name();
    }

    /** Compiles all files with these edits. */
    private Version version(int number, List<List<String>> edits) throws Exception {
        Path directory = Files.createDirectory(scratch.resolve("version" + number));
        for (Map.Entry<String, String> header : HEADERS.entrySet()) {
            Files.writeString(directory.resolve(header.getKey()), edited(header.getKey(), header.getValue(), edits));
        }
        Seen genksyms = new Seen();
        Seen gendwarfksyms = new Seen();
        List<String> link = new ArrayList<>(List.of("ld", "-r", "-o", "all.o"));
        for (int i = 0; i < FILES.size(); i++) {
            List<String> exports = new ArrayList<>();
            Files.writeString(directory.resolve(i + ".c"), source(i, edits, exports));
            assertThat(run(directory, "gcc", "-w", "-g", "-O1", "-c", i + ".c")).isZero();
            assertThat(run(directory, "gcc", "-w", "-E", "-P", "-D__GENKSYMS__", i + ".c", "-o", i + ".i"))
                    .isZero();
            ask(directory, "genksyms", List.of(), i + ".i", exports, genksyms);
            Files.write(directory.resolve(i + ".exports"), exports);
            ask(directory, "gendwarfksyms", List.of(i + ".o"), i + ".exports", exports, gendwarfksyms);
            // The last object file sees all types complete, as in a kernel.
            link.add(4, i + ".o");
        }
        assertThat(run(directory, link.toArray(new String[0]))).isZero();
        assertThat(run(directory, "pahole", "--btf_encode_detached=all.btf", "all.o"))
                .isZero();
        TypeGraph types = TypeGraph.of(Btf.read(ByteBuffer.wrap(Files.readAllBytes(directory.resolve("all.btf")))));
        return new Version(genksyms, gendwarfksyms, types);
    }

    private static String edited(String file, String text, List<List<String>> edits) {
        String edited = text;
        for (List<String> edit : edits) {
            if (edit.get(0).equals(file)) {
                edited = edited.replace(edit.get(1), edit.get(2));
            }
        }
        return edited;
    }

    private static String source(int file, List<List<String>> edits, List<String> exports) {
        StringBuilder text = new StringBuilder("struct dev; struct queue; struct buf; struct inner;\n");
        text.append("struct hidden; union word;\n");
        FILES.get(file)
                .forEach(header -> text.append("#include \"").append(header).append("\"\n"));
        for (String function : FUNCTIONS) {
            String declared = edited("", function, edits).replace("#", String.valueOf(file));
            String name = declared.substring(0, declared.indexOf('('));
            name = name.substring(Math.max(name.lastIndexOf(' '), name.lastIndexOf('*')) + 1);
            exports.add(name);
            text.append(declared).append(declared.startsWith("void ") ? " { }\n" : " { return 0; }\n");
            text.append("#ifdef __GENKSYMS__\n__GENKSYMS_EXPORT_SYMBOL(").append(name);
            text.append(");\n#endif\n");
        }
        return text.toString();
    }

    /** Records the output of a generator for one file. */
    private void ask(
            Path directory, String generator, List<String> objects, String input, List<String> exports, Seen seen)
            throws IOException, InterruptedException {
        Path types = directory.resolve(input + "." + generator);
        List<String> command = new ArrayList<>();
        command.addAll(List.of(programs.resolve(generator).toString(), "-T", types.toString()));
        command.addAll(objects);
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(directory.resolve(input).toFile())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.waitFor()).as(generator).isZero();
        Map<String, String> texts = new HashMap<>();
        for (String line : Files.readAllLines(types)) {
            int blank = line.indexOf(' ');
            texts.put(line.substring(0, blank), line.substring(blank + 1).strip());
        }
        Matcher matcher = VERSION.matcher(Files.readString(output));
        while (matcher.find()) {
            seen.crcs.put(matcher.group(1), matcher.group(2));
            seen.types.put(matcher.group(1), texts);
        }
        assertThat(seen.crcs.keySet()).containsAll(exports);
    }

    private static int run(Path directory, String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .inheritIO()
                .start()
                .waitFor();
    }
}
