package dev.weaklink.links.plan;

import dev.weaklink.loader.Layer;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.ShellWord;
import java.util.List;

/**
 * Modules that one rebuild serves: those of one kernel that no build there is would serve, and that come from the same
 * source.
 *
 * @param kernel the release they are to be built for
 * @param units the packages, directories or products they belong to, sorted
 * @param modules their names, sorted
 * @param cause why they would be refused, a few words
 * @param why what changed in the kernel that they would be refused for, in words; empty if that was not looked for or
 *     is not known
 * @param backend what would build them; empty if that is not known
 * @param product what {@code --product} calls what they belong to; empty if it has no name
 * @param packages DKMS packages {@code name/version} that build them
 * @param reason what shows that, or what is missing, for people
 * @param older the kernel that has builds of them, empty if none other than {@code kernel} has
 * @param tried the results of trial builds of these packages for this kernel, whose inputs have not changed since
 */
public record RebuildGroup(
        String kernel,
        List<String> units,
        List<String> modules,
        String cause,
        String why,
        String backend,
        String product,
        List<String> packages,
        String reason,
        String older,
        List<TriedBuild> tried) {
    public RebuildGroup {
        units = List.copyOf(units);
        modules = List.copyOf(modules);
        packages = List.copyOf(packages);
        tried = List.copyOf(tried);
    }

    /** A group none of whose packages was tried. */
    public RebuildGroup(
            String kernel,
            List<String> units,
            List<String> modules,
            String cause,
            String why,
            String backend,
            String product,
            List<String> packages,
            String reason,
            String older) {
        this(kernel, units, modules, cause, why, backend, product, packages, reason, older, List.of());
    }

    /**
     * The result of a trial build.
     *
     * @param product the DKMS package as {@code NAME/VERSION}
     * @param result the stable id of the result, such as {@code does-not-compile}
     * @param words the result for people
     * @param line the compiler's first error or the loader's finding; empty if the modules would load
     * @param time UTC time of the build in ISO 8601
     */
    public record TriedBuild(String product, String result, String words, String line, String time) {}

    /** Returns the same group with the results of trial builds. */
    public RebuildGroup with(List<TriedBuild> trials) {
        return new RebuildGroup(kernel, units, modules, cause, why, backend, product, packages, reason, older, trials);
    }

    private String names() {
        return modules.size() == 1
                ? modules.get(0)
                : modules.size() == 2
                        ? modules.get(0) + " and " + modules.get(1)
                        : modules.get(0) + " and " + (modules.size() - 1) + " others";
    }

    /** Returns whether nothing on the machine can build the modules, and a signature alone would not do. */
    public boolean isUnbuildable() {
        return backend.isEmpty() && product.isEmpty() && !cause.equals(Layer.SIGNATURE.id());
    }

    /** Whether it takes the vendor's installation image. */
    public boolean needsBundle() {
        return backend.startsWith("mlnx");
    }

    /**
     * What to do next: the command that starts it or says what it lacks, runnable as it is; in words where no command
     * of ours can. Escaped.
     *
     * @param root what names the root in a command; empty if nothing need be said
     */
    public String next(String root) {
        if (backend.isEmpty() && cause.equals(Layer.SIGNATURE.id())) {
            return "sign them with a key that the kernel trusts, then run weaklink plan" + root;
        }
        if (backend.isEmpty()) {
            return product.isEmpty()
                    ? "nothing on this machine can rebuild "
                            + Escape.text(names())
                            + "; get a build for "
                            + Escape.text(kernel)
                            + " from the vendor"
                            + (older.isEmpty() ? "" : ", or stay with " + Escape.text(older))
                    : "install what is missing, then run weaklink plan" + root;
        }
        StringBuilder command = new StringBuilder("weaklink rebuild --kernel ").append(ShellWord.of(kernel));
        if (!product.isEmpty()) {
            command.append(" --product ").append(ShellWord.of(product));
        } else {
            command.append(" --backend ").append(backend);
            packages.forEach(name -> command.append(" --package ").append(ShellWord.of(name)));
        }
        if (!root.isEmpty() && backend.equals("doca")) {
            return "inside the image: " + Escape.text(command.toString());
        }
        // An installation image has to be given, which this says; and what an image's own rules say is
        // run here is to be looked at first.
        boolean ofImage = backend.equals("command") && !root.isEmpty();
        command.append(ofImage && !product.isEmpty() ? " --backend command" : "");
        return Escape.text(command + (needsBundle() || ofImage ? " --dry-run" : "")) + root;
    }
}
