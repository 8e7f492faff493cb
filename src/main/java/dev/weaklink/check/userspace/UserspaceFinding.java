package dev.weaklink.check.userspace;

import dev.weaklink.sys.DefectKind;
import dev.weaklink.sys.StableId;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A defect in the RDMA libraries of a system.
 *
 * @param subject the provider, library, file or device
 * @param detail the observed facts
 * @param files the affected files, as paths in the root
 * @param packages the packages of the files, with versions, sorted; empty if unknown
 */
public record UserspaceFinding(
        LibraryDefect kind, String subject, String detail, List<String> files, List<String> packages) {
    public UserspaceFinding {
        files = List.copyOf(files);
        packages = List.copyOf(packages);
    }

    static UserspaceFinding of(LibraryDefect kind, String subject, String detail, List<String> files) {
        return new UserspaceFinding(kind, subject, detail, files, List.of());
    }

    UserspaceFinding with(Collection<String> owners) {
        return new UserspaceFinding(kind, subject, detail, files, List.copyOf(owners));
    }

    /**
     * The kinds of defects. Their ids are part of the machine-readable output; the manual page and the list of defects
     * are generated from this enum.
     */
    public enum LibraryDefect implements DefectKind {
        PROVIDER_MISSING(
                true,
                "a provider named in libibverbs.d has no library that this libibverbs would load",
                "install the providers of the same version as libibverbs, or remove the .driver file"),
        LIBRARY_MISSING(
                true,
                "a provider or its library needs a library that the loader does not find",
                "install the library's package, or a provider and libraries of one distribution"),
        LIBRARY_UNREADABLE(true, "a library is damaged or cannot be read", "reinstall the library's package"),
        VERSION_MISSING(
                true,
                "a provider or its library needs a symbol version that the installed library does not" + " define",
                "install libibverbs and its providers from one build of rdma-core"),
        SYMBOL_MISSING(
                true,
                "a provider or its library needs a symbol that none of the loaded libraries defines",
                "install libibverbs and its providers from one build of rdma-core"),
        KERNEL_ABI(
                true,
                "libibverbs does not support the uverbs ABI of the kernel",
                "install a version of rdma-core that supports this ABI"),
        DEVICE_ABI(
                true,
                "a device's provider does not support the ABI of the device's kernel driver",
                "install kernel modules and providers of the same release"),
        CONFIGURATION(
                false,
                "libibverbs does not support a line of a .driver file, and ignores the line",
                "correct the line; the format is: driver NAME"),
        PROVIDER_NOT_CONFIGURED(
                false,
                "a provider is installed, but no .driver file names it, so libibverbs does not load it by default",
                "reinstall the provider's package, or remove the library"),
        PROVIDER_LEFT_OVER(
                false,
                "a provider was built for another libibverbs, so the installed libibverbs does not load it",
                "remove the provider's package, or its file if no package owns it"),
        SECOND_LIBRARY(
                false,
                "libibverbs is installed more than once; programs may load another copy than expected",
                "remove all copies but one"),
        KERNEL_STACK(
                false,
                "kernel modules and libraries are of different vendors",
                "install modules and libraries of one vendor, both of MLNX_OFED or both of the" + " distribution");

        private final boolean failure;
        private final String meaning;
        private final String remedy;

        LibraryDefect(boolean failure, String meaning, String remedy) {
            this.failure = failure;
            this.meaning = meaning;
            this.remedy = remedy;
        }

        @Override
        public String id() {
            return "userspace." + DefectKind.super.id();
        }

        public static @Nullable LibraryDefect of(String id) {
            return StableId.of(id, List.of(values()));
        }

        @Override
        public boolean isFailure() {
            return failure;
        }

        @Override
        public String meaning() {
            return meaning;
        }

        @Override
        public String remedy() {
            return remedy;
        }
    }
}
