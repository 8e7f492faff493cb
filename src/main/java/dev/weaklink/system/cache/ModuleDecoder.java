package dev.weaklink.system.cache;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.Packing;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.KernelModule.ModuleBtf;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.Origin;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.Signer;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of a module as {@link ModuleEncoder} wrote them. The entries of {@code .modinfo} refer to the cached
 * bytes.
 */
final class ModuleDecoder {
    private static final VersionTable.Layout[] LAYOUTS = VersionTable.Layout.values();
    private static final ModuleSignature.SignatureKind[] KINDS = ModuleSignature.SignatureKind.values();
    private static final ModuleSignature.Certificates[] CERTIFICATES = ModuleSignature.Certificates.values();
    private static final ModuleSignature.SignatureProblem[] PROBLEMS = ModuleSignature.SignatureProblem.values();
    private static final ElfDefect.ElfDefectKind[] DEFECTS = ElfDefect.ElfDefectKind.values();
    private static final int DEFECT_SIZE = 21;
    private static final Relocations.RelocatedField[] PLACES = Relocations.RelocatedField.values();
    private static final Relocations.Value[] VALUES = Relocations.Value.values();
    private static final int USE_SIZE = 14;
    private static final Compression[] COMPRESSIONS = Compression.values();
    private static final Packing.UnpackingObstacle[] OBSTACLES = Packing.UnpackingObstacle.values();

    private final SegmentCursor in;
    private final SymbolNames pool;

    ModuleDecoder(SegmentCursor in, SymbolNames pool) {
        this.in = in;
        this.pool = pool;
    }

    /**
     * Reads a module.
     *
     * @throws UnreadableException if values are inconsistent; other damage causes an IndexOutOfBoundsException or
     *     BufferUnderflowException
     */
    KernelModule read(Origin origin) throws UnreadableException {
        return new KernelModule(
                origin,
                identity(),
                in.text(),
                in.i64(),
                modInfo(),
                new Imports(names(), in.bits()),
                versions(),
                versions(),
                exports(),
                signature(),
                in.text(),
                btf(),
                relocations(),
                defects(),
                false,
                new Packing(in.constant(COMPRESSIONS), in.constant(OBSTACLES)));
    }

    /** Reads a signature without the result of its check, which depends on the kernel. */
    private ModuleSignature signature() throws UnreadableException {
        ModuleSignature.SignatureKind kind = in.constant(KINDS);
        ModuleSignature.SignatureProblem problem = in.constant(PROBLEMS);
        long length = in.i64();
        ModuleSignature.Certificates certificates = in.constant(CERTIFICATES);
        Signer signer = in.bool() ? new Signer(in.text(), in.text(), in.text(), in.text(), in.text(), in.text()) : null;
        return new ModuleSignature(kind, problem, length, signer, certificates, ModuleSignature.Proof.NONE);
    }

    private @Nullable ElfIdentity identity() {
        return in.bool() ? new ElfIdentity(in.i32(), in.bool(), in.bool(), in.i32()) : null;
    }

    private ModInfo modInfo() throws UnreadableException {
        boolean present = in.bool();
        boolean allocated = in.bool();
        int[] starts = in.ints(in.count(Integer.BYTES));
        int size = in.count(1);
        int base = in.position();
        for (int i = 0; i < starts.length; i++) {
            if (starts[i] < 0 || starts[i] >= size) {
                throw new UnreadableException("an entry outside the module information");
            }
            starts[i] += base;
        }
        in.skip(size);
        return present ? new ModInfo(in.bytes(), starts, true, allocated) : ModInfo.ABSENT;
    }

    private SymbolNames names() throws UnreadableException {
        int count = in.count(Integer.BYTES);
        return count == 0 ? SymbolNames.NONE : pool.pick(in.ints(count));
    }

    private @Nullable VersionTable versions() throws UnreadableException {
        if (!in.bool()) {
            return null;
        }
        VersionTable.Layout layout = in.constant(LAYOUTS);
        SymbolNames symbols = names();
        long[] crcs = in.longs(in.count(Long.BYTES));
        if (crcs.length < symbols.size()) {
            throw new UnreadableException("fewer CRCs than names");
        }
        return new VersionTable(layout, symbols, crcs);
    }

    private Exports exports() throws UnreadableException {
        SymbolNames symbols = names();
        if (symbols.size() == 0) {
            return Exports.NONE;
        }
        int[] crcs = in.ints(in.count(Integer.BYTES));
        var hasCrc = in.bits();
        var gplOnly = in.bits();
        @Nullable String[] namespaces = new String[in.count(Integer.BYTES)];
        if (crcs.length < symbols.size() || namespaces.length < symbols.size()) {
            throw new UnreadableException("fewer CRCs or namespaces than exports");
        }
        for (int i = 0; i < namespaces.length; i++) {
            namespaces[i] = in.text();
        }
        return new Exports(symbols, crcs, hasCrc, gplOnly, namespaces, in.i32(), in.i32(), in.i32());
    }

    private ModuleBtf btf() {
        boolean present = in.bool();
        boolean base = in.bool();
        return present || base ? new ModuleBtf(present, base) : ModuleBtf.NONE;
    }

    private Relocations relocations() throws UnreadableException {
        boolean examined = in.bool();
        int count = in.count(USE_SIZE);
        List<Relocations.Use> uses = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            uses.add(new Relocations.Use(
                    in.i32(), in.i32(), in.i32(), in.constant(PLACES), in.constant(VALUES), in.text(), in.i64()));
        }
        return examined ? new Relocations(true, uses) : Relocations.NOT_EXAMINED;
    }

    private List<ElfDefect> defects() throws UnreadableException {
        int count = in.count(DEFECT_SIZE);
        if (count == 0) {
            return List.of();
        }
        List<ElfDefect> defects = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            defects.add(new ElfDefect(in.constant(DEFECTS), in.i64(), in.i64(), in.textOrThrow()));
        }
        return List.copyOf(defects);
    }
}
