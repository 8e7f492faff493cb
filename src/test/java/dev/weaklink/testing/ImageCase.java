package dev.weaklink.testing;

import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.system.initramfs.CpioWriter;
import dev.weaklink.system.offers.RpmMetadata;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A case of {@code test-fixtures/cases}: an image described in text, a question about it, and after a line of dashes
 * the whole answer. The README there documents the syntax.
 */
public final class ImageCase {
    private static final Path CASES = Path.of("test-fixtures", "cases");
    private static final String SUFFIX = ".case";
    private static final String ANSWER = "----\n";
    private static final String RENEW = "renew-cases";
    private static final byte[] BROKEN_XZ = {(byte) 0xfd, '7', 'z', 'X', 'Z', 0};
    private static final int MODULE_LAYOUT = 0x11223344;

    private final Path file;
    private final String question;
    private final String answer;
    private final List<String> nodes = new ArrayList<>();
    private final Map<String, CTypes> types = new HashMap<>();

    /** A line without indentation, and the indented lines below it. */
    public record Entry(List<String> words, List<String> lines) {
        String word(int index) {
            return words.get(index);
        }

        /** Returns the words after the first. */
        public List<String> rest() {
            return words.subList(1, words.size());
        }
    }

    private ImageCase(Path file, String question, String answer) {
        this.file = file;
        this.question = question;
        this.answer = answer;
    }

