package dev.weaklink.testing;

import dev.weaklink.testing.ModuleSpec.ExtendedVersions;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.ModuleSpec.Version;
import dev.weaklink.testing.ModuleSpec.Versions;

/** Writes the sections with the CRCs of the symbols against which a module was built. */
final class VersionSections {
    private static final int CLASSIC_RECORD = 64;
    private static final int PACKED_HEADER = 8;

    private VersionSections() {}

    static void write(ElfWriter elf, Machine machine, Versions versions) {
        Presence presence = versions.presence();
        if (presence == Presence.ABSENT) {
            return;
        }
        long flags = presence == Presence.NOT_ALLOCATED ? 0 : ElfSection.SHF_ALLOC;
        int type = presence == Presence.NOBITS ? ElfSection.SHT_NOBITS : ElfSection.SHT_PROGBITS;
        for (int i = 0; i < (presence == Presence.TWICE ? 2 : 1); i++) {
            ElfBytes content = elf.section("__versions", type, flags, 32).content();
            if (versions.layout() == Versions.Layout.CLASSIC) {
                writeClassic(content, machine, versions);
            } else {
                writePacked(content, versions);
            }
            content.truncate(content.size() - versions.missingBytes());
        }
    }

    static void writeExtended(ElfWriter elf, ExtendedVersions versions) {
        if (versions.crcs() != null) {
            ElfBytes crcs = allocated(elf, "__version_ext_crcs", 4);
            versions.crcs().forEach(crcs::u32);
        }
        if (versions.names() != null) {
            ElfBytes names = allocated(elf, "__version_ext_names", 1);
            versions.names().forEach(names::string);
            names.zeros(1);
        }
    }

    private static ElfBytes allocated(ElfWriter elf, String name, int alignment) {
        return elf.section(name, ElfSection.SHT_PROGBITS, ElfSection.SHF_ALLOC, alignment)
                .content();
    }

    private static void writeClassic(ElfBytes content, Machine machine, Versions versions) {
        int room = CLASSIC_RECORD - machine.wordSize();
        for (Version version : versions.entries()) {
            if (version.symbol().length() >= room) {
                throw new IllegalArgumentException("too long for this layout: " + version.symbol());
            }
            content.word(version.crc()).field(version.symbol(), room);
        }
    }

    private static void writePacked(ElfBytes content, Versions versions) {
        for (Version version : versions.entries()) {
            int padded = (version.symbol().length() + 1 + 3) / 4 * 4;
            content.u32(PACKED_HEADER + padded).u32(version.crc()).field(version.symbol(), padded);
        }
        content.zeros(PACKED_HEADER);
    }
}
