package dev.weaklink.realkernel;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The comparison that weak-modules makes. Every symbol that modprobe prints from a module's table of versions must be
 * in the kernel's symvers with the same CRC.
 */
final class CrcComparison {
    private final Map<String, Long> offered = new HashMap<>();

    CrcComparison(Kernel target) throws IOException {
        for (String line : Files.readAllLines(target.symvers())) {
            String[] columns = line.split("\t");
            offered.put(columns[1], Long.decode(columns[0]));
        }
    }

    boolean holdFor(Path module) throws IOException {
        String output = ExternalTool.orSkip("modprobe").run("--dump-modversions", module.toString());
        for (String line : output.split("\n")) {
            String[] columns = line.split("\t");
            if (columns.length == 2 && !Long.decode(columns[0]).equals(offered.get(columns[1]))) {
                return false;
            }
        }
        return true;
    }
}