    /** Returns the names of the cases in a directory, sorted. */
    public static List<String> names(String directory) throws IOException {
        try (Stream<Path> files = Files.list(CASES.resolve(directory))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(SUFFIX))
                    .map(name -> name.substring(0, name.length() - SUFFIX.length()))
                    .sorted()
                    .toList();
        }
    }

    public static ImageCase read(String directory, String name) throws IOException {
        Path file = CASES.resolve(directory).resolve(name + SUFFIX);
        String text = Files.readString(file);
        int end = text.indexOf("\n" + ANSWER);
        return end < 0
                ? new ImageCase(file, text, "")
                : new ImageCase(file, text.substring(0, end + 1), text.substring(end + 1 + ANSWER.length()));
    }

    /**
     * Returns the expected answer. With the property {@code renew-cases}, writes the actual answer into the case and
     * returns it.
     */
    public String expected(String answered) throws IOException {
        if (System.getProperty(RENEW) == null) {
            return answer;
        }
        Files.writeString(file, question + ANSWER + answered);
        return answered;
    }

    /** Returns the words after this first word of a line; empty if no line begins with the word. */
    public List<String> words(String first) {
        for (Entry entry : entries()) {
            if (entry.word(0).equals(first)) {
                return entry.rest();
            }
        }
        return List.of();
    }

    /** Returns the entries that begin with a word, in order. */
    public List<Entry> all(String first) {
        return entries().stream().filter(entry -> entry.word(0).equals(first)).toList();
    }

    public TreeBuilder build(Path root) {
        return build(root, entry -> {});
    }

    /** Makes the image, and calls {@code asked} after each entry, so that a question can be about the image so far. */
    public TreeBuilder build(Path root, Consumer<Entry> asked) {
        TreeBuilder image = TreeBuilder.in(root);
        image.depmodConfig("dist.conf", "search updates extra built-in weak-updates");
        for (Entry entry : entries()) {
            add(entry, image);
            asked.accept(entry);
        }
        return image;
    }

    /** Returns the nodes' reports, one line for each node; call {@link #build} before. */
    public String nodes() {
        return text(nodes);
    }

    private void add(Entry entry, TreeBuilder image) {
        switch (entry.word(0)) {
            case "kernels" -> entry.rest().forEach(k -> kernel(k, entry, image));
            case "module" -> module(entry.word(1), entry.word(2), entry, image);
            case "broken" -> image.module(entry.word(1), entry.word(2), BROKEN_XZ, Compression.NONE);
            case "link" -> link(image.modules(entry.word(1)).resolve(entry.word(2)), entry.word(4));
            case "symlink" ->
                link(
                        image.root().resolve(entry.word(1)),
                        entry.word(3).replace("ROOT", image.root().toString()));
            case "remove" -> entry.rest().forEach(path -> remove(image.root().resolve(path)));
            case "program" -> program(image.root().resolve(entry.word(1)), text(entry.lines()));
            case "tar" -> image.file(entry.word(1), tar(entry, image.root()));
            case "cut" -> cut(image.root().resolve(entry.word(1)), Integer.decode(entry.word(2)));
            case "cpio" -> image.file(entry.word(1), cpio(entry, image.root()));
            case "seen" ->
                image.modulesDep(
                        entry.word(1),
                        entry.words().subList(2, entry.words().size()).toArray(new String[0]));
            case "file" -> image.file(entry.word(1), text(entry.lines()).getBytes());
            case "symvers" -> image.file(entry.word(1), symvers(entry).bytes());
            case "says" -> nodes.add(String.join(" ", entry.rest()));
            case "node" -> nodes.add(node(entry).line(entry.word(1)));
            case "types" -> types(entry, image);
            case "certificate" -> image.file(entry.word(1), key(entry.word(2)).certificate());
            case "image" -> image.file(entry.word(1), kernelImage(entry));
            case "build-tree" -> buildTree(entry, image);
            case "repository" -> repository(entry, image.root());
            case "dkms" -> dkms(entry, image);
            case "ask", "apply", "rebuild", "explain", "check", "programs", "log" -> {}
            case "run", "show", "needs", "fault", "ready", "set" -> {}
            default -> throw new IllegalArgumentException(String.join(" ", entry.words()));
        }
    }

    private static String text(List<String> lines) {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    private static SymversBuilder symvers(Entry entry) {
        return addRows(
                entry,
                new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                        .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, MODULE_LAYOUT));
    }

    private static SymversBuilder addRows(Entry entry, SymversBuilder symvers) {
        for (String line : entry.lines()) {
            String[] export = line.strip().split(" ");
            symvers.row(new SymversBuilder.Row(
                    crc(export[1]),
                    export[0],
                    export.length > 2 ? export[2] : "vmlinux",
                    export.length > 3 ? SymversBuilder.Kind.valueOf(export[3]) : SymversBuilder.Kind.EXPORT_SYMBOL,
                    export.length > 4 ? export[4] : null));
        }
        return symvers;
    }

    private static int crc(String word) {
        return Long.decode(word).intValue();
    }

    private static void kernel(String release, Entry entry, TreeBuilder image) {
        boolean hasLayout = entry.lines().stream().anyMatch(line -> line.strip().startsWith("module_layout "));
        image.module(release, "kernel/own.ko", named("own", release))
                .modulesOrder(release, List.of("kernel/own.ko"))
                .builtin(release, List.of())
                .file("lib/modules/" + release + "/modules.builtin.modinfo", new byte[0])
                .symvers(
                        SymversPlace.MODULES_XZ,
                        release,
                        hasLayout
                                ? addRows(entry, new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST))
                                : symvers(entry));
    }

    /** Adds the kernel image with these types; the image has no BTF if there are no types. */
    private void types(Entry entry, TreeBuilder image) {
        String release = entry.word(1);
        List<String> declared = new ArrayList<>(entry.lines());
        declared.removeIf(line -> line.startsWith("config "));
        CTypes read = CTypes.of(declared);
        types.put(release, read);
        KernelSpec kernel = KernelSpec.of(machine(release)).released(release);
        List<KernelSpec.Export> exports = List.of(
                new KernelSpec.Export("module_layout", false, MODULE_LAYOUT, ""),
                new KernelSpec.Export("__pci_register_driver", false, 1, ""));
        List<String> texts = new ArrayList<>(KernelSpec.usualTexts());
        texts.addAll(builtIn(entry.lines()));
        KernelSpec spec = kernel.exporting(exports).saying(texts);
        image.file(
                "boot/vmlinuz-" + release,
                declared.isEmpty() ? KernelWriter.elf(spec, true) : KernelWriter.elf(spec, read.btf()));
    }

    /** Returns the configuration in lines {@code config LINE} as a kernel contains it (kernel/configs.c). */
    private static List<String> builtIn(List<String> lines) {
        StringBuilder config = new StringBuilder();
        for (String line : lines) {
            if (line.startsWith("config ")) {
                config.append(line.substring("config ".length())).append('\n');
            }
        }
        byte[] packed = Packing.GZIP.pack(config.toString().getBytes(StandardCharsets.ISO_8859_1));
        return config.isEmpty()
                ? List.of()
                : List.of("IKCFG_ST" + new String(packed, StandardCharsets.ISO_8859_1) + "IKCFG_ED");
    }

    /** Parses {@code image PATH RELEASE}, with lines of {@code SYMBOL CRC [GPL [SPACE]]} or {@code trusts build}. */
    private static byte[] kernelImage(Entry entry) {
        if (entry.lines().contains("trusts build")) {
            return SignedKernels.image(entry.word(2), SignedKernels.BUILD);
        }
        List<KernelSpec.Export> exports = new ArrayList<>();
        if (entry.lines().stream().noneMatch(line -> line.startsWith("module_layout "))) {
            exports.add(new KernelSpec.Export("module_layout", false, MODULE_LAYOUT, ""));
        }
        for (String line : entry.lines()) {
            String[] words = line.split(" ");
            String space = words.length > 3 ? words[3] : "";
            exports.add(new KernelSpec.Export(words[0], words.length > 2, crc(words[1]), space));
        }
        KernelSpec kernel =
                KernelSpec.of(Machine.X86_64).released(entry.word(2)).exporting(exports);
        return Payloads.bzImage(Packing.ZSTD.packWithSize(KernelWriter.elf(kernel, true)));
    }

    private static NodeLines node(Entry entry) {
        String release = entry.word(2);
        NodeLines node = new NodeLines(release);
        for (String line : entry.lines()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "kernel" -> node.kernel(words[1]);
                case "on" -> release = words[1];
                case "module" -> node.told(release, reported(release, words));
                case "unknown" -> node.module(release, words[1], words[2]);
                case "dangling" -> node.danglingLink(release, words[1]);
                case "loaded" -> node.loaded(words[1], words[2]);
                case "dkms" -> node.dkms(words[1], words[2], after(line, 3));
                case "trial" -> node.trial(words[1], words[2], words[3], words[4], after(line, 5));
                default -> throw new IllegalArgumentException(line);
            }
        }
        return node;
    }

    /** Returns a line without its first words. */
    private static String after(String line, int words) {
        String[] parts = line.split(" ", words + 1);
        return parts.length > words ? parts[words] : "";
    }

    /** Parses {@code module NAME [SYMBOL CRC]... [exports [SYMBOL CRC]...]}. */
    private static NodeLines.Told reported(String release, String... words) {
        NodeLines.Told module = new NodeLines.Told(words[1], release + " SMP mod_unload modversions ")
                .version("module_layout", MODULE_LAYOUT);
        boolean exports = false;
        for (int i = 2; i < words.length; i += 2) {
            if (words[i].equals("exports")) {
                exports = true;
                module.export();
                i--;
            } else if (exports) {
                module.export(words[i], crc(words[i + 1]));
            } else {
                module.version(words[i], crc(words[i + 1]));
            }
        }
        return module;
    }

    private static Machine machine(String release) {
        return release.endsWith("-arm64") ? Machine.AARCH64 : Machine.X86_64;
    }

    private static ModuleBuilder named(String name, String release) {
        return ModuleBuilder.typical(machine(release), name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    /** Adds a module, compressed according to its file name. */
    private void module(String release, String path, Entry entry, TreeBuilder image) {
        int end = path.lastIndexOf(".ko") + ".ko".length();
        String name = path.substring(path.lastIndexOf('/') + 1, end - ".ko".length());
        byte[] file = signed(
                module(named(name.replace('-', '_'), release), release, entry).build(), entry);
        Compression packed = switch (path.substring(end)) {
            case ".gz" -> Compression.GZIP;
            case ".xz" -> entry.lines().contains("xz-check crc64") ? Compression.XZ_CRC64 : Compression.XZ_CRC32;
            case ".zst" -> Compression.ZSTD;
            default -> Compression.NONE;
        };
        if (entry.lines().contains("two-streams")) {
            image.file("lib/modules/" + release + "/" + path, packed.compressInTwo(file));
        } else {
            image.module(release, path.substring(0, end), file, packed);
        }
    }

    /** Applies the lines {@code signed KEY} and {@code changed}, which damages the module after signing. */
    private static byte[] signed(byte[] module, Entry entry) {
        byte[] file = module;
        for (String line : entry.lines()) {
            if (line.startsWith("signed ")) {
                file = key(line.substring("signed ".length())).sign(file);
            } else if (line.equals("changed")) {
                file[file.length - 60] ^= 1;
            }
        }
        return file;
    }

    private static SigningKey key(String name) {
        return name.equals("build") ? SignedKernels.BUILD : SignedKernels.OTHER;
    }

    private ModuleBuilder module(ModuleBuilder module, String release, Entry entry) {
        List<String> declared = new ArrayList<>();
        for (String line : entry.lines()) {
            String[] words = line.strip().split(" ", 3);
            switch (words[0]) {
                case "imports" -> {
                    if (words[1].equals("module_layout")) {
                        module.changedVersion(words[1], crc(words[2]));
                    } else {
                        module.importing(words[1], crc(words[2]));
                    }
                }
                case "exports" -> module.exporting(words[1], Export.Table.NORMAL, crc(words[2]));
                case "without" -> module.withoutModInfo(words[1]);
                case "modinfo" -> module.modInfo(line.stripLeading().substring("modinfo ".length()));
                case "per-cpu" ->
                    module.table(new ModuleSpec.Table(".data..percpu", "counters", crc(words[1]), Map.of()));
                case "table" -> module.table(table(line.strip().split(" ")));
                case "function" -> module.function(function(line.strip().split(" +")));
                case "signed", "changed", "xz-check", "two-streams" -> {}
                case "type" -> declared.add(line.strip().substring("type ".length()));
                default -> throw new IllegalArgumentException(line);
            }
        }
        CTypes kernels = declared.isEmpty() ? null : types.get(release);
        return kernels == null
                ? module
                : module.oddities(
                        Oddities.NONE.andBtf(kernels.split(declared).btf().build(ByteOrder.LITTLE_ENDIAN)));
    }

    /** Parses {@code table NAME SIZE [OFFSET=NAME]...}. */
    private static ModuleSpec.Table table(String... words) {
        Map<Integer, String> slots = new TreeMap<>();
        for (String word : Arrays.asList(words).subList(3, words.length)) {
            String[] slot = word.split("=");
            slots.put(Integer.decode(slot[0]), slot[1]);
        }
        return new ModuleSpec.Table(words[1], Integer.decode(words[2]), slots);
    }

    /** Parses {@code function NAME SYMBOL...}. */
    private static ModuleSpec.Code function(String... words) {
        return new ModuleSpec.Code(words[1], Arrays.asList(words).subList(2, words.length));
    }

    private static void link(Path link, String target) {
        try {
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, Path.of(target));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void cut(Path path, int bytes) {
        try {
            Files.write(path, Arrays.copyOf(Files.readAllBytes(path), bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void program(Path path, String script) {
        try {
            Files.createDirectories(path.getParent());
            Files.writeString(path, script);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Parses {@code cpio PATH [NAME=]FILE...}; the files have their current contents. */
    private static byte[] cpio(Entry entry, Path root) {
        CpioWriter archive = new CpioWriter();
        files(entry, root, (name, contents) -> archive.entry(CpioWriter.FILE, name, contents));
        return archive.end();
    }

    /** Parses {@code tar PATH [NAME=]FILE...}; the files have their current contents. */
    private static byte[] tar(Entry entry, Path root) {
        TarWriter archive = new TarWriter();
        files(entry, root, (name, contents) -> archive.file("./" + name, contents));
        return archive.bytes();
    }

    private static void files(Entry entry, Path root, BiConsumer<String, byte[]> archive) {
        for (String file : entry.words().subList(2, entry.words().size())) {
            int end = file.indexOf('=');
            String name = end < 0 ? "usr/" + file : file.substring(0, end);
            try {
                archive.accept(name, Files.readAllBytes(root.resolve(file.substring(end + 1))));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void buildTree(Entry entry, TreeBuilder image) {
        String header = "#define UTS_RELEASE \"" + entry.word(1) + "\"\n";
        image.file(entry.word(2) + "/Makefile", new byte[0])
                .file(entry.word(2) + "/include/generated/utsrelease.h", header.getBytes());
    }

    /**
     * Writes repository metadata from lines such as {@code kernel RELEASE [PROVIDES]...}; the README lists all of them.
     */
    private static void repository(Entry entry, Path root) {
        RpmMetadata metadata = new RpmMetadata();
        for (String line : entry.lines()) {
            List<String> words = Arrays.asList(line.split(" "));
            String[] provides =
                    words.subList(Math.min(words.size(), words.get(0).equals("package") ? 4 : 2), words.size()).stream()
                            .map(word -> word.replace("=", " = "))
                            .toArray(String[]::new);
            switch (words.get(0)) {
                case "kernel" -> metadata.kernel(words.get(1), RpmMetadata.many(provides));
                case "incomplete" -> metadata.kernel(words.get(1), provides);
                case "package" -> metadata.add(words.get(1), words.get(2), words.get(3), provides);
                case "driver" -> metadata.driver(words.get(1), provides[0], provides[1]);
                default -> throw new IllegalArgumentException(line);
            }
        }
        try {
            metadata.write(root);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds a DKMS package: its dkms.conf and its installed builds. */
    private static void dkms(Entry entry, TreeBuilder image) {
        List<String> conf = new ArrayList<>(entry.lines());
        conf.removeIf(line -> line.startsWith("installed "));
        String name = "var/lib/dkms/" + entry.word(1);
        image.file(name + "/" + entry.word(2) + "/source/dkms.conf", text(conf).getBytes());
        for (String line : entry.lines()) {
            String[] words = line.split(" ");
            for (int i = 2; words[0].equals("installed") && i < words.length; i++) {
                String build = entry.word(2) + "/" + words[1] + "/x86_64";
                image.file(name + "/" + build + "/module/" + words[i] + ".ko", new byte[0]);
                Path link = image.root().resolve(name + "/kernel-" + words[1] + "-x86_64");
                if (i == 2) {
                    link(link, build);
                }
            }
        }
    }

    private List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        int empty = 0;
        for (String line : question.split("\n")) {
            if (line.isEmpty()) {
                empty++;
                continue;
            }
            if (line.startsWith("  ")) {
                List<String> lines = entries.get(entries.size() - 1).lines();
                lines.addAll(Collections.nCopies(empty, ""));
                lines.add(line.substring(2));
            } else if (!line.startsWith("#")) {
                entries.add(new Entry(Arrays.asList(line.split(" ")), new ArrayList<>()));
            }
            empty = 0;
        }
        return entries;
    }
}
