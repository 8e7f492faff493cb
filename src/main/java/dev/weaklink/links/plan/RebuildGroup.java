package dev.weaklink.links.plan;

import dev.weaklink.loader.Layer;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.ShellWord;
import java.util.Collection;
import java.util.List;

/**
 * The modules that one rebuild can provide for one kernel.
 *
 * @param kernel the kernel release to build for
 * @param units the names of the modules' units, such as packages or directories, sorted
 * @param modules the names of the modules, sorted
 * @param cause the loader's failed checks with their symbols; empty if the loader refuses no build
 * @param why the changes in the kernel that led to the cause, for people; empty if weaklink did not search for changes
 *     or found none
 * @param backend the build backend; empty if weaklink knows none
 * @param product the argument of {@code --product} that selects the modules; empty if there is none
 * @param packages the DKMS packages that build the modules, as {@code NAME/VERSION}
 * @param reason the evidence for the backend, or the missing prerequisite, for people
 * @param older the other bootable kernel to stay with, which probably loads the modules; empty if there is none
 * @param tried the results of trial builds of these packages for this kernel, without trials whose inputs have changed
 *     since
 * @param failing the packages whose source has already failed to give modules that this kernel loads, sorted
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
        List<TriedBuild> tried,
        List<String> failing) {
    public RebuildGroup {
        units = List.copyOf(units);
        modules = List.copyOf(modules);
        packages = List.copyOf(packages);
        tried = List.copyOf(tried);
        failing = List.copyOf(failing);
    }

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
        this(kernel, units, modules, cause, why, backend, product, packages, reason, older, List.of(), List.of());
    }

    /**
     * The result of a trial build.
     *
     * @param product the DKMS package as {@code NAME/VERSION}
     * @param result the stable id of the result, such as {@code does-not-compile}
     * @param words the result for people
     * @param line the reason for the result, such as the compiler's first error or the loader's finding; may be empty
     * @param time UTC time of the build in ISO 8601
     */
    public record TriedBuild(String product, String result, String words, String line, String time) {}

    public RebuildGroup with(List<TriedBuild> trials, Collection<String> failed) {
        return new RebuildGroup(
                kernel,
                units,
                modules,
                cause,
                why,
                backend,
                product,
                packages,
                reason,
                older,
                trials,
                List.copyOf(failed));
    }

    private String names() {
        return modules.size() == 1
                ? modules.get(0)
                : modules.size() == 2
                        ? modules.get(0) + " and " + modules.get(1)
                        : modules.get(0) + " and " + (modules.size() - 1) + " others";
    }

    /** Returns whether a build may succeed: weaklink knows a backend, and no package's source has failed. */
    public boolean canBeTried() {
        return !backend.isEmpty() && failing.isEmpty();
    }

    /** Returns whether nothing on the machine can build the modules and a new signature would not be enough. */
    public boolean isUnbuildable() {
        return backend.isEmpty() && product.isEmpty() && !cause.equals(Layer.SIGNATURE.id());
    }

    public boolean needsBundle() {
        return backend.startsWith("mlnx");
    }

    /**
     * Returns the next step, escaped: a command, or instructions if no weaklink command helps.
     *
     * @param root the option that names the root directory in a command; empty if no option is needed
     */
    public String next(String root) {
        if (backend.isEmpty() && cause.equals(Layer.SIGNATURE.id())) {
            return "sign the modules with a key that the kernel trusts, then run weaklink plan" + root;
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
        if (!failing.isEmpty()) {
            return "the source of "
                    + Escape.text(String.join(" and ", failing))
                    + " does not fit "
                    + Escape.text(kernel)
                    + "; get a later release"
                    + (older.isEmpty() ? "" : ", or stay with " + Escape.text(older));
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
        // In two cases, the printed command is only a dry run. If the backend needs the vendor's installation image,
        // the dry run asks for the image. If rules below --root provide the build command, the administrator should
        // review that command before it runs on this machine.
        boolean ofImage = backend.equals("command") && !root.isEmpty();
        command.append(ofImage && !product.isEmpty() ? " --backend command" : "");
        return Escape.text(command + (needsBundle() || ofImage ? " --dry-run" : "")) + root;
    }
}
