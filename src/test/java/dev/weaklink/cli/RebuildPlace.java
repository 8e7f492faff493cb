package dev.weaklink.cli;

import dev.weaklink.standin.StandInImage;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** A small system with a kernel, its build tree, and the stand-in for Mellanox's image. */
final class RebuildPlace {
    static final String KERNEL = "6.1.0-1-amd64";

    private static final String PROGRAM = "#!/bin/sh\n[ \"$1\" != -- ] || { shift; exec \"$@\"; }\necho 12\n";

    private final Path directory;
    private final TreeBuilder image;
    private final Map<String, String> environment = new HashMap<>();

    private RebuildPlace(Path directory) throws IOException {
        this.directory = directory;
        this.image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
    }

    static RebuildPlace in(Path directory) throws IOException {
        for (String tool : List.of("setsid", "bash", "tar")) {
            ExternalTool.orSkip(tool);
        }
        RebuildPlace place = new RebuildPlace(directory.toRealPath());
        place.install();
        return place;
    }

    private void install() throws IOException {
        image.file("etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n".getBytes())
                .modulesOrder(KERNEL, List.of("kernel/own.ko"))
                .module(KERNEL, "kernel/own.ko", built("own", KERNEL))
                .symvers(SymversPlace.USR_SRC_HEADERS, KERNEL, symvers());
        String headers = "usr/src/linux-headers-" + KERNEL;
        image.file(headers + "/Makefile", new byte[0])
                .file(
                        headers + "/include/generated/utsrelease.h",
                        ("#define UTS_RELEASE \"" + KERNEL + "\"\n").getBytes());
        StandInImage.make(bundle());
        environment.putAll(StandInImage.withoutCompiler(directory));
        // The packages of this machine must not matter, so the test has a dpkg database without packages.
        environment.put("DPKG_ADMINDIR", directory.resolve("dpkg").toString());
        environment.put("PATH", System.getenv("PATH") + File.pathSeparator + programs("gcc", "make", "perl"));
        for (String module : StandInImage.MODULES) {
            ready(module, built(module, KERNEL).importing("_printk", 5));
        }
    }

    private static SymversBuilder symvers() {
        return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5);
    }

    static ModuleBuilder built(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    /** Returns the directory of the modules that the stand-in copies as its results. */
    Path ready() {
        return directory.resolve("ready-made");
    }

    /** Writes the module that the stand-in copies as its result. */
    void ready(String module, ModuleBuilder built) throws IOException {
        Files.write(directory.resolve("ready-made").resolve(module + ".ko"), built.build());
    }

    /**
     * Writes stand-ins for programs that are required but not run, in case they are not installed here. The stand-in
     * for fakeroot runs its arguments, as users other than root need.
     */
    private Path programs(String... names) throws IOException {
        Path bin = Files.createDirectories(directory.resolve("bin"));
        List<String> all = new ArrayList<>(List.of(names));
        all.addAll(List.of("rpmbuild", "createrepo", "fakeroot", "dh", "dpkg-buildpackage"));
        for (String name : all) {
            Path program = Files.writeString(bin.resolve(name), PROGRAM);
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return bin;
    }

    TreeBuilder image() {
        return image;
    }

    Path bundle() {
        return directory.resolve("bundle");
    }

    /** Replaces the installation image by a Debian image, whose packages are really built. */
    RebuildPlace withDebs() throws IOException {
        for (String tool : List.of("dpkg-deb", "dpkg-buildpackage", "dh")) {
            ExternalTool.orSkip(tool);
        }
        Path status = Path.of("/var/lib/dpkg/status");
        Assumptions.assumeTrue(
                Files.isReadable(status)
                        && Files.readString(status)
                                .contains("Package: build-essential\nStatus: install ok installed\n"),
                "build-essential is not installed");
        environment.remove("DPKG_ADMINDIR");
        DurableFiles.deleteTree(bundle());
        StandInImage.makeDebian(bundle());
        environment.remove("STANDIN_PACKING");
        return this;
    }

    /** Returns the arguments of a run. */
    String[] words(String... more) {
        List<String> words = new ArrayList<>(List.of(
                "rebuild", "--kernel", KERNEL, "--root", image.root().toString(), "--bundle", bundle().toString()));
        words.addAll(List.of(more));
        return words.toArray(new String[0]);
    }

    Map<String, String> environment() {
        return environment;
    }

    WholeRun rebuild(Map<String, String> switches, String... more) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(switches);
        return WholeRun.with(all, words(more));
    }

    WholeRun withFault(String fault, String... more) {
        return rebuild(Map.of("STANDIN_FAULT", fault), more);
    }

    Path run(int number) {
        return image.root().resolve("var/lib/weaklink/rebuilds/" + KERNEL + "/" + number);
    }

    /** Returns the text with the paths and process ids of this place replaced. */
    String neutral(String text) {
        return text.replace(run(1).toString(), "RUN")
                .replace(bundle().toString(), "BUNDLE")
                .replace(image.root().toString(), "ROOT")
                .replace(directory.toString(), "DIRECTORY")
                .replaceAll("mlnx_iso\\.[0-9]+", "mlnx_iso.PID")
                .replaceAll("OFED\\.[0-9]+", "OFED.PID");
    }

    /**
     * Returns the run with paths and process ids replaced, and without fakeroot, which only users other than root need.
     */
    WholeRun neutral(WholeRun run) {
        return new WholeRun(run.status(), withoutFakeroot(neutral(run.out())), withoutFakeroot(neutral(run.err())));
    }

    private static String withoutFakeroot(String text) {
        return text.replace("fakeroot -- ", "").replace(", fakeroot", "").replace(" fakeroot", "");
    }

    /** Returns whether a run left files that look like modules to install. */
    boolean hasResult(int number) {
        return Files.exists(run(number).resolve("modules"), LinkOption.NOFOLLOW_LINKS)
                || Files.exists(run(number).resolve("work"), LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns whether the results of the build are kept as the build made them. */
    boolean keepsResult(int number) {
        return Files.exists(run(number).resolve("results"), LinkOption.NOFOLLOW_LINKS);
    }
}
