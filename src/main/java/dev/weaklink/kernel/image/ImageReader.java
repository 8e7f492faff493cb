package dev.weaklink.kernel.image;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.PayloadDecoder;
import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderTraces;
import dev.weaklink.kernel.LoaderTraces.LoaderTrace;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.image.ByteView.TextSearch;
import dev.weaklink.kernel.image.ContentsFinder.Banner;
import dev.weaklink.kernel.image.ContentsFinder.KernelContents;
import dev.weaklink.kernel.image.KernelImage.ImageTypes;
import dev.weaklink.kernel.image.KernelWindows.UnpackedKernel;
import dev.weaklink.kernel.image.NamedTables.FileRange;
import dev.weaklink.kernel.image.Tables.ImageTable;
import dev.weaklink.kernel.image.Tables.ImageTable.TableLicense;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a kernel image: release, exports, types, configuration, and traces of the module loader. */
public final class ImageReader {
    public static final int MAX_BYTES = ContentsFinder.LIMIT;

    private static final int NO_SIZE = StructSizes.UNKNOWN;

    private final KernelContents contents;
    private final ByteView bytes;
    private final @Nullable NamedTables sections;
    private final String banner;
    private final String release;
    private final KernelStrings texts;
    private int structModuleSize = NO_SIZE;
    private int versionEntrySize = NO_SIZE;
    private @Nullable ByteBuffer types;

    private ImageReader(KernelContents contents) throws UnreadableException {
        this.contents = contents;
        this.bytes = contents.bytes();
        String line = Banner.find(bytes);
        String word = Banner.release(line);
        if (line == null || word == null || word.isEmpty()) {
            throw new UnreadableException("no Linux kernel was found in it");
        }
        this.banner = line;
        this.release = word;
        ElfHeader header = contents.isElf() ? ElfHeader.read(bytes.data(), bytes.length()) : null;
        this.sections = header == null ? null : new NamedTables(bytes, header);
        this.texts = new KernelStrings(bytes, sections == null ? null : sections.section(".rodata"));
    }

    public static KernelImage read(byte[] data, int length) throws UnreadableException {
        return read(data, length, unpacked -> {});
    }

    /**
     * Reads an image.
     *
     * @param visitor receives the unpacked kernel before its facts are read
     */
    public static KernelImage read(byte[] data, int length, Consumer<UnpackedKernel> visitor)
            throws UnreadableException {
        ImageReader reader = new ImageReader(ContentsFinder.find(data, length));
        visitor.accept(new UnpackedKernel(reader.bytes.data(), reader.bytes.length(), reader.release));
        return reader.read();
    }

    /**
     * Reads the types (BTF) of the image in the first {@code length} bytes, and unpacks no more than necessary. Damage
     * behind the types may therefore go unnoticed.
     *
     * @param exportsWanted whether to read the exports, too
     * @throws UnreadableException if the bytes are not a kernel image, or the image cannot be unpacked
     */
    public static ImageTypes types(byte[] data, int length, boolean exportsWanted) throws UnreadableException {
        ImageTypes found = ImagePrefix.find(data, length, exportsWanted);
        return found != null ? found : read(data, length).imageTypes();
    }

    /** Returns the exports that the unpacked beginning of a kernel shows; null if the beginning does not suffice. */
    static @Nullable ExportTable exports(byte[] kernel, int length) throws UnreadableException {
        return new ImageReader(ContentsFinder.unpacked(kernel, length)).exports();
    }

    private @Nullable ExportTable exports() {
        KernelVersion version = version();
        // The names of sections are at the end of an image, so the tables are searched by their contents.
        Tables tables = ScannedTables.find(contents, version);
        return tables == null || missing(tables, texts.vermagic(release)) != null
                ? null
                : ExportRows.of(tables, contents.machine(), version);
    }

