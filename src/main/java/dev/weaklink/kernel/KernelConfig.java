package dev.weaklink.kernel;

import dev.weaklink.format.elf.ElfIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A kernel's build configuration, as in {@code /boot/config-*}; searched, not parsed. */
public final class KernelConfig {
    private static final String PREFIX = "CONFIG_";
    private static final String COMMENT = "# ";
    private static final byte[] HEADING = "# Linux/".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] SET = {'='};
    private static final byte[] NOT_SET = " is not set".getBytes(StandardCharsets.ISO_8859_1);

    private final byte[] text;

    /** Creates a configuration from a copy of the first {@code length} bytes of {@code text}. */
    public KernelConfig(byte[] text, int length) {
        this.text = Arrays.copyOf(text, length);
    }

    /**
     * Returns the value of an option; null if the option is not mentioned. The value is {@code n} for "is not set",
     * else as written but without quotes.
     *
     * @param option the name without {@code CONFIG_}
     */
    public @Nullable String value(String option) {
        byte[] name = (PREFIX + option).getBytes(StandardCharsets.ISO_8859_1);
        for (int start = 0; start < text.length; start = end(start) + 1) {
            int at = text[start] == '#' ? start + COMMENT.length() : start;
            if (has(name, at)) {
                int behind = at + name.length;
                if (at > start ? has(NOT_SET, behind) : has(SET, behind)) {
                    return at > start ? "n" : unquoted(behind + SET.length);
                }
            }
        }
        return null;
    }

    /**
     * Returns the configured architecture, such as "x86 (64 bit)"; null if unknown. The name is from Kconfig's comment
     * at the top of the file ({@code # Linux/x86 6.1.190 Kernel Configuration}), the width from CONFIG_64BIT.
     */
    public @Nullable String architecture() {
        for (int start = 0; start < text.length && text[start] == '#'; start = end(start) + 1) {
            if (has(HEADING, start)) {
                int from = start + HEADING.length;
                int to = from;
                while (to < end(from) && text[to] != ' ') {
                    to++;
                }
                String bits = isSet("64BIT") ? " (64 bit)" : " (32 bit)";
                return new String(text, from, to - from, StandardCharsets.ISO_8859_1) + bits;
            }
        }
        return null;
    }

    /** Returns the machine that modules are built for; null if the configuration selects no supported architecture. */
    public @Nullable ElfIdentity machine() {
        boolean is64 = isSet("64BIT");
        if (isSet("X86")) {
            return machine(is64 ? ElfIdentity.EM_X86_64 : ElfIdentity.EM_386, is64, true);
        } else if (isSet("ARM64")) {
            return machine(ElfIdentity.EM_AARCH64, true, !isSet("CPU_BIG_ENDIAN"));
        } else if (isSet("ARM")) {
            return machine(ElfIdentity.EM_ARM, false, !isSet("CPU_BIG_ENDIAN"));
        } else if (isSet("PPC")) {
            int machine = isSet("PPC64") ? ElfIdentity.EM_PPC64 : ElfIdentity.EM_PPC;
            return machine(machine, isSet("PPC64"), isSet("CPU_LITTLE_ENDIAN"));
        } else if (isSet("S390")) {
            return machine(ElfIdentity.EM_S390, is64, false);
        } else if (isSet("RISCV")) {
            return machine(ElfIdentity.EM_RISCV, is64, true);
        } else if (isSet("LOONGARCH")) {
            return machine(ElfIdentity.EM_LOONGARCH, is64, true);
        } else if (isSet("MIPS")) {
            return machine(ElfIdentity.EM_MIPS, is64, isSet("CPU_LITTLE_ENDIAN"));
        }
        return null;
    }

    private static ElfIdentity machine(int machine, boolean is64, boolean littleEndian) {
        return new ElfIdentity(machine, is64, littleEndian, 0);
    }

    public boolean isSet(String option) {
        return "y".equals(value(option));
    }

    private boolean has(byte[] wanted, int at) {
        int behind = at + wanted.length;
        return behind <= text.length && Arrays.equals(text, at, behind, wanted, 0, wanted.length);
    }

    private int end(int at) {
        int end = at;
        while (end < text.length && text[end] != '\n') {
            end++;
        }
        return end;
    }

    private String unquoted(int from) {
        int end = end(from);
        end = end > from && text[end - 1] == '\r' ? end - 1 : end;
        String value = new String(text, from, end - from, StandardCharsets.ISO_8859_1);
        boolean quoted = value.length() > 1 && value.charAt(0) == '"';
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
