package dev.weaklink.check;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the kmod of a root does with compressed modules. */
final class KmodEvidence {
    /** kmod 31 and later read which compression the kernel unpacks (libkmod.c: get_kernel_compression). */
    private static final String KERNEL_COMPRESSION = "/sys/module/compression";

    /** A string of the code that loads modules, which programs have built in or take from the library. */
    private static final String LOADING_CODE = "/sys/module/%s/initstate";

    private static final int LARGEST = 8 << 20;

    private KmodEvidence() {}

    /**
     * Returns whether kmod leaves it to the kernel to unpack modules, if the kernel can; null if that is unknown.
     *
     * @param files the program and its library
     */
    static @Nullable Boolean leavesUnpackingToKernel(List<FoundFile> files) {
        for (FoundFile file : files) {
            try {
                String bytes = new String(file.stored(LARGEST), StandardCharsets.ISO_8859_1);
                if (bytes.contains(LOADING_CODE)) {
                    return bytes.contains(KERNEL_COMPRESSION);
                }
            } catch (UnreadableException e) {
                return null;
            }
        }
        return null;
    }
}
