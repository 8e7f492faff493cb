package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.FuzzTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Fuzzes the parsers of modules.dep and depmod.d(5). */
public final class IndexTarget implements FuzzTarget {
    private final Path root;

    public IndexTarget() {
        try {
            root = Files.createTempDirectory("weaklink-fuzz");
            Files.createDirectories(root.resolve("etc/depmod.d"));
            for (String path : List.of("", "etc", "etc/depmod.d", "etc/depmod.d/a.conf", "modules.dep")) {
                root.resolve(path).toFile().deleteOnExit();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void take(byte[] bytes) throws Exception {
        Files.write(root.resolve("modules.dep"), bytes);
        Dependants.of(new ModulesDirectory("/", root), Set.of("m", "n"));
        Files.write(root.resolve("etc/depmod.d/a.conf"), bytes);
        DepmodConfig config = DepmodConfig.read(Root.of(root), "6.1.0-9-amd64");
        for (InputProblem problem : config.problems()) {
            if (problem.message().isBlank()) {
                throw new IllegalStateException("a problem without words");
            }
        }
    }

    @Override
    public List<byte[]> seeds() {
        return List.of(
                text("kernel/a.ko:\nkernel/b.ko.xz: kernel/m.ko kernel/a.ko\n"),
                text("search updates built-in\noverride m 6.1* extra\nexternal 6.* /opt/x\n"),
                text("exclude .x\noverride n ^6\\.1[.-]+ weak-updates\nsearch \\\n a\n"));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
