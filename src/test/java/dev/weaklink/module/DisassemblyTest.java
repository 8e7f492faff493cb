package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.module.Program.Function;
import dev.weaklink.module.Program.Op;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What instructions are, as objdump says of random ones. */
class DisassemblyTest {
    /** Address, bytes, mnemonic, operands. */
    private static final Pattern LINE = Pattern.compile("\\s*([0-9a-f]+):\\t([0-9a-f ]+?)\\s*\\t(\\S+)\\s*(.*)");

    private static final Pattern PLACE = Pattern.compile("\\[(x\\d+|sp)(?:, #(-?\\d+))?(, [wx]\\w+.*)?]");

    /**
     * What objdump shows otherwise than X86Instruction: no instruction, prefixes that are followed by others, fwait
     * with what follows, and jumps that have two bytes with a prefix for AMD only.
     */
    private static final Pattern OTHERWISE =
            Pattern.compile("\\(bad\\)|\\trex|\\trepn?z rex|rex\\S*\\s*$|:\\t9b |(call|jmp|j[a-z]+)w |data16");

    @TempDir
    private Path directory;

    private List<Matcher> disassembled(byte[] module, ExternalTool objdump) throws IOException {
        Path file = Files.write(directory.resolve("m.ko"), module);
        return objdump.run("-d", "-z", "--insn-width=16", "-j", ".text.code", file.toString())
                .lines()
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .toList();
    }

