package dev.weaklink.system;

import dev.weaklink.sys.StableId;

public enum TargetKind implements StableId {
    INSTALLED_KERNEL("installed kernel"),
    SYMVERS_FILE("symvers file"),
    HEADERS_DIRECTORY("headers directory"),
    KERNEL_IMAGE("kernel image"),
    PACKAGE("kernel package"),
    STORED_KERNEL("stored kernel");

    private final String words;

    TargetKind(String words) {
        this.words = words;
    }

    public String words() {
        return words;
    }
}
