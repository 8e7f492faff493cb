package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.ModuleTables.ReportedTable;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.Signature;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.ModuleSignature.SignatureProblem;
import dev.weaklink.module.Origin;
import dev.weaklink.module.Signer;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates a module's facts from its node's report, which contains vermagic, CRCs and signer, but not the file. */
public final class ReportedModule {
    private static final String MODULE_LAYOUT = "module_layout";

    private ReportedModule() {}

    /**
     * Returns the reason why a node's report about a module is not sufficient for a verdict; null if the report is
     * sufficient.
     *
     * @param table the reported symbol table; null if no node reported a table
     */
    public static @Nullable String objection(Module module, @Nullable ReportedTable table) {
        if (table == null) {
            return "neither the module's symbol table nor its file is in the input; collect with --full, or add"
                    + " --modules";
        }
        if (table.versions() == null) {
            return "the node found no symbol versions in the module";
        }
        if (module.vermagic() == null) {
            return "the node found no vermagic in the module";
        }
        if (module.crcs() != null && !module.crcs().equals(table.digest())) {
            return "the module's symbol table does not match the digest that the node reported";
        }
        return null;
    }

    /** Returns the module as its node reports it. Call only if {@link #objection} returned null. */
    public static KernelModule of(Module module, ReportedTable table) {
        SymbolNames versions = table.versions();
        if (versions == null) {
            throw new IllegalArgumentException("no table");
        }
        List<String> info = List.of("name=" + module.name(), "vermagic=" + module.vermagic());
        return KernelModule.reported(
                Origin.file(module.path()),
                ModInfo.some(info),
                new Imports(imports(versions), new BitSet()),
                new VersionTable(VersionTable.Layout.CLASSIC, versions, table.crcs()),
                exports(table),
                signature(module.signature()));
    }

    /**
     * Returns the module's signature. If the node does not report whether the module is signed, or reports an unknown
     * kind, the kind is UNKNOWN, because the kernel may accept the actual signature.
     */
    private static ModuleSignature signature(@Nullable Signature reported) {
        if (reported == null) {
            return new ModuleSignature(
                    SignatureKind.UNKNOWN,
                    SignatureProblem.UNKNOWN,
                    0,
                    null,
                    new Proof(ProofResult.NOT_REPORTED, null));
        }
        SignatureKind kind = switch (reported.kind()) {
            case "none" -> SignatureKind.UNSIGNED;
            case "PKCS#7" -> SignatureKind.PKCS7;
            case "X509" -> SignatureKind.X509;
            case "PGP" -> SignatureKind.PGP;
            default -> SignatureKind.UNKNOWN;
        };
        return new ModuleSignature(kind, SignatureProblem.UNKNOWN, 0, signer(reported, kind), Proof.NONE);
    }

    private static @Nullable Signer signer(Signature reported, SignatureKind kind) {
        String key = reported.key() == null ? null : bytes(reported.key());
        if (key == null) {
            return null;
        }
        boolean isSerial = kind == SignatureKind.PKCS7;
        return new Signer(null, null, null, isSerial ? key : null, isSerial ? null : key, reported.signer());
    }

    /** Decodes two hexadecimal digits for each byte, separated by colons; returns null for any other text. */
    private static @Nullable String bytes(String key) {
        try {
            byte[] bytes = HexFormat.ofDelimiter(":").parseHex(key);
            return bytes.length == 0 ? null : new String(bytes, StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static SymbolNames imports(SymbolNames versions) {
        SymbolNames pool = versions.pool();
        int[] picks = new int[versions.size()];
        int count = 0;
        for (int i = 0; i < picks.length; i++) {
            if (!versions.is(i, MODULE_LAYOUT)) {
                picks[count++] = versions.poolIndex(i);
            }
        }
        int[] all = Arrays.copyOf(picks, count);
        return pool == null ? SymbolNames.NONE : pool.pick(all);
    }

    private static Exports exports(ReportedTable table) {
        SymbolNames names = table.exports();
        if (names == null) {
            return Exports.UNKNOWN;
        }
        int[] crcs = new int[names.size()];
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = (int) table.exportCrcs()[i];
        }
        return Exports.ofNames(names, crcs);
    }
}
