package dev.weaklink.check;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Detects how the kmod of a root loads compressed modules. */
final class KmodEvidence {
    /**
     * A string that only kmod 31 and later contains; these versions read the compression that the kernel supports
     * (libkmod.c: get_kernel_compression).
     */
    private static final String KERNEL_COMPRESSION = "/sys/module/compression";

    /**
     * A string in kmod's code that loads modules. Depending on how kmod was linked, that code is in the programs or in
     * libkmod.
     */
    private static final String LOADING_CODE = "/sys/module/%s/initstate";

    private static final int LARGEST = 8 << 20;

    private KmodEvidence() {}

    /**
     * Returns whether kmod passes compressed modules to a kernel that can decompress them; null if unknown.
     *
     * @param files the kmod program and its library
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
