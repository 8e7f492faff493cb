package dev.weaklink.kernel.image;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.image.KernelImage.EntryLayout;
import dev.weaklink.kernel.image.NamedTables.FileRange;
import dev.weaklink.kernel.image.Tables.ImageTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the names that built-in code has in /sys/module. The kernel image must have section names. The sources of the
 * names are parameters (kernel/params.c:param_sysfs_builtin, which reads __param), versions (version_sysfs_builtin,
 * __modver) and drivers (drivers/base/module.c:module_add_driver).
 */
final class BuiltInNames {
    /** A limit in bytes that is above the length of any module's name (MODULE_NAME_LEN). */
    private static final int MAX_NAME = 64;

    /** A limit in bytes for all strings except module names, such as the full names of parameters. */
    private static final int MAX_TEXT = 256;

    /** The size of struct module_version_attribute in words: an attribute, then the module's name and version. */
    private static final int VERSION_WORDS = 9;

    private static final int MODULE_NAME_WORD = 7;

    /** The number of bytes before a call in which instructions load the call's arguments. */
    private static final int ARGUMENTS = 48;

    private static final int LOAD_SIZE = 7;
    private static final int CALL_SIZE = 5;

    private final ByteView image;
    private final NamedTables sections;
    private final Addresses addresses;
    private final int word;
    private final Set<String> taken = new HashSet<>();
    private final Set<String> possible = new HashSet<>();

    private BuiltInNames(ByteView image, NamedTables sections, ElfIdentity identity) {
        this.image = image;
        this.sections = sections;
        this.addresses = Addresses.ofElf(image, identity);
        this.word = identity.wordSize();
    }

    /**
     * Finds the names; returns {@link BuiltInModules#UNKNOWN} if the version is unknown, or the sections do not contain
     * the expected tables.
     *
     * @param tables the kernel's exports, null if they were not found
     */
    static BuiltInModules find(
            ByteView image,
            NamedTables sections,
            ElfIdentity identity,
            @Nullable KernelVersion version,
            @Nullable Tables tables) {
        BuiltInNames names = new BuiltInNames(image, sections, identity);
        FileRange parameters = sections.section("__param");
        boolean whole = parameters != null
                // before 4.2 the structure has no struct module
                && (names.parameters(parameters, 5) || names.parameters(parameters, 4))
                && names.versions();
        if (!whole || version == null) {
            return BuiltInModules.UNKNOWN;
        }
        boolean complete = true;
        if (version.atLeast(5, 17)) {
            // an attribute of /sys/module itself (kernel/module/decompress.c)
            names.possible.add("compression");
        }
        if (version.atLeast(6, 6)) {
            // drivers create their own directory below /sys/module: 6.15, 6.14.6, 6.12.28, 6.6.90 and later
            complete = tables != null && identity.machine() == ElfIdentity.EM_X86_64;
            if (complete && tables != null) {
                names.drivers(tables);
            }
        }
        names.possible.removeAll(names.taken);
        return new BuiltInModules(names.taken, names.possible, complete);
    }

    /**
     * Adds the module names in an array of struct kernel_param (include/linux/moduleparam.h). A module's name is the
     * prefix of a parameter's name; {@code kernel} if there is no prefix. Only parameters with permissions appear in
     * /sys/module.
     *
     * @return whether the section is such an array
     */
    private boolean parameters(FileRange array, int words) {
        Set<String> names = new HashSet<>();
        int size = words * word;
        for (int at = array.offset(); at < array.end(); at += size) {
            String name = at + size > array.end() ? null : textAt(at, MAX_TEXT);
            if (name == null) {
                return false;
            }
            int dot = name.indexOf('.');
            if (u16(at + (words - 2) * word) != 0) {
                names.add(dot < 0 ? "kernel" : name.substring(0, dot));
            }
        }
        taken.addAll(names);
        return true;
    }

