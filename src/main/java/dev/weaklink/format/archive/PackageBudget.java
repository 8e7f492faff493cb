package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;

/** The resources that one package has used so far, including everything nested inside the package. */
final class PackageBudget {
    private static final long FREE_EXPANSION = 256L << 20;

    private final PackageLimits limits;
    private int entries;
    private long nameBytes;
    private long bytes;

    PackageBudget(PackageLimits limits) {
        this.limits = limits;
    }

    PackageLimits limits() {
        return limits;
    }

    void spendEntry(long names) throws UnreadableException {
        entries++;
        nameBytes += names;
        if (entries > limits.entries()) {
            throw new UnreadableException(
                    UnreadableKind.OVER_LIMIT, "more than " + limits.entries() + " entries; rest not read");
        }
        if (nameBytes > limits.nameBytes()) {
            throw new UnreadableException(
                    UnreadableKind.OVER_LIMIT,
                    "its file names and link targets have more than " + limits.nameBytes()
                            + " characters; rest not read");
        }
    }

    void spendBytes(long count) throws UnreadableException {
        bytes += count;
        if (bytes > limits.totalBytes()) {
            throw new UnreadableException(
                    UnreadableKind.OVER_LIMIT, "contains more than " + limits.totalBytes() + " bytes; rest not read");
        }
    }

    /** Throws if a compressed stream has expanded to more than 256 MiB and by an implausible factor. */
    void requirePlausible(long packed, long unpacked) throws UnreadableException {
        if (unpacked > FREE_EXPANSION && unpacked / limits.expansion() > packed) {
            throw new UnreadableException(
                    UnreadableKind.OVER_LIMIT,
                    "expands to more than " + limits.expansion() + " times its size; rest not read");
        }
    }
}
