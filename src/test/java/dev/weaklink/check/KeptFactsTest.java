package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.report.CheckJson;
import dev.weaklink.fleet.Audit;
import dev.weaklink.fleet.AuditReportBuilder.TargetAnswers;
import dev.weaklink.fleet.intake.ModuleTables;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.fleet.judge.AuditJudge;
import dev.weaklink.fleet.judge.AuditJudge.AuditRequest;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.system.cache.DirectoryCache;
import dev.weaklink.system.cache.DirectoryCache.KeptModule;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Records;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks with cached facts of earlier checks. The results must be the same as without a cache, whatever happens to the
 * files.
 */
class KeptFactsTest {
    private static final String RELEASE = "6.1.0-1-test";
    private static final int MANY = 60;
    private static final long HOUR = 3_600_000_000_000L;

    @TempDir
    Path directory;

    private Path cache;
    private Path modules;
    private Path root;

    @BeforeEach
    void installAKernelAndModules() throws IOException {
        cache = directory.resolve("cache");
        root = Files.createDirectory(directory.resolve("image"));
        TreeBuilder.in(root)
                .module(RELEASE, "kernel/own.ko", module("own", 5))
                .symvers(
                        SymversPlace.MODULES_XZ,
                        RELEASE,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5));
        modules = Files.createDirectory(directory.resolve("modules"));
        for (int i = 0; i < MANY; i++) {
            Files.write(file(i), module("m" + i, 5).build());
        }
    }

    private static ModuleBuilder module(String name, int printk) {
        return ModuleBuilder.typical(Machine.X86_64, name).importing("_printk", printk);
    }

    private Path file(int number) {
        return modules.resolve("m" + number + ".ko");
    }

    /** Returns a cache for which all files are old enough to be kept. */
    private FactsCache cache() {
        return cache(System.currentTimeMillis() * 1_000_000 + HOUR);
    }

    private FactsCache cache(long now) {
        try {
            int user = (int) Files.getAttribute(directory, "unix:uid");
            return FactsCache.in(cache, user, 1, () -> now);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private String check() {
        return check(cache());
    }

    private String check(FactsCache facts) {
        CheckRequest request = new CheckRequest(
                root,
                List.of(modules.toString()),
                List.of(RELEASE),
                null,
                false,
                Map.of(),
                List.of(),
                new ReadOptions(2, facts),
                InputStream.nullInputStream());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            CheckJson.writeLines(Checker.check(request, Progress.NONE), null, out, 1);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        facts.save();
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void matchUsesAndExtendsTheCacheOfCheck() throws IOException {
        FactsCache facts = cache();
        CheckRequest request = new CheckRequest(
                root,
                List.of(modules.toString()),
                List.of(RELEASE),
                null,
                false,
                Map.of(),
                List.of(),
                new ReadOptions(2, facts),
                InputStream.nullInputStream());
        assertThat(Matcher.match(request).builds().get(0).fit().id()).isEqualTo("fits");
        facts.save();
        assertThat(kept(7)).isNotNull();
    }

    private @Nullable KernelModule kept(int number) throws IOException {
        Path[] files = IntStream.range(0, MANY).mapToObj(this::file).toArray(Path[]::new);
        DirectoryCache shelf = Objects.requireNonNull(cache().shelves(files)[number]);
        FileIdentity identity = Objects.requireNonNull(FileIdentity.of(file(number)));
        KeptModule kept = shelf.find(identity, Origin.file("any"));
        return kept == null ? null : kept.module();
    }

    private Path segment() throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.findFirst().orElseThrow();
        }
    }

    @Test
    void secondCheckUsesTheCacheAndPrintsTheSame() throws IOException {
        String fresh = check(FactsCache.NONE);

        assertThat(check()).isEqualTo(fresh);
        KernelModule module = Objects.requireNonNull(kept(7));
        assertThat(module.structName()).isEqualTo("m7");
        assertThat(module.relocations().examined()).isTrue();
        assertThat(check()).isEqualTo(fresh);
        assertThat(fresh).contains("\"compatible\":" + MANY);
    }

    @Test
    void answersFromTheCacheAsFromTheImage() throws IOException {
        KernelSpec kernel = KernelSpec.of(Machine.X86_64)
                .released(RELEASE)
                .exporting(List.of(
                        new Export("module_layout", false, 0x11223344, ""), new Export("_printk", false, 5, "")))
                .saying(List.of("inheriting taint", "no flags for exported symbols"));
        TreeBuilder.in(root)
                .config(RELEASE, "CONFIG_MODVERSIONS=y")
                .file("boot/vmlinuz-" + RELEASE, KernelWriter.elf(kernel, true));
        String fresh = check(FactsCache.NONE);
        check();

        assertThat(fresh).contains("its message is in the image");
        assertThat(check()).isEqualTo(fresh);
    }

    @Test
    void writesNothingWithoutACache() {
        check(FactsCache.NONE);

        assertThat(cache).doesNotExist();
    }

    @Test
    void writesNothingIfTheCacheIsComplete() throws IOException {
        check();
        FileTime old = FileTime.fromMillis(1000);
        Files.setLastModifiedTime(segment(), old);

        check();

        assertThat(Files.getLastModifiedTime(segment())).isEqualTo(old);
    }

    @Test
    void readsARewrittenFileAgainDespiteEqualSizeAndTime() throws IOException {
        check();
        Path file = file(3);
        FileTime modified = Files.getLastModifiedTime(file);
        byte[] other = module("m3", 6).build();
        assertThat(other).hasSize((int) Files.size(file));

        Files.write(file, other, StandardOpenOption.WRITE);
        Files.setLastModifiedTime(file, modified);

        assertThat(check()).isEqualTo(check(FactsCache.NONE)).contains("\"incompatible\":1");
        assertThat(check()).isEqualTo(check(FactsCache.NONE)).contains("\"incompatible\":1");
    }

    @Test
    void readsAFileThatReplacedAnother() throws IOException {
        check();
        Path file = file(3);
        FileTime modified = Files.getLastModifiedTime(file);
        Path next = Files.write(modules.resolve("next"), module("m3", 6).build());
        Files.setLastModifiedTime(next, modified);

        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);

        assertThat(check()).isEqualTo(check(FactsCache.NONE)).contains("\"incompatible\":1");
    }

    @Test
    void filesThatSwapNamesSwapFacts() throws IOException {
        Files.write(file(3), module("m3", 6).build());
        check();
        Path aside = modules.resolve("aside");

        Files.move(file(3), aside);
        Files.move(file(4), file(3));
        Files.move(aside, file(4));

        assertThat(check()).isEqualTo(check(FactsCache.NONE)).contains("\"incompatible\":1");
    }

    @Test
    void judgesLinksLikeTheirFile() throws IOException {
        check();
        Files.createLink(modules.resolve("hard.ko"), file(1));
        Files.createSymbolicLink(modules.resolve("soft.ko"), file(2));

        assertThat(check()).isEqualTo(check(FactsCache.NONE));
        assertThat(check()).isEqualTo(check(FactsCache.NONE));
    }

    @Test
    void doesNotCacheAFileThatWasJustWritten() {
        check(cache(System.currentTimeMillis() * 1_000_000));

        assertThat(cache).doesNotExist();
    }

    @Test
    void ignoresAndReplacesADamagedCache() throws IOException {
        String fresh = check();
        byte[] bytes = Files.readAllBytes(segment());
        bytes[bytes.length / 2] ^= 4;
        Files.write(segment(), bytes);

        assertThat(kept(7)).isNull();
        assertThat(check()).isEqualTo(fresh);
        assertThat(kept(7)).isNotNull();
    }

    @Test
    void worksWithoutAWritableCache() throws IOException {
        Files.writeString(cache, "a file where the directory should be");

        assertThat(check()).isEqualTo(check(FactsCache.NONE));
        assertThat(cache).hasContent("a file where the directory should be");
    }

    @Test
    void forgetsRemovedFilesWhenOthersAreAdded() throws IOException {
        check();
        FileIdentity gone = Objects.requireNonNull(FileIdentity.of(file(3)));
        Files.delete(file(3));
        Files.write(modules.resolve("new.ko"), module("new", 5).build());
        check();

        Files.write(file(3), module("m3", 6).build());
        Path[] files = IntStream.range(0, MANY).mapToObj(this::file).toArray(Path[]::new);
        DirectoryCache shelf = Objects.requireNonNull(cache().shelves(files)[0]);
        assertThat(shelf.find(gone, Origin.file("any"))).isNull();
        assertThat(kept(7)).isNotNull();
    }

    @Test
    void concurrentChecksDoNotAffectEachOther() {
        String fresh = check(FactsCache.NONE);

        List<CompletableFuture<String>> runs = IntStream.range(0, 4)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> check() + check()))
                .toList();

        assertThat(runs).allSatisfy(run -> assertThat(run.join()).isEqualTo(fresh + fresh));
    }

    @Test
    void writesNothingIntoTheImage() throws IOException {
        List<Path> before = everythingBelow(root);
        check();

        assertThat(everythingBelow(root)).isEqualTo(before);
    }

    private static List<Path> everythingBelow(Path top) throws IOException {
        try (Stream<Path> files = Files.walk(top)) {
            return files.sorted().toList();
        }
    }

    @Test
    void auditCachesTheNodesModules() throws Exception {
        List<NodeInventory.Module> told = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            String digest = "sha256:" + sha256(Files.readAllBytes(file(i)));
            String path = "/lib/modules/x/extra/m" + i + ".ko";
            told.add(new NodeInventory.Module(
                    "x", "m" + i, path, true, null, null, digest, null, null, null, null, null));
        }
        Audit audit = new Audit();
        audit.add(
                "cn1",
                Records.of(NodeInventory.class, "running", "x", "modules", told, "policy", NodePolicy.PERMISSIVE));
        List<TargetAnswers> without = answers(audit, FactsCache.NONE);
        assertThat(without).hasSize(1);
        assertThat(without.get(0).answers().get(0).loads()).isEqualTo(MANY);
        assertThat(answers(audit, cache())).isEqualTo(without);
        assertThat(cache).isNotEmptyDirectory();
        assertThat(answers(audit, cache())).isEqualTo(without);
    }

    private List<TargetAnswers> answers(Audit audit, FactsCache facts) {
        AuditRequest request = new AuditRequest(
                root,
                List.of(RELEASE),
                null,
                Map.of(),
                List.of(),
                List.of(modules.toString()),
                false,
                new ReadOptions(2, facts));
        List<InputProblem> problems = new ArrayList<>();
        List<TargetAnswers> answers =
                AuditJudge.judge(request, audit.census().sets(), new ModuleTables(), problems, Progress.NONE);
        facts.save();
        assertThat(problems).isEmpty();
        return answers;
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
