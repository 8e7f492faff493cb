package dev.weaklink.compat;

import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses rpm's list of packages: a line {@code N NAME VERSION RELEASE} for each package, then lines {@code P
 * PROVIDED-NAME} and {@code F FILE}, separated by tabs. Other lines are rpm's warnings and are ignored.
 */
final class RpmAnswer {
    private static final String IN_KERNEL = "kmp_in_kernel";

    private final String ending;
    private final List<String> problems;
    private final List<Kmp> kmps = new ArrayList<>();
    private final List<String> files = new ArrayList<>();
    private String[] header = {};
    private boolean inKernel;

    RpmAnswer(String flavor, List<String> problems) {
        this.ending = "-kmp-" + flavor;
        this.problems = problems;
    }

    List<Kmp> read(List<String> lines) {
        for (String line : lines) {
            if (line.startsWith("N\t")) {
                finish();
                header = line.split("\t", -1);
            } else if (line.startsWith("P\t")) {
                inKernel |= line.substring(2).equals(IN_KERNEL);
            } else if (line.startsWith("F\t")) {
                files.add(line.substring(2));
            }
        }
        finish();
        return kmps;
    }

    private void finish() {
        if (header.length == 4 && header[1].endsWith(ending) && !inKernel) {
            add(header[1], header[2], header[3]);
        }
        header = new String[0];
        inKernel = false;
        files.clear();
    }

    private void add(String name, String version, String release) {
        String id = name + "-" + version + "-" + release;
        try {
            KmpFiles modules = KmpFiles.of(id, files);
            if (modules == null) {
                problems.add("WARNING: " + id + " does not contain any kernel modules");
            } else {
                kmps.add(new Kmp(name, version, release, modules.kernel(), modules.files()));
            }
        } catch (UnreadableException e) {
            problems.add(e.reason());
        }
    }
}
