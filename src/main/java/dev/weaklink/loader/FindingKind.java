package dev.weaklink.loader;

import static dev.weaklink.loader.FindingKind.Errno.EBADMSG;
import static dev.weaklink.loader.FindingKind.Errno.EEXIST;
import static dev.weaklink.loader.FindingKind.Errno.EINVAL;
import static dev.weaklink.loader.FindingKind.Errno.EKEYREJECTED;
import static dev.weaklink.loader.FindingKind.Errno.EMSGSIZE;
import static dev.weaklink.loader.FindingKind.Errno.ENOENT;
import static dev.weaklink.loader.FindingKind.Errno.ENOEXEC;
import static dev.weaklink.loader.FindingKind.Errno.ENOMEM;
import static dev.weaklink.loader.FindingKind.Errno.ENOPKG;
import static dev.weaklink.loader.FindingKind.Errno.EPERM;

import dev.weaklink.sys.ShippedText;
import dev.weaklink.sys.StableId;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of findings. A finding is a note, a module that would stop loading, a reason for a refusal, or a reason why
 * the verdict is undetermined. The ids are part of the machine-readable output. The manual page and {@code weaklink
 * explain} are generated from this list and {@code findings.txt}, which has a line for each kind.
 */
public enum FindingKind implements StableId {
    INPUT_UNREADABLE(Layer.INPUT, null),
    KERNEL_MIXED(Layer.INPUT, null),
    FILE_COMPRESSION(Layer.INPUT, EINVAL),
    FILE_STREAMS(Layer.INPUT, ENOEXEC),

    SIGNATURE_LENGTH(Layer.SIGNATURE, EBADMSG),
    SIGNATURE_FORMAT(Layer.SIGNATURE, ENOPKG),
    SIGNATURE_PARAMS(Layer.SIGNATURE, EBADMSG),
    SIGNATURE_SIZE(Layer.SIGNATURE, EMSGSIZE),
    SIGNATURE_MALFORMED(Layer.SIGNATURE, EBADMSG),
    SIGNATURE_CONTENT_TYPE(Layer.SIGNATURE, EINVAL),
    SIGNATURE_ATTACHED(Layer.SIGNATURE, EBADMSG),
    SIGNATURE_ATTRIBUTES(Layer.SIGNATURE, EKEYREJECTED),
    SIGNATURE_ALGORITHM(Layer.SIGNATURE, ENOPKG),
    SIGNATURE_WRONG(Layer.SIGNATURE, EKEYREJECTED),
    SIGNATURE_UNSIGNED(Layer.SIGNATURE, null),
    SIGNATURE_UNSUPPORTED(Layer.SIGNATURE, null),
    SIGNATURE_UNKNOWN_KEY(Layer.SIGNATURE, null),
    SIGNATURE_NOT_REPORTED(Layer.SIGNATURE, null),
    SIGNATURE_KEY_NOT_BUILT_IN(Layer.SIGNATURE, null),
    SIGNATURE_TRUST_UNREADABLE(Layer.SIGNATURE, null),
    SIGNATURE_KEYS_UNKNOWN(Layer.SIGNATURE, null),
    SIGNATURE_NOT_VERIFIED(Layer.SIGNATURE, null),

