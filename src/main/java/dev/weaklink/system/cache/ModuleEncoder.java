package dev.weaklink.system.cache;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.Exports;
import dev.weaklink.module.InternedNames;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.Signer;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import java.nio.BufferOverflowException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the facts of a module in the order in which {@link ModuleDecoder} reads them. Leaves out the module's origin
 * and the results of its signature and BTF checks.
 */
final class ModuleEncoder {
    private final SegmentBytes out;
    private final InternedNames names;
    private int[] picks = new int[256];

    ModuleEncoder(SegmentBytes out, InternedNames names) {
        this.out = out;
        this.names = names;
    }

    /**
     * Appends a module.
     *
     * @throws BufferOverflowException if the buffer is full; the bytes written so far are then invalid
     */
    void write(KernelModule module) {
        identity(module.elf());
        out.text(module.structName());
        out.i64(module.structSize());
        modInfo(module.modInfo());
        names(module.imports().names());
        out.bits(module.imports().weak());
        versions(module.versions());
        versions(module.extendedVersions());
        exports(module.exports());
        signature(module.signature());
        out.text(module.buildId());
        out.bool(module.btf().present());
        out.bool(module.btf().base());
        relocations(module.relocations());
        defects(module.defects());
        out.u8(module.packing().compression().ordinal());
        out.u8(module.packing().obstacle().ordinal());
    }

    private void identity(@Nullable ElfIdentity elf) {
        out.bool(elf != null);
        if (elf != null) {
            out.i32(elf.machine());
            out.bool(elf.is64());
            out.bool(elf.littleEndian());
            out.i32(elf.flags());
        }
    }

    private void modInfo(ModInfo info) {
        out.bool(info.present());
        out.bool(info.allocated());
        out.i32(info.size());
        int at = 0;
        for (int i = 0; i < info.size(); i++) {
            out.i32(at);
            at += info.end(i) - info.start(i) + 1;
        }
        out.i32(at);
        for (int i = 0; i < info.size(); i++) {
            out.bytes(info.bytes(), info.start(i), info.end(i) - info.start(i));
            out.u8(0);
        }
    }

    private void names(SymbolNames list) {
        int size = list.size();
        if (picks.length < size) {
            picks = new int[size];
        }
        for (int i = 0; i < size; i++) {
            picks[i] = names.add(list, i);
        }
        out.i32(size);
        out.ints(picks, size);
    }

    private void versions(@Nullable VersionTable table) {
        out.bool(table != null);
        if (table != null) {
            out.u8(table.layout().ordinal());
            names(table.names());
            out.i32(table.crcs().length);
            out.longs(table.crcs(), table.crcs().length);
        }
    }

    private void exports(Exports exports) {
        names(exports.names());
        if (exports.names().size() == 0) {
            return;
        }
        out.i32(exports.crcs().length);
        out.ints(exports.crcs(), exports.crcs().length);
        out.bits(exports.hasCrc());
        out.bits(exports.gplOnly());
        @Nullable String[] namespaces = exports.namespaces();
        out.i32(namespaces.length);
        for (String namespace : namespaces) {
            out.text(namespace);
        }
        out.i32(exports.plain());
        out.i32(exports.current());
        out.i32(exports.flagged());
    }

    private void signature(ModuleSignature signature) {
        out.u8(signature.kind().ordinal());
        out.u8(signature.problem().ordinal());
        out.i64(signature.length());
        out.u8(signature.certificates().ordinal());
        Signer signer = signature.signer();
        out.bool(signer != null);
        if (signer != null) {
            out.text(signer.digest());
            out.text(signer.algorithm());
            out.text(signer.issuer());
            out.text(signer.serial());
            out.text(signer.keyId());
            out.text(signer.text());
        }
    }

    private void relocations(Relocations relocations) {
        out.bool(relocations.examined());
        out.i32(relocations.uses().size());
        for (Relocations.Use use : relocations.uses()) {
            out.i32(use.section());
            out.i32(use.index());
            out.i32(use.type());
            out.u8(use.place().ordinal());
            out.u8(use.value().ordinal());
            out.text(use.symbol());
            out.i64(use.addend());
        }
    }

    private void defects(List<ElfDefect> defects) {
        out.i32(defects.size());
        for (ElfDefect defect : defects) {
            out.u8(defect.kind().ordinal());
            out.i64(defect.first());
            out.i64(defect.second());
            out.text(defect.text());
        }
    }
}
