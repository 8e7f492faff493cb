package dev.weaklink.cli;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Kernels of two flavors in SUSE's layout, and packages for runs of weak-modules2. */
abstract class SuseRuns {
    static final String OLD = "6.4.0-1-default";
    static final String NEW = "6.4.0-2-default";
    static final String OTHER_FLAVOR = "6.4.0-2-azure";
    static final String ONE = "demo-kmp-default-1.0_k6.4.0_1-1.1";
    static final String TWO = "demo-kmp-default-1.10_k6.4.0_1-1.1";

    @TempDir
    Path directory;

    SuseImage image;

    @BeforeEach
    void installKernels() throws IOException {
        ExternalTool.orSkip("depmod");
        image = new SuseImage(directory).kernel(OLD, 5).kernel(NEW, 5).kernel(OTHER_FLAVOR, 5);
    }

    String install(String id, String name, int printk) throws IOException {
        String file = image.module(OLD, id, name, printk);
        image.rpm.install(id, file);
        return file;
    }

    String refused(String id, String kernel) {
        return "Package " + id + " not added to kernel " + kernel + "\n";
    }

    static String initrds(String... kernels) {
        StringBuilder text = new StringBuilder();
        for (String kernel : kernels) {
            text.append("Please run \"/usr/bin/dracut -f /boot/initrd-%s %s\"".formatted(kernel, kernel))
                    .append(" as soon as your system is complete.\n");
        }
        return text.toString();
    }

    /** Returns the output of a run that removes a package from these kernels if no other version is installed. */
    static WholeRun removed(String id, String... kernels) {
        StringBuilder text = new StringBuilder();
        for (String kernel : kernels) {
            text.append("Package %s removed from kernel %s\n".formatted(id, kernel))
                    .append("Weak-updates symlinks to no other demo-kmp-default package could be created\n");
        }
        text.append(initrds(kernels));
        for (String kernel : kernels) {
            text.append("depmod -a ").append(kernel).append('\n');
        }
        return new WholeRun(0, "", text.toString());
    }
}
