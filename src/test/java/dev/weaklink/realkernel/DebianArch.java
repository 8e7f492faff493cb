package dev.weaklink.realkernel;

/** The architectures for which Debian 12 builds kernels, each with the flavour that the tests use. */
enum DebianArch {
    AMD64("", "amd64"),
    S390X("s390x", "s390x"),
    ARMHF("armhf", "armmp"),
    PPC64EL("ppc64el", "powerpc64le"),
    ARM64("arm64", "arm64"),
    I386("i386", "686-pae"),
    MIPS64EL("mips64el", "5kc-malta"),
    MIPSEL("mipsel", "4kc-malta"),
    ARMEL("armel", "marvell");

    private final String listsOf;
    private final String flavour;

    DebianArch(String listsOf, String flavour) {
        this.listsOf = listsOf;
        this.flavour = flavour;
    }

    /** Returns the architecture whose package lists are needed; empty for the lists that the machine has. */
    String listsOf() {
        return listsOf;
    }

    /** Returns the last part of the kernel's release. */
    String flavour() {
        return flavour;
    }

    /**
     * Returns true for the machine's own architecture, a big-endian one and a 32-bit one. With
     * -Dweaklink.all-arches=true, returns true for all.
     */
    boolean isTestedByDefault() {
        return this == AMD64 || this == S390X || this == ARMHF || Boolean.getBoolean("weaklink.all-arches");
    }

    /** Returns the architecture of a kernel release. */
    static DebianArch ofRelease(String release) {
        for (DebianArch arch : values()) {
            if (release.endsWith("-" + arch.flavour)) {
                return arch;
            }
        }
        throw new IllegalArgumentException("no known flavour: " + release);
    }
}