    ELF_EMPTY(Layer.ELF, EINVAL),
    ELF_HEADER_SIZE(Layer.ELF, ENOEXEC),
    ELF_MAGIC(Layer.ELF, ENOEXEC),
    ELF_TYPE(Layer.ELF, ENOEXEC),
    ELF_SECTION_HEADER_SIZE(Layer.ELF, ENOEXEC),
    ELF_SECTION_TABLE_BOUNDS(Layer.ELF, ENOEXEC),
    ELF_NAME_TABLE_INDEX(Layer.ELF, ENOEXEC),
    ELF_SECTION_BOUNDS(Layer.ELF, ENOEXEC),
    ELF_NAME_TABLE_EMPTY(Layer.ELF, ENOEXEC),
    ELF_NAME_TABLE_END(Layer.ELF, ENOEXEC),
    ELF_SECTION_ZERO(Layer.ELF, ENOEXEC),
    ELF_SYMTAB_LINK(Layer.ELF, ENOEXEC),
    ELF_SECTION_NAME_BOUNDS(Layer.ELF, ENOEXEC),
    ELF_SEVERAL_MODINFO(Layer.ELF, ENOEXEC),
    ELF_NO_SYMTAB(Layer.ELF, ENOEXEC),
    ELF_SEVERAL_SYMTABS(Layer.ELF, ENOEXEC),
    ELF_STRTAB_END(Layer.ELF, ENOEXEC),
    ELF_SYMBOL_NAME_BOUNDS(Layer.ELF, ENOEXEC),
    ELF_EXTENDED_HALF(Layer.ELF, ENOEXEC),
    ELF_EXTENDED_NAMES(Layer.ELF, ENOEXEC),
    ELF_NAME_TABLE_TYPE(Layer.ELF, null),
    ELF_STRTAB_TYPE(Layer.ELF, null),
    ELF_MEMORY(Layer.ELF, ENOMEM),
    ELF_PER_CPU(Layer.ELF, ENOMEM),
    ELF_ALIGNMENT(Layer.ELF, null),
    ELF_NAMES_OVERLAP(Layer.ELF, null),
    ELF_CONSTRUCTORS(Layer.ELF, null),
    ELF_SYMBOL_SECTION(Layer.ELF, ENOEXEC),
    ELF_WRITABLE_EXECUTABLE(Layer.ELF, ENOEXEC),
    ELF_ARCH_SECTION(Layer.ELF, ENOEXEC),
    ELF_TRAMPOLINE(Layer.ELF, ENOEXEC),
    ELF_SECTION_TWICE(Layer.ELF, EEXIST),
    ELF_PARAMETERS(Layer.ELF, null),
    ELF_STACK_PROTECTOR(Layer.ELF, null),
    ELF_STATIC_CALL(Layer.ELF, null),
    ELF_LIVEPATCH(Layer.ELF, ENOEXEC),
    ELF_COMMON_SYMBOL(Layer.ELF, ENOEXEC),

    ARCHITECTURE_BYTE_ORDER(Layer.ARCHITECTURE, ENOEXEC),
    ARCHITECTURE_MACHINE(Layer.ARCHITECTURE, ENOEXEC),

    STRUCT_MODULE_SECTION(Layer.STRUCT_MODULE, ENOEXEC),
    STRUCT_MODULE_SIZE(Layer.STRUCT_MODULE, ENOEXEC),
    STRUCT_MODULE_CONTENTS(Layer.STRUCT_MODULE, null),

    LAYOUT_CRC_MISMATCH(Layer.MODULE_LAYOUT, ENOEXEC),
    LAYOUT_NO_VERSION(Layer.MODULE_LAYOUT, ENOEXEC),
    LAYOUT_NO_TABLE(Layer.MODULE_LAYOUT, ENOEXEC),
    LAYOUT_NOT_COMPARED(Layer.MODULE_LAYOUT, null),

    VERMAGIC_MISMATCH(Layer.VERMAGIC, ENOEXEC),
    VERMAGIC_MISSING(Layer.VERMAGIC, ENOEXEC),

    LICENSE_INHERITED(Layer.LICENSE, null),
    LICENSE_MIXED(Layer.LICENSE, ENOENT),

    NAME_EMPTY(Layer.MODULE_NAME, EINVAL),
    NAME_VMLINUX(Layer.MODULE_NAME, EINVAL),
    NAME_BUILT_IN(Layer.MODULE_NAME, EINVAL),

    EXPORT_NO_FLAGS(Layer.EXPORT_FLAGS, ENOEXEC),
    EXPORT_OLD_TABLE(Layer.EXPORT_FLAGS, null),
    EXPORT_NO_CRC(Layer.EXPORT_VERSIONS, ENOEXEC),

    SYMBOL_MISSING(Layer.SYMBOL_MISSING, ENOENT),
    SYMBOL_NOT_KNOWN(Layer.SYMBOL_MISSING, null),
    SYMBOL_EXPORTS_UNKNOWN(Layer.SYMBOL_MISSING, null),
    SYMBOL_WEAK(Layer.SYMBOL_MISSING, null),
    SYMBOL_GET(Layer.SYMBOL_MISSING, null),

    SYMBOL_GPL_ONLY(Layer.SYMBOL_GPL_ONLY, ENOENT),
    SYMBOL_LICENSE_UNKNOWN(Layer.SYMBOL_GPL_ONLY, null),

    SYMBOL_CRC_MISMATCH(Layer.SYMBOL_CRC, EINVAL),
    SYMBOL_NOT_COMPARED(Layer.SYMBOL_CRC, null),
    SYMBOL_TYPE_MOVED(Layer.SYMBOL_CRC, null),

    SYMBOL_NO_TABLE(Layer.SYMBOL_VERSION, EINVAL),
    SYMBOL_NO_VERSION(Layer.SYMBOL_VERSION, EINVAL),

