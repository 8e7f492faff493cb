package dev.weaklink.system.cache;

import dev.weaklink.format.btf.BtfValidity;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.system.cache.DirectoryCache.KeptModule.JudgedTypes;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cached facts of the modules below one directory. The path of a file only selects the cache; the file's identity
 * decides whether the facts are valid.
 */
public final class DirectoryCache {
    private final String top;
    private final @Nullable Segment segment;
    private final boolean keepsProofs;
    private final Map<FileIdentity, SegmentWriter.SegmentEntry> fresh = new LinkedHashMap<>();

    DirectoryCache(String top, @Nullable Segment segment, boolean keepsProofs) {
        this.top = top;
        this.segment = segment;
        this.keepsProofs = keepsProofs;
    }

    /**
     * Returns whether a cache contains no facts from earlier runs; true for null, which means that the files are not
     * worth caching.
     */
    public static boolean isEmpty(@Nullable DirectoryCache shelf) {
        return shelf == null || shelf.segment == null;
    }

    /** Returns the cached facts of the file with this identity; null if there are none. Thread-safe. */
    public @Nullable KeptModule find(FileIdentity file, Origin origin) {
        if (segment == null) {
            return null;
        }
        int index = segment.find(file);
        KeptModule kept = index < 0 ? null : segment.kept(index, origin);
        return kept == null || keepsProofs ? kept : kept.withoutProof();
    }

    /**
     * Caches facts for later runs. Does nothing if the file is not below this cache's directory, or if its identity is
     * not settled ({@link FileIdentity#isSettled}). Thread-safe.
     *
     * @param file the file's identity, which was the same before and after reading
     * @param now the time before reading, from {@link FactsCache#now}
     * @param kept the facts; the result of the signature check is removed if it must not be cached
     */
    public void keep(FileIdentity file, long now, Path path, KeptModule kept) {
        String text = path.toString();
        if (!text.startsWith(top) || !file.isSettled(now)) {
            return;
        }
        boolean isWhole = kept.proof() == null || isKept(kept.proof());
        KeptModule whole = isWhole ? kept : kept.withoutProof();
        SegmentWriter.SegmentEntry entry = new SegmentWriter.SegmentEntry(file, text.substring(top.length()), whole);
        synchronized (fresh) {
            fresh.put(file, entry);
        }
    }

    public boolean isKept(@Nullable Proof proof) {
        return keepsProofs
                && proof != null
                && proof.certificate() != null
                && (proof.result() == ProofResult.VERIFIED || proof.result() == ProofResult.WRONG);
    }

    @Nullable
    List<SegmentWriter.SegmentEntry> renewed() {
        List<SegmentWriter.SegmentEntry> entries;
        synchronized (fresh) {
            if (fresh.isEmpty()) {
                return null;
            }
            entries = new ArrayList<>(fresh.values());
        }
        for (int i = 0; segment != null && i < segment.size(); i++) {
            SegmentWriter.SegmentEntry old = old(segment, i);
            if (old != null) {
                entries.add(old);
            }
        }
        return entries;
    }

    private SegmentWriter.@Nullable SegmentEntry old(Segment kept, int index) {
        FileIdentity identity = kept.identity(index);
        try {
            String path = kept.path(index);
            if (fresh.containsKey(identity)
                    || !kept.isUsed(index) && !identity.equals(FileIdentity.of(Path.of(top + path)))) {
                return null;
            }
            KeptModule module = kept.kept(index, Origin.file(path));
            return module == null ? null : new SegmentWriter.SegmentEntry(identity, path, module);
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    /**
     * The cached facts of a file.
     *
     * @param module the module's facts
     * @param runtime the names that the module requests at run time
     * @param proof the result of the signature check, null if not cached
     * @param types the result of the BTF check, null if not cached
     */
    public record KeptModule(
            KernelModule module,
            RuntimeNames runtime,
            @Nullable Proof proof,
            @Nullable JudgedTypes types) {

        KeptModule withoutProof() {
            return new KeptModule(module, runtime, null, types);
        }

        /**
         * The result of the kernel's check of a module's BTF ({@link BtfValidity#of}).
         *
         * @param firstString the offset at which the module's own strings start: the assumed length of the strings in
         *     the kernel's BTF
         */
        public record JudgedTypes(int firstString, BtfValidity.BtfAnswer answer) {}
    }
}
