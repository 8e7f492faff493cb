package dev.weaklink.fleet;

import dev.weaklink.sys.DefectKind;
import java.util.Comparator;

/**
 * A defect of a module or of RDMA libraries on some nodes. Strings come from nodes and are not escaped.
 *
 * @param kind a {@link ModuleDefectKind}, or for libraries a
 *     {@link dev.weaklink.check.userspace.UserspaceFinding.LibraryDefect}
 * @param subject the module, product, kernel, libibverbs provider, library, file or device concerned
 * @param detail the file or builds concerned, or the observation
 * @param packages the packages of the library files, with versions; empty if unknown
 */
public record Defect(DefectKind kind, String subject, String detail, String packages) implements Comparable<Defect> {
    private static final Comparator<Defect> ORDER = Comparator.comparing((Defect defect) -> !defect.kind.isFailure())
            .thenComparing(defect -> defect.kind.ordinal())
            .thenComparing(Defect::subject)
            .thenComparing(Defect::detail)
            .thenComparing(Defect::packages);

    public Defect(ModuleDefectKind kind, String subject, String detail) {
        this(kind, subject, detail, "");
    }

    public String words() {
        String of = packages.isEmpty() ? "" : "; " + packages;
        return subject + ": " + kind.meaning() + " (" + detail + of + ")";
    }

    public enum ModuleDefectKind implements DefectKind {
        LOADED_DIFFERS("the loaded build is not the build on disk"),
        DANGLING_LINK("the link is dangling"),
        /** The kernel's modules.dep does not list the file: depmod chose another file, or was not run. */
        NOT_USED("the kernel's modules.dep does not list this file"),
        INBOX_LOADED("the in-tree module is loaded, not the out-of-tree module"),
        HALF_UPDATED("its modules are of different builds"),
        OUT_OF_STEP("the modules in use and the installed OFED are of different versions"),
        NO_DIRECTORY("the running kernel's modules were removed");

        private final String meaning;

        ModuleDefectKind(String meaning) {
            this.meaning = meaning;
        }

        @Override
        public String meaning() {
            return meaning;
        }
    }

    @Override
    public int compareTo(Defect other) {
        return ORDER.compare(this, other);
    }
}
