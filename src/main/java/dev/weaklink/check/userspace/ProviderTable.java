package dev.weaklink.check.userspace;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.sys.UnreadableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The structure that a provider registers with libibverbs: supported kernel driver ABI versions and matching devices
 * (rdma-core libibverbs/driver.h, struct verbs_device_ops and verbs_match_ent, which begin alike since version 15).
 *
 * @param lowest the lowest supported ABI version
 * @param highest the highest supported ABI version
 * @param modaliases the patterns of supported devices; devices that the provider matches by driver id are missing,
 *     because no file lists them
 */
record ProviderTable(long lowest, long highest, List<String> modaliases) {
    private static final int SHT_RELR = 19;
    private static final int VERBS_MATCH_PCI = 1;
    private static final int VERBS_MATCH_MODALIAS = 2;
    private static final int MOST_ENTRIES = 4096;
    private static final int MOST_RELOCATIONS = 1 << 20;

    /** The plausibility limit for an ABI version; no driver has come near it. */
    private static final long MOST_ABI = 1000;

    boolean matches(String modalias) {
        return modaliases.stream().anyMatch(pattern -> glob(pattern, modalias));
    }

    /**
     * Matches a pattern of fnmatch(3) whose only special characters are stars. Finds the parts between the stars one
     * after the other, each as early as possible.
     */
    private static boolean glob(String pattern, String text) {
        String[] parts = pattern.split("\\*", -1);
        int last = parts.length - 1;
        if (last == 0) {
            return pattern.equals(text);
        }
        int end = text.length() - parts[last].length();
        int at = parts[0].length();
        for (int i = 1; text.startsWith(parts[0]) && i < last && at >= 0; i++) {
            int found = text.indexOf(parts[i], at);
            at = found < 0 ? -1 : found + parts[i].length();
        }
        return text.startsWith(parts[0]) && at >= 0 && at <= end && text.endsWith(parts[last]);
    }

    /**
     * Finds the provider's struct verbs_device_ops in a library. The struct begins with a pointer to the provider's
     * name, from which some providers omit {@code verbs}.
     *
     * @param file a shared library
     * @param name the provider's name, as in its .driver file
     * @return null if the structure is not found
     */
    static @Nullable ProviderTable read(byte[] file, String name) throws UnreadableException {
        Pointers pointers = new Pointers(SharedLibraryReader.open(file));
        pointers.read();
        for (String candidate : List.of(name, name.replace("verbs", ""))) {
            ProviderTable table = pointers.tableOf(candidate);
            if (table != null) {
                return table;
            }
        }
        return null;
    }

    /** The pointers in a library's data, as the dynamic linker would relocate them. */
    private static final class Pointers {
        private final ElfImage image;
        private final SectionTable sections;
        private final int word;
        private final TreeMap<Long, Long> targets = new TreeMap<>();

        Pointers(ElfImage image) {
            this.image = image;
            this.sections = image.sections();
            this.word = image.identity().wordSize();
        }

        void read() {
            for (int section = 0; section < sections.count(); section++) {
                if (!sections.isAllocated(section) || !image.hasContents(section)) {
                    continue;
                }
                switch (sections.type(section)) {
                    case SectionTable.SHT_RELA -> entries(section, 3 * word);
                    case SectionTable.SHT_REL -> entries(section, 2 * word);
                    case SHT_RELR -> packed(section);
                    default -> {}
                }
            }
        }

        /** Reads relocations without a symbol, which are relative to the load address. */
        private void entries(int section, int size) {
            int at = (int) sections.offset(section);
            long count = sections.size(section) / size;
            for (long i = 0; i < count && targets.size() < MOST_RELOCATIONS; i++, at += size) {
                long info = image.word(at + word);
                if (info >>> (word == 8 ? 32 : 8) == 0) {
                    long place = image.word(at);
                    put(place, size == 3 * word ? image.word(at + 2 * word) : wordAt(place));
                }
            }
        }

        /**
         * Reads a table of packed relocations (gABI, SHT_RELR). An entry is an address, or a bitmap of the words to
         * relocate behind the last address.
         */
        private void packed(int section) {
            long next = 0;
            int start = (int) sections.offset(section);
            int end = start + (int) sections.size(section);
            for (int at = start; at + word <= end && targets.size() < MOST_RELOCATIONS; at += word) {
                long entry = image.word(at);
                if ((entry & 1) == 0) {
                    put(entry, wordAt(entry));
                    next = entry + word;
                    continue;
                }
                for (int bit = 1; bit < 8 * word; bit++) {
                    if ((entry >>> bit & 1) != 0) {
                        long place = next + (long) (bit - 1) * word;
                        put(place, wordAt(place));
                    }
                }
                next += (long) (8 * word - 1) * word;
            }
        }

        private void put(long place, long target) {
            targets.put(place, target);
        }

        private long wordAt(long address) {
            int at = offset(address, word);
            return at < 0 ? 0 : image.word(at);
        }

        /** Returns the file offset of {@code size} bytes at an address; -1 if they are not in the file. */
        private int offset(long address, int size) {
            for (int section = 0; section < sections.count(); section++) {
                long inside = address - sections.address(section);
                if (sections.isAllocated(section)
                        && image.hasContents(section)
                        && inside >= 0
                        && inside <= sections.size(section) - size) {
                    return (int) (sections.offset(section) + inside);
                }
            }
            return -1;
        }

        private String string(long address) {
            int at = offset(address, 1);
            int length = at < 0 ? -1 : image.stringLength(at, Math.min(image.length(), at + 256));
            return length < 0 ? "" : new String(image.data(), at, length, StandardCharsets.ISO_8859_1);
        }

        @Nullable
        ProviderTable tableOf(String name) {
            for (var pointer : targets.entrySet()) {
                int at = offset(pointer.getKey(), 2 * word + 8);
                if (at < 0 || !string(pointer.getValue()).equals(name)) {
                    continue;
                }
                long lowest = image.u32(at + word);
                long highest = image.u32(at + word + 4);
                Long matches = targets.get(pointer.getKey() + word + 8);
                if (lowest <= highest && highest < MOST_ABI && matches != null) {
                    return new ProviderTable(lowest, highest, modaliases(matches));
                }
            }
            return null;
        }

        /**
         * Returns the modalias patterns of an array of struct verbs_match_ent. An entry consists of a pointer, a union
         * of a pointer and a u64, then u16 vendor, u16 device and u8 kind.
         */
        private List<String> modaliases(long address) {
            List<String> patterns = new ArrayList<>();
            // i386 aligns a u64 to 4 bytes.
            int union = image.identity().machine() == ElfIdentity.EM_386 ? 4 : 8;
            int ids = union + 8;
            int size = ids + 8;
            for (long i = 0; i < MOST_ENTRIES; i++) {
                long entry = address + i * size;
                int at = offset(entry, size);
                int kind = at < 0 ? 0 : image.u8(at + ids + 4);
                if (kind == 0) {
                    break;
                }
                if (kind == VERBS_MATCH_PCI) {
                    patterns.add("pci:v%08Xd%08Xsv*".formatted(image.u16(at + ids), image.u16(at + ids + 2)));
                } else if (kind == VERBS_MATCH_MODALIAS) {
                    patterns.add(string(targets.getOrDefault(entry + union, 0L)));
                }
            }
            return patterns;
        }
    }
}
