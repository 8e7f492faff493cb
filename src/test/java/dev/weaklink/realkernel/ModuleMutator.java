package dev.weaklink.realkernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Derives invalid modules, and some that only look invalid, from a kernel's own dummy, cmac, sch_prio, crc7, nls_utf8
 * and mlx4_core. Unless the case is about the signature, the signature is removed first, so that it is never the
 * reason. The same input gives the same bytes.
 */
final class ModuleMutator {
    private ModuleMutator() {}

    /** Writes every case below {@code directory} as CASE/MODULE.ko; returns the files by label. */
    static Map<String, Path> derive(Kernel kernel, Path directory) throws IOException {
        Mutations mutations = new Mutations(kernel::moduleBytes);
        SignatureCases.addTo(mutations);
        VermagicCases.addTo(mutations);
        VersionTableCases.addTo(mutations);
        SymbolCases.addTo(mutations);
        ModInfoCases.addTo(mutations);
        StructureCases.addTo(mutations);
        ExportCases.addTo(mutations);
        Map<String, Path> files = new LinkedHashMap<>();
        for (Map.Entry<String, byte[]> entry : mutations.files().entrySet()) {
            Path file = directory.resolve(entry.getKey());
            Files.createDirectories(file.getParent());
            files.put(entry.getKey(), Files.write(file, entry.getValue()));
        }
        return files;
    }

    /**
     * Returns the module without signature and with another CRC of {@code module_layout}, so that a kernel with that
     * layout compares the other CRCs, too.
     */
    static byte[] withModuleLayout(byte[] module, long crc) {
        ModuleEditor editor = new ModuleEditor(module);
        editor.setCrc("module_layout", crc);
        return editor.unsigned();
    }
}
