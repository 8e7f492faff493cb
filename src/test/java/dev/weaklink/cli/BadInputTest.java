package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the whole program on damaged modules; more cases are in test-fixtures/cases/command. */
class BadInputTest {
    private static final String RELEASE = "6.1.0-1-test";
    private static final ModuleBuilder GOOD =
            ModuleBuilder.typical(Machine.X86_64, "good").importing("_printk", 5);

    @TempDir
    Path directory;

    /** An empty root directory, so that the signature policy of this machine does not count. */
    @TempDir
    Path elsewhere;

    private Path symvers;

    @BeforeEach
    void writeSymvers() throws IOException {
        symvers = Files.write(directory.resolve("Module.symvers"), exports().bytes());
    }

    private static SymversBuilder exports() {
        return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5);
    }

    private Path file(String name, byte[] content) throws IOException {
        return Files.write(directory.resolve(name), content);
    }

    private Path good(String name) throws IOException {
        return file(name, GOOD.build());
    }

    private WholeRun check(Object... modules) {
        return checkIn("table", modules);
    }

    private WholeRun checkIn(String format, Object... modules) {
        List<String> words = new ArrayList<>(List.of("check", "--kernel", symvers.toString(), "--format", format));
        words.addAll(List.of("--root", elsewhere.toString()));
        for (Object module : modules) {
            words.add(module.toString());
        }
        return WholeRun.of(words.toArray(new String[0]));
    }

    /** Returns the lines of the only verdict of a run that prints nothing else. */
    private static List<String> onlyVerdict(WholeRun run) {
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("\n1 verdict: ");
        String verdict = run.out().split("\n\n")[1];
        return verdict.lines().map(String::strip).toList();
    }

    @Test
    void loadsTheGoodModuleOfTheseTests() throws IOException {
        WholeRun run = check(good("good.ko"));
        assertThat(run.status()).isZero();
        assertThat(run.err()).isEmpty();
    }

    @Test
    void judgesEveryTruncationOfAModuleAndLoadsNone() throws IOException {
        byte[] whole = GOOD.build();
        for (int length : new int[] {1, 16, 63, 64, whole.length / 2, whole.length - 1}) {
            WholeRun run = check(file("cut.ko", Arrays.copyOf(whole, length)));
            assertThat(run.status()).as("exit status at length %d", length).isEqualTo(1);
            assertThat(run.err()).isEmpty();
        }
    }

    @Test
    void damagedCompressedFilesAreUndetermined() throws IOException {
        for (Compression compression : Compression.values()) {
            if (compression == Compression.NONE) {
                continue;
            }
            byte[] packed = compression.compress(GOOD.build());
            Path cut = file("cut.ko", Arrays.copyOf(packed, packed.length / 2));
            WholeRun run = check(cut);
            assertThat(run.status()).as(compression.name()).isEqualTo(2);
            assertThat(onlyVerdict(run)).hasSize(2).startsWith("UNDETERMINED  cut  " + cut);
        }
    }

    @Test
    void refusesAModuleOfTheOtherByteOrder() throws IOException {
        Path root = installed().root();
        Path foreign = file(
                "foreign.ko", ModuleBuilder.typical(Machine.S390X, "foreign").build());
        WholeRun run = WholeRun.of("check", "--root", root.toString(), foreign.toString());
        assertThat(run.status()).isEqualTo(1);
        assertThat(onlyVerdict(run))
                .containsExactly(
                        "INCOMPATIBLE  foreign (ENOEXEC)  " + foreign,
                        "architecture: built for s390x, the kernel is x86_64 (wanted s390x; the",
                        "kernel offers x86_64)",
                        "dmesg: Invalid ELF header type: 256 != 1");
    }

    /** x86 kernels read every file as little-endian and never check EI_DATA. */
    @Test
    void ignoresAWrongByteOrderMarkLikeTheLoader() throws IOException {
        byte[] marked = GOOD.build();
        marked[5] = 2;
        WholeRun run = check(file("marked.ko", marked));
        assertThat(run.status()).isZero();
        assertThat(onlyVerdict(run)).hasSize(1);
    }

    @Test
    void reportsAnImpossiblyLargeSection() throws IOException {
        byte[] crafted = GOOD.build();
        ByteBuffer elf = ByteBuffer.wrap(crafted).order(ByteOrder.LITTLE_ENDIAN);
        int secondHeader = (int) elf.getLong(40) + 64;
        elf.putLong(secondHeader + 32, 1L << 60);
        Path huge = file("huge.ko", crafted);
        WholeRun run = check(huge, good("good.ko"));
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.at(directory)).isEqualTo(new WholeRun(1, """
                DIR/Module.symvers (symvers file): 2 symbols of vmlinux
                  assumed: signature-policy=permissive, signature enforcement of the machine is
                    unknown

                INCOMPATIBLE  good (ENOEXEC)  DIR/huge.ko
                    elf: a section is outside the file, which may be truncated
                      dmesg: Invalid ELF section in module (section 1 type 1)
                COMPATIBLE    good  DIR/good.ko

                Not checked: architecture (2 modules), relocation (1 module),
                  vermagic (1 module)

                2 verdicts: 1 compatible, 1 incompatible
                Next: get intact copies of the incompatible files, or build them again.
                """, ""));
    }

    @Test
    void doesNotWaitForAFifo() throws Exception {
        Path fifo = directory.resolve("pipe.ko");
        assumeThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor())
                .isZero();
        WholeRun run = check(fifo);
        assertThat(run.status()).isEqualTo(2);
        assertThat(onlyVerdict(run)).containsExactly("UNDETERMINED  pipe  " + fifo, "input: not a regular file");

        WholeRun below = check(directory);
        assertThat(below.messages()).containsExactly(fifo + ": not a regular file");
        String[] words = {"check", "--kernel", fifo.toString(), fifo.toString(), "--root", "" + elsewhere};
        assertThat(WholeRun.of(words).messages()).containsExactly(fifo + ": not a regular file");
    }

    @Test
    void reportsAnUnreadableFile() throws Exception {
        Path secret = good("secret.ko");
        Files.setPosixFilePermissions(secret, Set.of());
        assumeThat(Files.isReadable(secret)).as("not root").isFalse();
        WholeRun run = check(secret);
        assertThat(run.status()).isEqualTo(2);
        assertThat(onlyVerdict(run)).containsExactly("UNDETERMINED  secret  " + secret, "input: permission denied");
    }

    @Test
    void controlCharactersInNamesReachNoTerminal() throws IOException {
        Path nasty = Files.createDirectory(directory.resolve("d"));
        Files.write(nasty.resolve("x\033[31m\ny.ko"), GOOD.build());
        Files.write(nasty.resolve("\u202etxt.ko"), new byte[] {1});
        Path broken = Files.createSymbolicLink(nasty.resolve("\007.ko"), Path.of("no\033where"));
        WholeRun run = check(nasty);
        assertThat(run.out() + run.err()).doesNotContain("\033", "\007", "\u202e");
        assertThat(run.at(directory))
                .isEqualTo(new WholeRun(1, """
                DIR/Module.symvers (symvers file): 2 symbols of vmlinux
                  assumed: signature-policy=permissive, signature enforcement of the machine is
                    unknown

                COMPATIBLE    good  DIR/d/x\\x1b[31m\\x0ay.ko
                INCOMPATIBLE  \\u202etxt (ENOEXEC)  DIR/d/\\u202etxt.ko
                    elf: too short to be an ELF file
                      dmesg: Invalid ELF header len 1

                Not checked: architecture (1 module), relocation (1 module), vermagic (1 module)

                2 verdicts: 1 compatible, 1 incompatible
                Next: get intact copies of the incompatible files, or build them again.
                """, "weaklink: DIR/d/\\x07.ko: dangling link to no\\x1bwhere\n"));
        assertThat(run.messages()).containsExactly(nasty + "/\\x07.ko: dangling link to no\\x1bwhere");
        assertThat(broken).isSymbolicLink();
    }

    @Test
    void writesAnyNameAsValidJson() throws Exception {
        Path nasty = Files.createDirectory(directory.resolve("d"));
        Files.write(nasty.resolve("x\033\n\"y.ko"), GOOD.build());
        String script = "cp \"$1\" \"$2/$(printf 'caf\\351\\377').ko\"";
        Process copy =
                new ProcessBuilder("sh", "-c", script, "sh", good("good.ko").toString(), nasty.toString()).start();
        assumeThat(copy.waitFor()).isZero();
        WholeRun run = checkIn("ndjson", nasty);
        assertThat(run.status()).isZero();
        List<String> files = new ArrayList<>();
        for (String line : run.out().split("\n")) {
            JsonNode json = new ObjectMapper().readTree(line);
            if (json.get("schema").asText().startsWith("weaklink.verdict/")) {
                files.add(json.get("file").asText());
            }
        }
        assertThat(files).hasSize(2).contains(nasty + "/x\033\n\"y.ko");
    }

    private TreeBuilder installed() throws IOException {
        return TreeBuilder.in(Files.createDirectory(directory.resolve("root")))
                .symvers(TreeBuilder.SymversPlace.MODULES_GZIP, RELEASE, exports())
                .module(RELEASE, "kernel/own.ko", ModuleBuilder.typical(Machine.X86_64, "own"));
    }

    /** /proc/kmsg has the type of a regular file, but each read waits for the kernel's next message. */
    @Test
    @Timeout(60)
    void doesNotReadVirtualFilesOfTheKernel() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("kmsg.ko"), Path.of("/proc/kmsg"));
        WholeRun run = check(link, good("good.ko"));
        assertThat(run.out()).contains("is a virtual file of the kernel, not on a disk");
        assertThat(run.status()).isEqualTo(3);
        for (String command : List.of("audit", "inspect")) {
            WholeRun other = WholeRun.of(command, link.toString());
            assertThat(other.out() + other.err())
                    .as(command)
                    .contains("is a virtual file of the kernel, not on a disk");
        }
    }

    @Test
    @Timeout(60)
    void refusesAnEndlessAuditByItsSize() throws IOException {
        Path sparse = directory.resolve("nodes.jsonl");
        try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
            file.setLength(1L << 40);
        }
        assertThat(WholeRun.of("audit", sparse.toString()).err())
                .contains("longer than the limit of 68719476736 bytes");
    }
}