    /**
     * Adds the module names in the section __modver, an array of struct module_version_attribute or, up to 5.10, of
     * pointers to this structure. Returns false if the section has other contents.
     */
    private boolean versions() {
        FileRange array = sections.section("__modver");
        if (array == null) {
            return true;
        }
        boolean pointers = !"version".equals(textAt(array.offset(), MAX_TEXT));
        int step = pointers ? word : VERSION_WORDS * word;
        for (int at = array.offset(); at < array.end(); at += step) {
            int entry = pointers ? addresses.offset(image.word(at, word)) : at;
            String name = entry >= 0 && image.contains(entry, (long) VERSION_WORDS * word)
                    ? textAt(entry + MODULE_NAME_WORD * word, MAX_NAME)
                    : null;
            if (name == null) {
                return false;
            }
            taken.add(name);
        }
        return true;
    }

    /**
     * Adds the names of drivers. A driver's name is an argument of the call that registers the driver. A few
     * instructions before the call, the code loads the name's address.
     */
    private void drivers(Tables tables) {
        long[] functions = registrations(tables);
        for (String name : new String[] {".text", ".init.text"}) {
            FileRange code = sections.section(name);
            if (code != null && functions.length > 0) {
                calls(code, functions);
            }
        }
    }

    private void calls(FileRange code, long[] functions) {
        byte[] data = image.data();
        long address = addresses.address(code.offset());
        for (int at = code.offset(); at <= code.end() - CALL_SIZE; at++) {
            boolean call = data[at] == (byte) 0xe8 || data[at] == (byte) 0xe9;
            long target = call ? address + at - code.offset() + CALL_SIZE + image.i32(at + 1) : 0;
            if (call && Arrays.binarySearch(functions, target) >= 0) {
                arguments(Math.max(code.offset(), at - ARGUMENTS), at);
            }
        }
    }

    /**
     * Adds the names to which a range of code refers. The instruction that loads a name's address is REX.W 0xc7 /0 with
     * a constant of 32 bits.
     */
    private void arguments(int from, int to) {
        byte[] data = image.data();
        for (int at = from; at <= to - LOAD_SIZE; at++) {
            boolean load = (data[at] == 0x48 || data[at] == 0x49)
                    && data[at + 1] == (byte) 0xc7
                    && (data[at + 2] & 0xf8) == 0xc0;
            String name = load ? text(addresses.offset(image.i32(at + 3)), MAX_NAME) : null;
            if (name != null && name.matches("\\w+")) {
                possible.add(name);
            }
        }
    }

    private long[] registrations(Tables tables) {
        LongStream.Builder found = LongStream.builder();
        Entries entries = tables.entries();
        EntryLayout layout = entries.layout();
        for (ImageTable table : tables.tables()) {
            for (int i = 0, at = table.start(); i < table.count(); i++, at += layout.size()) {
                int name = entries.name(at);
                if (name >= 0 && registers(text(name, MAX_TEXT))) {
                    found.add(
                            layout.relative()
                                    ? addresses.address(at) + image.i32(at)
                                    : image.word(at, layout.fieldSize()));
                }
            }
        }
        return found.build().sorted().toArray();
    }

    private static boolean registers(@Nullable String function) {
        return function != null
                && !function.contains("unregister")
                && (function.matches("\\w*(driver\\w*register|register\\w*driver)\\w*")
                        || function.matches("\\w*(driver_probe|create_bundle|register_(frontend|client))"));
    }

    private int u16(int at) {
        int first = image.data()[at] & 0xff;
        int second = image.data()[at + 1] & 0xff;
        return image.littleEndian() ? first | second << 8 : first << 8 | second;
    }

    private @Nullable String textAt(int pointer, int most) {
        return image.contains(pointer, word) ? text(addresses.offset(image.word(pointer, word)), most) : null;
    }

    /**
     * Returns the string at an offset; null if the string is empty, has {@code most} or more bytes, or has a byte that
     * is not a visible ASCII character.
     */
    private @Nullable String text(int offset, int most) {
        byte[] data = image.data();
        for (int at = Math.max(offset, 0); offset >= 0 && at < image.length() && at - offset < most; at++) {
            if (data[at] == 0 && at > offset) {
                return new String(data, offset, at - offset, StandardCharsets.US_ASCII);
            }
            if (data[at] <= ' ' || data[at] == 0x7f) {
                return null;
            }
        }
        return null;
    }
}