    NAMESPACE_RESERVED(Layer.NAMESPACE, EPERM),
    NAMESPACE_NOT_IMPORTED(Layer.NAMESPACE, EINVAL),

    DEPENDENCY_REFUSED(Layer.DEPENDENCY, ENOENT),
    DEPENDENCY_UNREADABLE(Layer.DEPENDENCY, null),
    DEPENDENCY_UNDETERMINED(Layer.DEPENDENCY, null),

    DEPENDENCY_ABSENT(Layer.DEPENDENCY, null),

    RELOCATION_TYPE(Layer.RELOCATION, ENOEXEC),
    RELOCATION_KIND(Layer.RELOCATION, ENOEXEC),
    RELOCATION_OVERFLOW(Layer.RELOCATION, ENOEXEC),
    RELOCATION_NO_UPPER_HALF(Layer.RELOCATION, EINVAL),
    RELOCATION_NO_SYMBOL(Layer.RELOCATION, null),
    RELOCATION_OUTSIDE(Layer.RELOCATION, null),
    RELOCATION_TWICE(Layer.RELOCATION, null),
    RELOCATION_LIVEPATCH(Layer.RELOCATION, null),
    RELOCATION_ADDRESS(Layer.RELOCATION, null),
    RELOCATION_NOT_ZERO(Layer.RELOCATION, ENOEXEC),

    BREAKS_IMPORTER(Layer.IMPORTERS, null),

    BREAKS_MOST(Layer.IMPORTERS, null),

    EXPORT_DUPLICATE(Layer.DUPLICATE_EXPORT, ENOEXEC),

    BTF_INVALID(Layer.BTF, EINVAL),
    BTF_MISMATCH(Layer.BTF, null);

    private final Layer layer;
    private final @Nullable String errno;
    private final String id;

    FindingKind(Layer layer, @Nullable String errno) {
        this.layer = layer;
        this.errno = errno;
        this.id = name().toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
    }

    @Override
    public String id() {
        return id;
    }

    public Layer layer() {
        return layer;
    }

    /**
     * Returns the usual errno of a refusal for this kind of finding. Returns null if the errno depends on the kernel,
     * or if no kernel refuses a module for this kind of finding.
     */
    public @Nullable String errno() {
        return errno;
    }

    public String meaning() {
        return text().meaning;
    }

    /**
     * Returns the kernel's code that decides (file:function in current sources); empty if the kernel does not decide.
     */
    public String source() {
        return text().source;
    }

    public String versions() {
        return text().versions;
    }

    public String remedy() {
        return text().remedy;
    }

    private Text text() {
        return Objects.requireNonNull(Text.OF.get(id), id);
    }

    String errnoOrThrow() {
        if (errno == null) {
            throw new IllegalStateException("no errno for " + id);
        }
        return errno;
    }

    public static @Nullable FindingKind of(String id) {
        return StableId.of(id, List.of(values()));
    }

    private record Text(String meaning, String source, String versions, String remedy) {
        private static final Map<String, Text> OF = read(ShippedText.of("/findings.txt"));

        private static Map<String, Text> read(String table) {
            Map<String, String> named = new HashMap<>(Map.of("-", ""));
            Map<String, Text> texts = new HashMap<>();
            for (String line : table.lines().toList()) {
                if (line.isEmpty() || line.startsWith("#")) {
                    continue;
                }
                StringTokenizer cells = new StringTokenizer(line, "|");
                String id = cells.nextToken().strip();
                if (id.startsWith("@")) {
                    named.put(id, cells.nextToken().strip());
                } else {
                    texts.put(
                            id,
                            new Text(next(cells, named), next(cells, named), next(cells, named), next(cells, named)));
                }
            }
            return texts;
        }

        private static String next(StringTokenizer cells, Map<String, String> named) {
            String cell = cells.nextToken().strip();
            return named.getOrDefault(cell, cell);
        }
    }

    static final class Errno {
        static final String EPERM = "EPERM";
        static final String ENOENT = "ENOENT";
        static final String ENOEXEC = "ENOEXEC";
        static final String ENOMEM = "ENOMEM";
        static final String EINVAL = "EINVAL";
        static final String EBADMSG = "EBADMSG";
        static final String EMSGSIZE = "EMSGSIZE";
        static final String ENOKEY = "ENOKEY";
        static final String EKEYREJECTED = "EKEYREJECTED";
        static final String ENOPKG = "ENOPKG";
        static final String EEXIST = "EEXIST";

        private Errno() {}
    }
}
