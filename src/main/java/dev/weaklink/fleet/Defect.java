package dev.weaklink.fleet;

import dev.weaklink.sys.DefectKind;
import java.util.Comparator;

/**
 * Something wrong on some nodes, with a module or with RDMA's libraries. Texts are from nodes and not escaped.
 *
 * @param kind a {@link Kind}, or for libraries a {@link dev.weaklink.check.userspace.UserspaceFinding.Kind}
 * @param subject the module, product, kernel, provider, library, file or device it is about
 * @param detail the file or the builds it is about, or what was seen
 * @param packages of the library files it is about, with versions; empty if unknown
 */
public record Defect(DefectKind kind, String subject, String detail, String packages) implements Comparable<Defect> {
    /** Failures first. */
    private static final Comparator<Defect> ORDER = Comparator.comparing((Defect defect) -> !defect.kind.isFailure())
            .thenComparing(defect -> defect.kind.ordinal())
            .thenComparing(Defect::subject)
            .thenComparing(Defect::detail)
            .thenComparing(Defect::packages);

    /** One of modules. */
    public Defect(Kind kind, String subject, String detail) {
        this(kind, subject, detail, "");
    }

    /** What it is about and what was seen, in one line. */
    public String words() {
        String of = packages.isEmpty() ? "" : "; " + packages;
        return subject + ": " + kind.meaning() + " (" + detail + of + ")";
    }

    /** What is wrong with modules. */
    public enum Kind implements DefectKind {
        /** A build is loaded that is not the one a reboot would load. */
        LOADED_DIFFERS("the build that is loaded is not the one on disk"),
        /** A weak link whose module is gone. */
        DANGLING_LINK("the link is dangling"),
        /** The kernel's index does not know the file: another one is chosen, or depmod was not run. */
        NOT_USED("the kernel's modules.dep does not list it"),
        /** The kernel's own module is loaded although one was added. */
        INBOX_LOADED("the kernel's own module is loaded, not the one that was added"),
        /** Some modules of a product are of one build, some of another. */
        HALF_UPDATED("its modules are of different builds"),
        /** Libraries and modules of a product are of different versions. */
        OUT_OF_STEP("kernel and user space are of different versions"),
        /** The running kernel has been removed. */
        NO_DIRECTORY("the running kernel's modules are gone");

        private final String meaning;

        Kind(String meaning) {
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
