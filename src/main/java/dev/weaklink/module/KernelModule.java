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
 * @param origin where it was read from
 * @param elf machine, class and byte order; null if the file is no ELF file at all
 * @param structName name inside {@code struct module} (section {@code .gnu.linkonce.this_module}); null if that section
 *     is absent or unreadable
 * @param structSize size of {@code .gnu.linkonce.this_module} in bytes, -1 if absent
 * @param modInfo the {@code .modinfo} entries in file order
 * @param imports undefined symbols in symtab order
 * @param versions {@code __versions}, null if there is no such section with SHF_ALLOC
 * @param extendedVersions {@code __version_ext_crcs} and {@code __version_ext_names}, null if absent
 * @param exports what it exports
 * @param signature the trailer behind the ELF data
 * @param buildId {@code .note.gnu.build-id} in lower-case hex, null if absent
 * @param btf which BTF sections it has
 * @param relocations what the relocations of loaded sections demand
 * @param defects what the loader's own validity checks would object to, in the loader's order
 * @param reported whether it is known only as far as a node reports it; to ask for what can be seen in the file alone
 *     (its defects, BTF and struct module) is an {@link UnknownFactException}
 * @param packing how its file is compressed
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
        Btf btf,
        Relocations relocations,
        List<ElfDefect> defects,
        boolean reported,
        Packing packing) {

    /**
     * The types it brings.
     *
     * @param present whether it has {@code .BTF}
     * @param base whether it has {@code .BTF.base}, too: relocatable against another kernel's BTF
     * @param answer what kernels say of their validity, as far as it was looked at
     */
    public record Btf(boolean present, boolean base, BtfValidity.Answer answer) {
        /** Neither section. */
        public static final Btf NONE = new Btf(false, false);

        /** Not looked at. */
        public Btf(boolean present, boolean base) {
            this(present, base, BtfValidity.Answer.UNCLEAR);
        }
    }

    /** A module whose file could not be read: nothing is known but where it is. */
    public static KernelModule unread(Origin origin) {
        return broken(origin, null, ModuleSignature.UNSIGNED, List.of());
    }

    /** A module whose sections cannot be looked at, because of these defects. */
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
                Btf.NONE,
                Relocations.NOT_EXAMINED,
                List.copyOf(defects),
                false,
                Packing.NONE);
    }

    /** The release it was built for, the first word of its version magic; null if that is absent. */
    public @Nullable String release() {
        String vermagic = modInfo.first("vermagic");
        int blank = vermagic == null ? -1 : vermagic.indexOf(' ');
        return vermagic == null || blank < 0 ? vermagic : vermagic.substring(0, blank);
    }

    /** The same module with its relocations examined. */
    public KernelModule with(Relocations examined) {
        return with(signature, examined, btf, packing);
    }

    /** The same module with another answer about its signature. */
    public KernelModule with(ModuleSignature proven) {
        return with(proven, relocations, btf, packing);
    }

    /** The same module with another answer about its BTF. */
    public KernelModule with(BtfValidity.Answer answer) {
        return with(signature, relocations, new Btf(btf.present(), btf.base(), answer), packing);
    }

    /** The same module from a file that is compressed. */
    public KernelModule with(Packing packed) {
        return with(signature, relocations, btf, packed);
    }

    private KernelModule with(ModuleSignature proven, Relocations examined, Btf types, Packing files) {
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

    /** A module of which its node reports no more than this. */
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
                Btf.NONE,
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
    public Btf btf() {
        requireFile("BTF");
        return btf;
    }

    @Override
    public List<ElfDefect> defects() {
        requireFile("the ELF structure");
        return defects;
    }

    /** The {@link #defects} as far as any can be known. */
    public List<ElfDefect> knownDefects() {
        return defects;
    }

    /**
     * A fact was asked for that is not known of a module: of one that a node reports, only what the node says is.
     * Thrown so that nothing can take what is unknown for something that was seen.
     */
    public static final class UnknownFactException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        UnknownFactException(String fact) {
            super(fact + " of a module that was only reported", null, false, false);
        }
    }

    private void requireFile(String fact) {
        if (reported) {
            throw new UnknownFactException(fact);
        }
    }

    /**
     * The module's name as the loader prints it: that of struct module, else {@code name=}, else the file's name
     * without its endings and with {@code _} for {@code -}.
     */
    public String name() {
        if (structName != null && !structName.isEmpty()) {
            return structName;
        }
        return Optional.ofNullable(modInfo.first("name")).orElseGet(origin::moduleName);
    }
}
