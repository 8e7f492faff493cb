package dev.weaklink.realkernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Changes single facts of a built 64-bit little-endian module. The editor removes the signature first. */
final class ModuleEditor {
    static final byte[] SIGNATURE_MARKER = "~Module signature appended~\n".getBytes(StandardCharsets.US_ASCII);

    /** The size in bytes of struct module_signature, which precedes the marker. */
    static final int SIGNATURE_DESCRIPTOR = 12;

    private static final int VERSION_RECORD = 64;
    private static final int NAME_FIELD = 56;

    /** The offset of {@code char name[]} in struct module on 64-bit: enum state, list_head. */
    private static final int STRUCT_MODULE_NAME = 24;

    private final ElfEditor elf;
    private final byte[] signature;

    ModuleEditor(byte[] file) {
        int elfLength = file.length - signatureLength(file);
        elf = new ElfEditor(Arrays.copyOf(file, elfLength));
        signature = Arrays.copyOfRange(file, elfLength, file.length);
    }

    private static int signatureLength(byte[] file) {
        int marker = file.length - SIGNATURE_MARKER.length;
        if (marker < SIGNATURE_DESCRIPTOR
                || !Arrays.equals(file, marker, file.length, SIGNATURE_MARKER, 0, SIGNATURE_MARKER.length)) {
            return 0;
        }
        int dataLength = ByteBuffer.wrap(file).getInt(marker - Integer.BYTES);
        return dataLength + SIGNATURE_DESCRIPTOR + SIGNATURE_MARKER.length;
    }

    /** Returns the changed module without its signature. */
    byte[] unsigned() {
        return elf.bytes();
    }

    /** Returns the original signature data, descriptor and marker. */
    byte[] signature() {
        return signature.clone();
    }

    ElfEditor elf() {
        return elf;
    }

    SymbolEditor symbols() {
        return new SymbolEditor(elf);
    }

    /** Changes the strings of {@code .modinfo}. */
    void info(Consumer<List<String>> change) {
        List<String> entries = new ArrayList<>();
        for (String entry : latin1(elf.contents(".modinfo")).split("\0")) {
            if (!entry.isEmpty()) {
                entries.add(entry);
            }
        }
        change.accept(entries);
        elf.replace(".modinfo", ElfEditor.terminated(String.join("\0", entries)));
    }

    /** Changes the value of every {@code .modinfo} string of this key. */
    void infoValue(String key, UnaryOperator<String> change) {
        String start = key + "=";
        info(entries ->
                entries.replaceAll(e -> e.startsWith(start) ? start + change.apply(e.substring(start.length())) : e));
    }

    void setInfo(String key, String value) {
        infoValue(key, old -> value);
    }

    void dropInfo(String key) {
        info(entries -> entries.removeIf(entry -> entry.startsWith(key + "=")));
    }

    /** Changes the records of {@code __versions}. */
    void versions(Consumer<List<Version>> change) {
        List<Version> versions = versions();
        change.accept(versions);
        ByteBuffer out = ByteBuffer.allocate(versions.size() * VERSION_RECORD);
        out.order(ByteOrder.LITTLE_ENDIAN);
        for (Version version : versions) {
            out.putLong(version.crc()).put(nameField(version.symbol()));
        }
        elf.replace("__versions", out.array());
    }

    /** Returns the records of {@code __versions} in table order. */
    List<Version> versions() {
        byte[] table = elf.contents("__versions");
        ByteBuffer in = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        List<Version> versions = new ArrayList<>();
        for (int at = 0; at < table.length; at += VERSION_RECORD) {
            String name = latin1(Arrays.copyOfRange(table, at + Long.BYTES, at + VERSION_RECORD));
            versions.add(new Version(name.substring(0, name.indexOf(0)), in.getLong(at)));
        }
        return versions;
    }

    /** Flips bits in the CRC of every record of this symbol. */
    void flipCrc(String symbol, long bits) {
        versions(list -> list.replaceAll(v -> v.symbol().equals(symbol) ? v.flipped(bits) : v));
    }

    /** Sets the CRC of every record of this symbol. */
    void setCrc(String symbol, long crc) {
        versions(list -> list.replaceAll(v -> v.symbol().equals(symbol) ? new Version(symbol, crc) : v));
    }

    void dropVersion(String symbol) {
        versions(list -> list.removeIf(v -> v.symbol().equals(symbol)));
    }

    /** Overwrites the name in struct module. */
    void setStructName(String name) {
        elf.write(elf.start(".gnu.linkonce.this_module") + STRUCT_MODULE_NAME, nameField(name));
    }

    private static byte[] nameField(String name) {
        return Arrays.copyOf(name.getBytes(StandardCharsets.ISO_8859_1), NAME_FIELD);
    }

    private static String latin1(byte[] text) {
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** A record of {@code __versions}. */
    record Version(String symbol, long crc) {
        Version flipped(long bits) {
            return new Version(symbol, crc ^ bits);
        }
    }
}
