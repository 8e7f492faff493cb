package dev.weaklink.realkernel;

/** The architectures Debian 12 builds kernels for, each with the flavour the tests take. */
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

    /** The architecture whose package lists are needed; empty: those the machine has. */
    String listsOf() {
        return listsOf;
    }

    /** The last part of the kernel's release. */
    String flavour() {
        return flavour;
    }

    /** The machine's own, one big-endian and one 32-bit; the rest with -Dweaklink.all-arches=true. */
    boolean isTestedByDefault() {
        return this == AMD64 || this == S390X || this == ARMHF || Boolean.getBoolean("weaklink.all-arches");
    }

    /** The architecture of a kernel release. */
    static DebianArch ofRelease(String release) {
        for (DebianArch arch : values()) {
            if (release.endsWith("-" + arch.flavour)) {
                return arch;
            }
        }
        throw new IllegalArgumentException("no known flavour: " + release);
    }
}