    /** Words of which many reach memory. */
    private static List<Code> words(int count) {
        Random random = new Random(count);
        List<Code> functions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int word = random.nextInt();
            int memory = word & 0xf3ffffff | 0x08000000;
            int general = i % 3 == 0 ? word : i % 3 == 1 ? memory : memory | 0x30000000;
            functions.add(new Code("f" + i, List.of(HexFormat.of().toHexDigits(general))));
        }
        return functions;
    }

    @Test
    void arm64() throws IOException {
        ExternalTool objdump = ExternalTool.orSkip("aarch64-linux-gnu-objdump");
        List<Code> words = words(60_000);
        ModuleBuilder module = ModuleBuilder.minimal(Machine.AARCH64, "m");
        words.forEach(module::function);
        byte[] bytes = module.build();
        List<Function> functions = ProgramReader.read(bytes, bytes.length).functions();
        int others = functions.size() - words.size();
        List<Matcher> lines = disassembled(bytes, objdump);

        assertThat(lines).hasSameSizeAs(words);
        List<String> wrong = new ArrayList<>();
        int places = 0;
        for (int i = 0; i < words.size(); i++) {
            String name = lines.get(i).group(3);
            String operands = lines.get(i).group(4).replaceFirst("\\s*//.*", "");
            Function function = functions.get(others + i);
            String expected = access(name, operands);
            places += expected.isEmpty() ? 0 : 1;
            if (isKnown(name) && !access(function).equals(expected)
                    || !written(function).containsAll(written(name, operands))) {
                wrong.add(lines.get(i).group(2)
                        + ' '
                        + name
                        + ' '
                        + operands
                        + ": "
                        + access(function)
                        + ' '
                        + written(function));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(places).isGreaterThan(10_000);
    }

    /** Where a function's only instruction reaches memory. */
    private static String access(Function function) {
        int base = -1;
        long from = 0;
        long moved = 0;
        int width = 0;
        boolean written = false;
        boolean indexed = false;
        for (int i = 0; i < function.size(); i++) {
            if (function.op(i) == Op.MOVE && function.to(i) == function.from(i) && base < 0) {
                moved = function.operand(i);
            }
            if (function.width(i) > 0) {
                from = base < 0 ? function.operand(i) + moved : Math.min(from, function.operand(i) + moved);
                base = indexed ? base : function.from(i);
                width += function.width(i);
                written = function.isWritten(i);
            } else if (function.op(i) == Op.ADD && function.to(i) == Function.SCRATCH) {
                base = function.from(i);
                indexed = true;
            }
        }
        String text = base + (indexed ? " indexed" : " " + from) + ' ' + width;
        return base < 0 ? "" : text + (written ? " written" : "");
    }

    /** Those of which not all is followed are left out. */
    private static boolean isKnown(String name) {
        return !name.matches(
                "(ld|st|ldff|ldnf)[1-4].*|.*[gz]m?|st2g|stz2g|stgp|(cpy|set).*|ld64b|st64b.*|ldnt.*|stnt.*|\\..*|udf");
    }

    private static int register(String name) {
        return name.equals("sp") || name.equals("wsp")
                ? 31
                : name.matches("[wx]\\d+") ? Integer.parseInt(name.substring(1)) : -1;
    }

    /** The same as objdump says it. */
    private static String access(String name, String operands) {
        Matcher place = PLACE.matcher(operands);
        if (!place.find() || place.start() == 0 || name.startsWith("prf")) {
            return "";
        }
        String[] before = operands.substring(0, place.start()).split(", ");
        String data = before[before.length - 1].trim();
        boolean atomic =
                name.matches("(ld(add|clr|eor|set|[su]max|[su]min)|cas|swp|st(add|clr|eor|set|[su]max|[su]min)).*");
        boolean pair = name.matches("(ld|st)n?p.*|ldpsw|(ld|st)a?l?xp|casp.*");
        int width = switch (data.charAt(0)) {
            case 'b' -> 1;
            case 'h' -> 2;
            case 's' -> 4;
            case 'w' -> 4;
            case 'q' -> 16;
            default -> 8;
        };
        if (name.matches(".*[^s]?b") && !name.equals("ldrab") && !name.matches("st?ub")) {
            width = 1;
        } else if (name.endsWith("h")) {
            width = 2;
        } else if (name.endsWith("sw")) {
            width = 4;
        }
        String index = place.group(3);
        boolean indexed = index != null;
        int offset = place.group(2) == null ? 0 : Integer.parseInt(place.group(2));
        boolean written = atomic || name.startsWith("st");
        return register(place.group(1))
                + (indexed ? " indexed" : " " + offset)
                + ' '
                + (pair ? 2 : 1) * width
                + (written ? " written" : "");
    }

    private static TreeSet<Integer> written(Function function) {
        TreeSet<Integer> all = new TreeSet<>();
        for (int i = 0; i < function.size(); i++) {
            if (function.width(i) == 0 || function.op(i) == Op.LOAD) {
                all.add(function.to(i));
            }
        }
        return all;
    }

    /** Registers that an instruction writes. */
    private static TreeSet<Integer> written(String name, String operands) {
        TreeSet<Integer> all = new TreeSet<>();
        Matcher place = PLACE.matcher(operands);
        boolean memory = place.find();
        if (memory && (operands.endsWith("!") || operands.contains("],"))) {
            all.add(register(place.group(1)));
        }
        List<String> registers = List.of(operands.split(",\\s*"));
        String first = registers.get(0);
        boolean reads = name.matches(
                "st(?!a?l?xr|l?xp).*|cmp|cmn|tst|ccm[pn]|cb.*|tb.*|b|bl|br.*|blr.*|ret.*|msr|prf.*|cas.*|swp.*|ld(add|clr|eor|set|[su]max|[su]min).*|sys|ic|dc|tlbi|at|setf.*|rmif|\\..*|udf|hvc|svc|smc|b\\..*|drps|cfp|cpp|dvp|wfet|wfit");
        if (!reads) {
            all.add(register(first));
        }
        if (name.matches("ld(n?p|a?xp|psw).*|swp[^p].*|ld(add|clr|eor|set|[su]max|[su]min).*")
                && registers.size() > 1) {
            all.add(register(registers.get(1)));
        }
        if (name.startsWith("cas")) {
            all.add(register(first));
        }
        all.remove(-1);
        return all;
    }

    @Test
    void x86() throws IOException {
        ExternalTool objdump = ExternalTool.orSkip("objdump");
        Random random = new Random(1);
        List<Code> codes = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[15];
            random.nextBytes(bytes);
            codes.add(new Code("f" + i, List.of(HexFormat.of().formatHex(bytes) + "90".repeat(17))));
        }
        ModuleBuilder module = ModuleBuilder.minimal(Machine.X86_64, "m");
        codes.forEach(module::function);
        byte[] bytes = module.build();
        ElfImage image = Objects.requireNonNull(ModuleReader.sound(bytes, bytes.length));
        int section = new NamedSections(image).find(NamedSections.wanted(".text.code"));
        int start = (int) image.sections().offset(section);
        X86Instruction instruction = new X86Instruction(image);
        List<String> wrong = new ArrayList<>();
        int good = 0;
        for (Matcher line : disassembled(bytes, objdump)) {
            int at = Integer.parseInt(line.group(1), 16);
            int length = (line.group(2).length() + 1) / 3;
            if (at % 32 == 0 && !OTHERWISE.matcher(line.group(0)).find()) {
                good++;
                boolean read = instruction.read(start + at, start + at + 32);
                if (!read || instruction.length != length) {
                    wrong.add(line.group(2) + line.group(3) + ' ' + line.group(4) + " " + instruction.length);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(good).isGreaterThan(10_000);
    }
}