    private KernelImage read() {
        readSizes();
        KernelVersion version = version();
        Tables tables = sections == null ? null : sections.read(version);
        boolean named = tables != null;
        if (tables == null) {
            tables = ScannedTables.find(contents, version);
        }
        String vermagic = texts.vermagic(release);
        String missing = missing(tables, vermagic);
        return new KernelImage(
                contents.format(),
                contents.compression(),
                contents.machine(),
                release,
                banner,
                vermagic,
                texts.config(),
                structModuleSize,
                tables == null ? null : ExportRows.of(tables, contents.machine(), version),
                tables == null ? null : tables.entries().layout(),
                named,
                tables != null && tables.crcWidth() > 0,
                missing,
                new LoaderTraces(banner, texts.traces(), versionEntrySize),
                builtIn(version, tables),
                types);
    }

    private BuiltInModules builtIn(@Nullable KernelVersion version, @Nullable Tables tables) {
        ElfIdentity machine = contents.machine();
        return sections == null || machine == null
                ? BuiltInModules.UNKNOWN
                : BuiltInNames.find(bytes, sections, machine, version, tables);
    }

    private @Nullable KernelVersion version() {
        try {
            return KernelVersion.parse(release);
        } catch (IllegalArgumentException e) {
            // A release such as "custom" has no version; the rules then depend only on the contents of the image.
            return null;
        }
    }

    private static @Nullable String missing(@Nullable Tables tables, @Nullable String vermagic) {
        if (tables == null) {
            return "its export tables were not found";
        }
        boolean expectsCrcs = vermagic != null && vermagic.contains("modversions");
        return expectsCrcs && tables.crcWidth() == 0 ? "its tables of CRCs were not found" : null;
    }

    private void readSizes() {
        FileRange btf = sections == null ? null : sections.section(".BTF");
        StructSizes sizes = btf == null ? StructSizes.search(bytes) : StructSizes.at(bytes, btf.offset());
        if (sizes != null) {
            structModuleSize = sizes.of("module");
            versionEntrySize = sizes.of("modversion_info");
            types = sizes.section();
        }
    }

    /**
     * Finds release, types (BTF) and exports while a kernel is unpacked. Unpacking stops after the types, which saves
     * about a quarter of the work. The tables of exports are before the types
     * (include/asm-generic/vmlinux.lds.h:RO_DATA). The search supports only images whose header locates the payload;
     * all of these are little-endian.
     */
    private record ImagePrefix(KernelWindows kernel, boolean exportsWanted) {
        /** The maximum size in bytes of the types (BTF); kernels have 4 to 7 MB. */
        private static final int MOST_TYPES = 32 << 20;

        /**
         * The number of bytes at the end of a piece that are searched again with the next piece, because a banner or
         * the BTF header may continue there.
         */
        private static final int CARRIED = 2048;

        private static final int HEADER_SIZE = 24;

        /**
         * The BTF header without its trailing zeros: the search compares the last byte first, and kernels contain many
         * zeros.
         */
        private static final TextSearch HEADER = new TextSearch("\u009f\u00eb\1\0\u0018");

        /**
         * Returns release, types and exports; null if the header does not locate the payload, the payload is damaged,
         * or the whole image is needed.
         */
        static @Nullable ImageTypes find(byte[] file, int length, boolean exportsWanted) {
            try (KernelWindows kernel = KernelWindows.open(file, length, exportsWanted)) {
                return kernel == null ? null : new ImagePrefix(kernel, exportsWanted).find();
            } catch (IOException e) {
                // The caller then reads the whole image, and that read reports the error.
                return null;
            }
        }

        private @Nullable ImageTypes find() throws IOException {
            int carried = 0;
            int from = 0;
            while (kernel.next(from)) {
                int searched = exportsWanted ? carried : 0;
                String release = kernel.release();
                int start = HEADER.next(kernel.data(), searched, kernel.length());
                if (release != null && start >= 0 && start + HEADER_SIZE <= kernel.length()) {
                    ByteBuffer types = types(start);
                    return types == null ? null : found(release, types);
                }
                carried = Math.max(kernel.length() - CARRIED, 0);
                from = exportsWanted ? 0 : carried;
            }
            return kernel.release() == null ? null : found(kernel.release(), null);
        }

