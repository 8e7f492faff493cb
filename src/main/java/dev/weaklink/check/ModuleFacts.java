package dev.weaklink.check;

import dev.weaklink.format.btf.BtfValidity.BtfAnswer;
import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import dev.weaklink.module.signature.SignatureVerifier;
import dev.weaklink.module.signature.SignedDigest;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.Workers;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.cache.DirectoryCache;
import dev.weaklink.system.cache.DirectoryCache.KeptModule;
import dev.weaklink.system.cache.DirectoryCache.KeptModule.JudgedTypes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of many module files on several threads. Results keep the order of the files.
 *
 * <p>Relocations are most of a module's bytes, and the loader checks relocations last, so {@link #examine} reads them
 * later. The relocations of a compressed file are read immediately, because such a file must be decompressed as a
 * whole.
 */
final class ModuleFacts {
    /**
     * A file to read.
     *
     * @param origin the name of the file in reports
     * @param identity the file's identity when it was found, null if unknown
     * @param packaged the facts already read from the package that contains the file, null for a plain file
     */
    record ModuleInput(
            Path file,
            Origin origin,
            @Nullable FileIdentity identity,
            @Nullable PackagedModule packaged) {
        ModuleInput(Path file, String display) {
            this(file, Origin.file(display), null, null);
        }
    }

    private final ModuleInput[] sources;
    private final int threads;
    private final @Nullable DirectoryCache[] shelves;
    private final @Nullable FileIdentity[] identities;
    private final long started;
    private final @Nullable KernelModule[] modules;
    private final @Nullable String[] failures;
    private final @Nullable SignedDigest[] digests;
    private final @Nullable Proof[] proofs;
    private final @Nullable JudgedTypes[] types;
    private final RuntimeNames[] runtime;
    private final Predicate<KernelModule> signed;
    private volatile @Nullable String builtFor;
    private final Workers workers;

    private ModuleFacts(
            ModuleInput[] sources,
            ReadOptions options,
            Predicate<KernelModule> signed,
            Runnable before,
            IntConsumer progress) {
        this.sources = sources;
        this.threads = options.threads();
        this.started = options.cache().now();
        this.shelves = options.cache().shelves(files(sources));
        this.identities = new FileIdentity[sources.length];
        this.modules = new KernelModule[sources.length];
        this.failures = new String[sources.length];
        this.digests = new SignedDigest[sources.length];
        this.proofs = new Proof[sources.length];
        this.types = new JudgedTypes[sources.length];
        this.runtime = new RuntimeNames[sources.length];
        Arrays.fill(runtime, RuntimeNames.NONE);
        this.signed = signed;
        FileContents.expectXz(newlyPacked());
        this.workers = Workers.start(sources.length, threads, before, () -> reader(progress));
    }

    /**
     * Starts to read; the caller may do other work until {@link #finish}.
     *
     * @param options the options, whose thread count includes the caller's thread
     * @param signed a filter for signed modules whose signature matters, called from any thread; matching modules in
     *     compressed files are digested immediately
     * @param progress receives, from any thread, the number of files read since the last call
     */
    static ModuleFacts start(
            ModuleInput[] sources, ReadOptions options, Predicate<KernelModule> signed, IntConsumer progress) {
        return start(sources, options, signed, () -> {}, progress);
    }

    /** Starts to read. If there are threads besides the caller's, one of them first runs {@code before}. */
    static ModuleFacts start(
            ModuleInput[] sources,
            ReadOptions options,
            Predicate<KernelModule> signed,
            Runnable before,
            IntConsumer progress) {
        return new ModuleFacts(sources, options, signed, before, progress);
    }

    static ModuleFacts read(ModuleInput[] sources, ReadOptions options) {
        return start(sources, options, module -> true, count -> {}).finish();
    }

    static ModuleInput[] inputs(List<ModuleSource> modules) {
        ModuleInput[] inputs = new ModuleInput[modules.size()];
        for (int i = 0; i < inputs.length; i++) {
            ModuleSource module = modules.get(i);
            inputs[i] = new ModuleInput(module.host(), module.origin(), module.identity(), module.packaged());
        }
        return inputs;
    }

    private static Path[] files(ModuleInput[] sources) {
        Path[] files = new Path[sources.length];
        for (int i = 0; i < files.length; i++) {
            files[i] = sources[i].file();
        }
        return files;
    }

    private int newlyPacked() {
        int count = 0;
        for (int i = 0; i < sources.length; i++) {
            boolean isXz = sources[i].file().toString().endsWith(".ko.xz");
            count += isXz && DirectoryCache.isEmpty(shelves[i]) ? 1 : 0;
        }
        return count;
    }

    private IntConsumer reader(IntConsumer progress) {
        FileContents contents = FileContents.ofWorker();
        return new IntConsumer() {
            @Override
            public void accept(int index) {
                read(index, contents);
                progress.accept(1);
            }
        };
    }

    private void read(int index, FileContents contents) {
        ModuleInput source = sources[index];
        PackagedModule packaged = source.packaged();
        if (packaged != null) {
            read(index, packaged);
            return;
        }
        Origin origin = source.origin();
        KeptModule kept = kept(index, origin);
        if (kept != null) {
            modules[index] = kept.module();
            builtFor = kept.module().release();
            proofs[index] = kept.proof();
            types[index] = kept.types();
            runtime[index] = kept.runtime();
            return;
        }
        try {
            contents.load(source.file());
            KernelModule module = contents.compression() == Compression.NONE
                    ? ModuleReader.readWithoutRelocations(origin, contents.bytes(), contents.length())
                    : ModuleReader.read(origin, contents.bytes(), contents.length())
                            .with(contents.packing());
            modules[index] = module;
            builtFor = module.release();
            boolean matters = module.signature().signer() != null && signed.test(module);
            if (matters && contents.compression() != Compression.NONE) {
                digests[index] = SignedDigest.of(contents.bytes(), contents.length());
            }
            if (RuntimeNames.isAskedFor(module)) {
                runtime[index] = ModuleReader.readRuntimeNames(contents.bytes(), contents.length());
            }
            keep(index, module);
        } catch (UnreadableException e) {
            failures[index] = e.reason();
        } finally {
            contents.release();
        }
    }

