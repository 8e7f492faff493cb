package dev.weaklink.system.cache;

import dev.weaklink.format.btf.BtfValidity;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.Result;
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
 * The facts kept of the modules below one directory. Where a file lies only says where its facts are looked for;
 * whether they are its facts, its identity says.
 */
public final class DirectoryCache {
    private final String top;
    private final @Nullable Segment segment;
    private final boolean keepsProofs;
    private final Map<FileIdentity, SegmentWriter.Entry> fresh = new LinkedHashMap<>();

    /** {@code keepsProofs} says whether what was found out about signatures may be kept. */
    DirectoryCache(String top, @Nullable Segment segment, boolean keepsProofs) {
        this.top = top;
        this.segment = segment;
        this.keepsProofs = keepsProofs;
    }

    /** Whether nothing was kept by earlier runs; null is for what is not worth keeping. */
    public static boolean isEmpty(@Nullable DirectoryCache shelf) {
        return shelf == null || shelf.segment == null;
    }

    /** What is kept of the file with this identity, null if none are kept. From any thread. */
    public @Nullable KeptModule find(FileIdentity file, Origin origin) {
        if (segment == null) {
            return null;
        }
        int index = segment.find(file);
        KeptModule kept = index < 0 ? null : segment.kept(index, origin);
        return kept == null || keepsProofs ? kept : kept.withoutProof();
    }

    /**
     * Keeps facts for later runs, unless the file had only just been changed. From any thread.
     *
     * @param file the file's identity before and after it was read
     * @param now the time before it was read, as {@link FactsCache#now} gives it
     * @param path where it is
     * @param kept what was found in it; a proof is left out if it may not be kept
     */
    public void keep(FileIdentity file, long now, Path path, KeptModule kept) {
        String text = path.toString();
        if (!text.startsWith(top) || !file.isSettled(now)) {
            return;
        }
        boolean isWhole = kept.proof() == null || isKept(kept.proof());
        KeptModule whole = isWhole ? kept : kept.withoutProof();
        SegmentWriter.Entry entry = new SegmentWriter.Entry(file, text.substring(top.length()), whole);
        synchronized (fresh) {
            fresh.put(file, entry);
        }
    }

    /** Whether what was found out about a signature may be kept. */
    public boolean isKept(@Nullable Proof proof) {
        return keepsProofs
                && proof != null
                && proof.certificate() != null
                && (proof.result() == Result.VERIFIED || proof.result() == Result.WRONG);
    }

    /** What is to be kept from now on; null if that is what is kept already. */
    @Nullable
    List<SegmentWriter.Entry> renewed() {
        List<SegmentWriter.Entry> entries;
        synchronized (fresh) {
            if (fresh.isEmpty()) {
                return null;
            }
            entries = new ArrayList<>(fresh.values());
        }
        for (int i = 0; segment != null && i < segment.size(); i++) {
            SegmentWriter.Entry old = old(segment, i);
            if (old != null) {
                entries.add(old);
            }
        }
        return entries;
    }

    /** A module kept before, null if its file is gone or has other contents now. */
    private SegmentWriter.@Nullable Entry old(Segment kept, int index) {
        FileIdentity identity = kept.identity(index);
        try {
            String path = kept.path(index);
            if (fresh.containsKey(identity)
                    || !kept.isUsed(index) && !identity.equals(FileIdentity.of(Path.of(top + path)))) {
                return null;
            }
            KeptModule module = kept.kept(index, Origin.file(path));
            return module == null ? null : new SegmentWriter.Entry(identity, path, module);
        } catch (IOException | InvalidPathException e) {
            return null;
        }
    }

    /**
     * What is kept of a file.
     *
     * @param module its facts
     * @param runtime what it asks for by name when it runs
     * @param proof what was found out about its signature, null for nothing
     * @param types what was found out about its BTF, null for nothing
     */
    public record KeptModule(
            KernelModule module,
            RuntimeNames runtime,
            @Nullable Proof proof,
            @Nullable JudgedTypes types) {

        /** The same without what was found out about its signature. */
        KeptModule withoutProof() {
            return new KeptModule(module, runtime, null, types);
        }

        /**
         * What kernels say of its BTF.
         *
         * @param firstString where its strings were taken to go on, see {@link BtfValidity#of}
         */
        public record JudgedTypes(int firstString, BtfValidity.Answer answer) {}
    }
}
