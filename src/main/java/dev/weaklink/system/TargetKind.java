package dev.weaklink.system;

import dev.weaklink.sys.StableId;

/** What a target was given as. */
public enum TargetKind implements StableId {
    /** A kernel found below {@code lib/modules}. */
    INSTALLED_KERNEL("installed kernel"),
    /** A bare Module.symvers, compressed or not. */
    SYMVERS_FILE("symvers file"),
    /** A headers or build directory. */
    HEADERS_DIRECTORY("headers directory"),
    /** A bare kernel image, such as a vmlinuz. */
    KERNEL_IMAGE("kernel image"),
    /** One or more packages of one kernel. */
    PACKAGE("kernel package"),
    /** One that was kept when it was seen before. */
    STORED_KERNEL("stored kernel");

    private final String words;

    TargetKind(String words) {
        this.words = words;
    }

    /** Name in sentences. */
    public String words() {
        return words;
    }
}