    private void read(int index, PackagedModule packaged) {
        try {
            modules[index] = packaged.facts().read();
            runtime[index] = packaged.runtime();
        } catch (UnreadableException e) {
            failures[index] = e.reason();
        }
    }

    /** Returns the facts that an earlier run read from the same file, null if the cache has none. */
    private @Nullable KeptModule kept(int index, Origin origin) {
        DirectoryCache shelf = shelves[index];
        FileIdentity known = sources[index].identity();
        FileIdentity identity = shelf == null ? null : known != null ? known : identity(index);
        identities[index] = identity;
        if (shelf == null || identity == null) {
            return null;
        }
        return shelf.find(identity, origin);
    }

    private void keep(int index, KernelModule module) {
        DirectoryCache shelf = shelves[index];
        FileIdentity before = identities[index];
        if (shelf != null && before != null && before.equals(identity(index))) {
            KeptModule kept = new KeptModule(module, runtime[index], proofs[index], types[index]);
            shelf.keep(before, started, sources[index].file(), kept);
        }
    }

    private @Nullable FileIdentity identity(int index) {
        try {
            return FileIdentity.of(sources[index].file());
        } catch (IOException | UnsupportedOperationException e) {
            return null;
        }
    }

    ModuleFacts finish() {
        workers.finish();
        return this;
    }

    void verify(BitSet wanted, SignatureVerifier verifier, @Nullable Proof[] found) {
        BitSet left = new BitSet();
        Workers.start(sources.length, threads, Workers.all(index -> {
                    if (wanted.get(index)) {
                        found[index] = proof(index, verifier);
                        synchronized (left) {
                            left.set(index, found[index] == Proof.NONE);
                        }
                    }
                }))
                .finish();
        again(left, (index, data, length) -> {
            SignedContents place = SignedContents.of(data, length);
            found[index] = place == null ? Proof.NONE : verifier.verify(data, place);
        });
        for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
            KernelModule module = modules[i];
            DirectoryCache shelf = shelves[i];
            if (module != null && shelf != null && found[i] != proofs[i] && shelf.isKept(found[i])) {
                proofs[i] = found[i];
                keep(i, module);
            }
        }
    }

    /**
     * Returns the result of a file's signature check without reading the file: from the cache, else from the file's
     * digest. Returns {@code NONE} if neither suffices.
     */
    private Proof proof(int index, SignatureVerifier verifier) {
        KernelModule module = modules[index];
        Signer signer = module == null ? null : module.signature().signer();
        Proof kept = proofs[index];
        Proof still = kept == null || signer == null ? null : verifier.still(kept, signer);
        SignedDigest digest = digests[index];
        if (still != null) {
            proofs[index] = still;
            return still;
        }
        return digest == null ? Proof.NONE : verifier.verify(digest);
    }

    /**
     * Reads some files again for their relocations, and some for their BTF. The relocations of a file that became
     * unreadable stay unexamined.
     *
     * @param firstString see {@link #types}
     */
    void examine(BitSet forRelocations, BitSet forTypes, int firstString) {
        BitSet wanted = (BitSet) forTypes.clone();
        for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
            wanted.set(i, types(i, firstString) == BtfAnswer.UNCLEAR);
        }
        BitSet asked = (BitSet) wanted.clone();
        wanted.or(forRelocations);
        again(wanted, new RepeatedReading.Visitor() {
            @Override
            public void visit(int index, byte[] data, int length) {
                KernelModule module = modules[index];
                if (module == null) {
                    return;
                }
                if (asked.get(index)) {
                    BtfAnswer answer = ModuleReader.judgeTypes(data, length, firstString);
                    types[index] = new JudgedTypes(firstString, answer);
                }
                if (forRelocations.get(index)) {
                    module = module.with(ModuleReader.readRelocations(data, length));
                    modules[index] = module;
                }
                keep(index, module);
            }
        });
    }

    /**
     * Returns the result of a file's BTF check, {@code UNCLEAR} if the file was not checked with this
     * {@code firstString}.
     *
     * @param firstString see {@link ModuleReader#judgeTypes}
     */
    BtfAnswer types(int index, int firstString) {
        JudgedTypes judged = types[index];
        return judged == null || judged.firstString() != firstString ? BtfAnswer.UNCLEAR : judged.answer();
    }

    void again(BitSet wanted, RepeatedReading.Visitor visitor) {
        new RepeatedReading(sources, threads, visitor).read(wanted);
    }

    int size() {
        return sources.length;
    }

    ModuleInput source(int index) {
        return sources[index];
    }

    /**
     * Returns the kernel that a recently read module was built for, null if unknown. May be called while modules are
     * being read.
     */
    @Nullable
    String builtFor() {
        return builtFor;
    }

    @Nullable
    KernelModule module(int index) {
        return modules[index];
    }

    RuntimeNames runtime(int index) {
        return runtime[index];
    }

    /** Returns the reason why file {@code index} could not be read, else null. */
    @Nullable
    String failure(int index) {
        return failures[index];
    }
}