        /**
         * Returns the result; null if exports are wanted and not found, because the search may need the rest of the
         * image.
         */
        private @Nullable ImageTypes found(String release, @Nullable ByteBuffer types) throws UnreadableException {
            if (!exportsWanted) {
                return new ImageTypes(release, types, null);
            }
            ExportTable exports = ImageReader.exports(kernel.data(), kernel.length());
            return exports == null ? null : new ImageTypes(release, types, exports);
        }

        /**
         * Reads the BTF section that starts at this offset of the piece. Returns null if the section has an unusual
         * header, is longer than {@link #MOST_TYPES}, or is truncated.
         */
        private @Nullable ByteBuffer types(int start) throws IOException {
            ByteView blob = new ByteView(kernel.data(), kernel.length(), true);
            long typesLength = blob.u32(start + 12);
            long length = HEADER_SIZE + typesLength + blob.u32(start + 20);
            boolean plain = blob.u32(start + 4) == HEADER_SIZE
                    && blob.u32(start + 8) == 0
                    && blob.u32(start + 16) == typesLength;
            if (!plain || length > MOST_TYPES) {
                return null;
            }
            int ready = (int) Math.min(length, kernel.length() - start);
            byte[] types = new byte[(int) length];
            System.arraycopy(kernel.data(), start, types, 0, ready);
            return kernel.read(types, ready) ? ByteBuffer.wrap(types) : null;
        }
    }

    /**
     * The sizes of structures by name, from the kernel's BTF (Documentation/bpf/btf.rst). The sizes of types that
     * follow a type of an unknown kind are unknown.
     */
    private static final class StructSizes {
        static final int UNKNOWN = -1;

        private static final int HEADER_SIZE = 24;
        private static final int TYPE_SIZE = 12;
        private static final int KIND_STRUCT = 4;
        private static final int MAX_KIND = 19;

        /**
         * The number of bytes after the first {@link #TYPE_SIZE} bytes of a type, by kind, without those of members.
         * {@link #EACH} is the number of bytes for each member.
         */
        private static final int[] FIXED = {0, 4, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 4, 0, 0};

        private static final int[] EACH = {0, 0, 0, 0, 12, 12, 8, 0, 0, 0, 0, 0, 0, 8, 0, 12, 0, 0, 0, 12};

        private final ByteView image;
        private final int start;
        private final int types;
        private final int typesEnd;
        private final long strings;
        private final long stringsEnd;

        private StructSizes(ByteView image, int start, int types, int typesEnd) {
            this.image = image;
            this.start = start;
            this.types = types;
            this.typesEnd = typesEnd;
            this.strings = start + HEADER_SIZE + image.u32(start + 16);
            this.stringsEnd = Math.min(strings + image.u32(start + 20), image.length());
        }

        static @Nullable StructSizes at(ByteView image, int start) {
            if (!image.contains(start, HEADER_SIZE) || image.u32(start + 4) != HEADER_SIZE) {
                return null;
            }
            boolean magic = (image.i32(start) & (image.littleEndian() ? 0xffff : 0xffff0000))
                    == (image.littleEndian() ? 0xeb9f : 0xeb9f0000);
            long types = start + HEADER_SIZE + image.u32(start + 8);
            long length = image.u32(start + 12);
            return magic && image.contains(types, length)
                    ? new StructSizes(image, start, (int) types, (int) (types + length))
                    : null;
        }

        /** Searches for the BTF in an image without a section .BTF; returns null if there is none. */
        static @Nullable StructSizes search(ByteView image) {
            // An image is full of zeros, at which a search for a string that ends with a zero would stop.
            TextSearch header =
                    new TextSearch(image.littleEndian() ? "\u009f\u00eb\1\0\u0018" : "\u00eb\u009f\1\0\0\0\0\u0018");
            int at = header.next(image.data(), 0, image.length());
            while (at >= 0 && !(image.contains(at, HEADER_SIZE) && image.u32(at + 4) == HEADER_SIZE)) {
                at = header.next(image.data(), at + 1, image.length());
            }
            return at < 0 ? null : at(image, at);
        }

