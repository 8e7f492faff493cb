package dev.weaklink.module;

import dev.weaklink.format.btf.BtfValidity;
import dev.weaklink.format.codec.Packing;
import dev.weaklink.format.elf.ElfIdentity;
import java.io.Serial;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The facts of one built module, as the loader would read them. Immutable.
 *
 * @param origin the file that the facts were read from
 * @param elf machine, class and byte order; null if unknown, for example because the file is not an ELF file
 * @param structName name inside {@code struct module} (section {@code .gnu.linkonce.this_module}); null if unknown, or
 *     if that section is absent, too small or unreadable
 * @param structSize size of {@code .gnu.linkonce.this_module} in bytes, -1 if absent
 * @param modInfo the {@code .modinfo} entries in file order
 * @param imports undefined symbols in symtab order
 * @param versions {@code __versions}, null if there is no such section with SHF_ALLOC
 * @param extendedVersions {@code __version_ext_crcs} and {@code __version_ext_names}; null if either is missing, lacks
 *     SHF_ALLOC or is not in the file
 * @param signature the trailer behind the ELF data
 * @param buildId {@code .note.gnu.build-id} in lower-case hex, null if absent or invalid
 * @param btf the BTF sections of the module
 * @param relocations the relocations of loaded sections, which the loader must apply
 * @param defects the violations of the loader's own validity checks, roughly in the loader's order
 * @param reported whether the module is known only from the report of a node (a machine); a request for its defects,
 *     its BTF or the size of struct module then throws {@link UnknownFactException}
 * @param packing the compression of the module's file
 */
public record KernelModule(
        Origin origin,
        @Nullable ElfIdentity elf,
        @Nullable String structName,
        long structSize,
        ModInfo modInfo,
        Imports imports,
        @Nullable VersionTable versions,
        @Nullable VersionTable extendedVersions,
        Exports exports,
        ModuleSignature signature,
        @Nullable String buildId,
        ModuleBtf btf,
        Relocations relocations,
        List<ElfDefect> defects,
        boolean reported,
        Packing packing) {

    /**
     * The BTF sections of a module.
     *
     * @param present whether the module has {@code .BTF}
     * @param base whether the module has {@code .BTF.base}, which makes its BTF usable with the BTF of another kernel
     * @param answer the result of the kernel's validity check of the BTF; {@code UNCLEAR} if weaklink could not make
     *     the check
     */
    public record ModuleBtf(boolean present, boolean base, BtfValidity.BtfAnswer answer) {
        public static final ModuleBtf NONE = new ModuleBtf(false, false);

        public ModuleBtf(boolean present, boolean base) {
            this(present, base, BtfValidity.BtfAnswer.UNCLEAR);
        }
    }

    public static KernelModule unread(Origin origin) {
        return broken(origin, null, ModuleSignature.UNSIGNED, List.of());
    }

    static KernelModule broken(
            Origin origin, @Nullable ElfIdentity elf, ModuleSignature signature, List<ElfDefect> defects) {
        return new KernelModule(
                origin,
                elf,
                null,
                -1,
                ModInfo.ABSENT,
                Imports.NONE,
                null,
                null,
                Exports.NONE,
                signature,
                null,
                ModuleBtf.NONE,
                Relocations.NOT_EXAMINED,
                List.copyOf(defects),
                false,
                Packing.NONE);
    }

    /**
     * Returns the kernel release the module was built for: the first word of its vermagic, or null if the module has no
     * vermagic.
     */
    public @Nullable String release() {
        String vermagic = modInfo.first("vermagic");
        int blank = vermagic == null ? -1 : vermagic.indexOf(' ');
        return vermagic == null || blank < 0 ? vermagic : vermagic.substring(0, blank);
    }

    public KernelModule with(Relocations examined) {
        return with(signature, examined, btf, packing);
    }

    public KernelModule with(ModuleSignature proven) {
        return with(proven, relocations, btf, packing);
    }

    public KernelModule with(BtfValidity.BtfAnswer answer) {
        return with(signature, relocations, new ModuleBtf(btf.present(), btf.base(), answer), packing);
    }

    public KernelModule with(Packing packed) {
        return with(signature, relocations, btf, packed);
    }

    private KernelModule with(ModuleSignature proven, Relocations examined, ModuleBtf types, Packing files) {
        return new KernelModule(
                origin,
                elf,
                structName,
                structSize,
                modInfo,
                imports,
                versions,
                extendedVersions,
                exports,
                proven,
                buildId,
                types,
                examined,
                defects,
                reported,
                files);
    }

    public static KernelModule reported(
            Origin origin,
            ModInfo modInfo,
            Imports imports,
            VersionTable versions,
            Exports exports,
            ModuleSignature signature) {
        return new KernelModule(
                origin,
                null,
                null,
                -1,
                modInfo,
                imports,
                versions,
                null,
                exports,
                signature,
                null,
                ModuleBtf.NONE,
                Relocations.NOT_EXAMINED,
                List.of(),
                true,
                Packing.NONE);
    }

    @Override
    public long structSize() {
        requireFile("the size of struct module");
        return structSize;
    }

    @Override
    public ModuleBtf btf() {
        requireFile("BTF");
        return btf;
    }

    @Override
    public List<ElfDefect> defects() {
        requireFile("the ELF structure");
        return defects;
    }

    public List<ElfDefect> knownDefects() {
        return defects;
    }

    /**
     * The exception for a fact that the module's node (a machine) did not report. The exception prevents a caller from
     * treating an unknown fact as an observed one.
     */
    public static final class UnknownFactException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        UnknownFactException(String fact) {
            super(fact + " is unknown, because a node reported the module without its file", null, false, false);
        }
    }

    private void requireFile(String fact) {
        if (reported) {
            throw new UnknownFactException(fact);
        }
    }

    /**
     * Returns the module's name as the loader prints it: the name in struct module, else {@code name=}. If the module
     * has neither, returns the file's name without its endings and with {@code _} for {@code -}.
     */
    public String name() {
        if (structName != null && !structName.isEmpty()) {
            return structName;
        }
        return Optional.ofNullable(modInfo.first("name")).orElseGet(origin::moduleName);
    }
}
