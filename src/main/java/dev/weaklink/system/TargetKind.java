package dev.weaklink.system;

import dev.weaklink.sys.StableId;

/** The kind of argument that named a target. */
public enum TargetKind implements StableId {
    /** A kernel found below {@code lib/modules}. */
    INSTALLED_KERNEL("installed kernel"),
    /** A bare Module.symvers, compressed or not. */
    SYMVERS_FILE("symvers file"),
    /** A headers or build directory. */
    HEADERS_DIRECTORY("headers directory"),
    /** A bare kernel image, such as a vmlinuz. */
    KERNEL_IMAGE("kernel image"),
    /** Packages of one kernel. */
    PACKAGE("kernel package"),
    /** A kernel from a store, saved when it was available. */
    STORED_KERNEL("stored kernel");

    private final String words;

    TargetKind(String words) {
        this.words = words;
    }

    /** Returns the name for use in sentences. */
    public String words() {
        return words;
    }
}