        /** Returns the whole BTF, from its header to the end of types and strings; a view of the image. */
        ByteBuffer section() {
            int end = (int) Math.max(stringsEnd, typesEnd);
            return ByteBuffer.wrap(image.data(), start, end - start).slice();
        }

        /** Returns the size in bytes of the first structure with this name; -1 if unknown. */
        int of(String name) {
            String wanted = name + "\0";
            for (int at = types; typesEnd - at >= TYPE_SIZE; ) {
                int info = image.i32(at + 4);
                int kind = info >>> 24 & 0x1f;
                if (kind > MAX_KIND) {
                    return UNKNOWN;
                }
                if (kind == KIND_STRUCT && isNamed(image.u32(at), wanted)) {
                    return image.i32(at + 8);
                }
                at += TYPE_SIZE + FIXED[kind] + EACH[kind] * (info & 0xffff);
            }
            return UNKNOWN;
        }

        private boolean isNamed(long offset, String wanted) {
            long at = strings + offset;
            return at + wanted.length() <= stringsEnd && image.hasText((int) at, wanted);
        }
    }

    private static final class ExportRows {
        /**
         * The minimum percentage of entries in the CRC tables that must look like distances. With
         * CONFIG_MODULE_REL_CRCS, an entry is the distance in bytes from the entry to its CRC. A plain CRC looks like a
         * distance less than once in fifty times.
         */
        private static final int MOSTLY = 90;

        private final Tables tables;
        private final ByteView image;
        private final boolean distances;

        private ExportRows(Tables tables, boolean distances) {
            this.tables = tables;
            this.image = tables.entries().image();
            this.distances = distances;
        }

        /**
         * Returns the export table, whose rows are in the order in which the kernel searches them.
         *
         * @param machine the kernel's machine, null if unknown
         * @param version the kernel's version, null if unknown
         */
        static ExportTable of(Tables tables, @Nullable ElfIdentity machine, @Nullable KernelVersion version) {
            boolean possible = tables.crcWidth() == Integer.BYTES && mayHaveDistances(machine, version);
            return new ExportRows(tables, possible && areDistances(tables)).read();
        }

        /**
         * Returns whether the kernel may store the distance to each CRC instead of the CRC (CONFIG_MODULE_REL_CRCS:
         * powerpc and s390, 4.10 to 5.18).
         */
        private static boolean mayHaveDistances(@Nullable ElfIdentity machine, @Nullable KernelVersion version) {
            if (version != null && version.atLeast(5, 19)) {
                return false;
            }
            return machine == null
                    || machine.machine() == ElfIdentity.EM_PPC64
                    || machine.machine() == ElfIdentity.EM_PPC
                    || machine.machine() == ElfIdentity.EM_S390;
        }

        private static boolean areDistances(Tables tables) {
            ByteView image = tables.entries().image();
            long near = 0;
            for (ImageTable table : tables.tables()) {
                for (int i = 0; table.crcs() >= 0 && i < table.count(); i++) {
                    int at = table.crcs() + i * Integer.BYTES;
                    long target = (long) at + image.i32(at);
                    near += target % Integer.BYTES == 0 && image.contains(target, Integer.BYTES) ? 1 : 0;
                }
            }
            return near * 100 >= (long) tables.size() * MOSTLY;
        }

        private ExportTable read() {
            ExportTableBuilder rows = new ExportTableBuilder(tables.size());
            int vmlinux = rows.owner(Symvers.VMLINUX);
            Entries entries = tables.entries();
            int size = entries.layout().size();
            for (ImageTable table : tables.tables()) {
                for (int i = 0; i < table.count(); i++) {
                    int entry = table.start() + i * size;
                    int name = entries.name(entry);
                    if (name >= 0) {
                        rows.add(
                                image.data(),
                                name,
                                entries.nameLength(name),
                                crc(table, i),
                                gplOnly(table, i),
                                vmlinux,
                                rows.namespace(namespace(entries, entry)));
                    }
                }
            }
            return rows.build();
        }

        private static @Nullable String namespace(Entries entries, int entry) {
            int at = entries.namespace(entry);
            return at < 0
                    ? null
                    : new String(entries.image().data(), at, entries.textLength(at), StandardCharsets.ISO_8859_1);
        }

        private @Nullable Boolean gplOnly(ImageTable table, int index) {
            if (table.flags() >= 0) {
                return (image.data()[table.flags() + index] & ImageTable.GPL_ONLY_FLAG) != 0;
            }
            return table.license() == TableLicense.UNKNOWN ? null : table.license() == TableLicense.GPL_ONLY;
        }

        private @Nullable Integer crc(ImageTable table, int index) {
            if (table.crcs() < 0) {
                return null;
            }
            int at = table.crcs() + index * tables.crcWidth();
            if (!distances) {
                return (int) image.word(at, tables.crcWidth());
            }
            long target = (long) at + image.i32(at);
            return image.contains(target, Integer.BYTES) ? image.i32((int) target) : 0;
        }
    }

    private static final class KernelStrings {
        private static final int MAX_VERMAGIC = 256;
        private static final int MAX_CONFIG = 4 << 20;
        private static final String CONFIG_START = "IKCFG_ST";

        private final byte[] data;

        /**
         * The start of the searched range: the start of the section with constants, or of the image if that section is
         * unknown.
         */
        private final int start;

        private final int end;

        KernelStrings(ByteView image, @Nullable FileRange constants) {
            this.data = image.data();
            this.start = constants == null ? 0 : constants.offset();
            this.end = constants == null ? image.length() : constants.end();
        }

        private int next(TextSearch search, int from) {
            return search.next(data, from, end);
        }

        Set<LoaderTrace> traces() {
            Set<LoaderTrace> found = EnumSet.noneOf(LoaderTrace.class);
            for (LoaderTrace trace : LoaderTrace.values()) {
                if (next(new TextSearch(trace.text()), start) >= 0) {
                    found.add(trace);
                }
            }
            return found;
        }

        /**
         * Returns VERMAGIC_STRING (include/linux/vermagic.h), a string that starts with the release and a blank; null
         * if there is none.
         */
        @Nullable
        String vermagic(String release) {
            TextSearch search = new TextSearch("\0" + release + " ");
            for (int at = next(search, start); at >= 0; at = next(search, at + 1)) {
                int from = at + 1;
                int to = from + release.length();
                while (to < end && to - from < MAX_VERMAGIC && isVermagicByte(data[to])) {
                    to++;
                }
                if (to < end && data[to] == 0) {
                    return new String(data, from, to - from, StandardCharsets.ISO_8859_1);
                }
            }
            return null;
        }

        private static boolean isVermagicByte(byte b) {
            return b >= 'a' && b <= 'z'
                    || b >= 'A' && b <= 'Z'
                    || b >= '0' && b <= '9'
                    || b == ' '
                    || b == '_'
                    || b == '-'
                    || b == '.';
        }

        /**
         * Returns the configuration that CONFIG_IKCONFIG builds in (kernel/configs.c); null if the kernel contains none
         * that can be read.
         */
        @Nullable
        KernelConfig config() {
            int at = next(new TextSearch(CONFIG_START + "\u001f\u008b"), start);
            int until = at < 0 ? -1 : next(new TextSearch("IKCFG_ED"), at);
            if (until < 0) {
                return null;
            }
            int from = at + CONFIG_START.length();
            try {
                PayloadDecoder.Decoded text =
                        PayloadDecoder.decode(data, from, until - from, Compression.GZIP, 0, MAX_CONFIG);
                return new KernelConfig(text.bytes(), text.length());
            } catch (IOException e) {
                // An unreadable configuration counts as a missing one.
                return null;
            }
        }
    }
}
