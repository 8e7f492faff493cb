package dev.weaklink.check;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A symvers file with at least one row.
 *
 * @param name the file's name in reports
 * @param symvers the rows
 * @param checksum a checksum of the text, by which a later run recognises the file
 */
record UsableSymvers(String name, Symvers symvers, long checksum) {
    private static final int MOST_LINES = 5;

    private static final byte[] ELF_MAGIC = {0x7f, 'E', 'L', 'F'};

    /**
     * Returns the first file that has rows, null if none has. Reports problems with the files that were tried.
     *
     * @param advice the end of the message about a file that is not a symvers file
     */
    static @Nullable UsableSymvers first(
            List<FoundFile> files, String advice, FileContents contents, List<InputProblem> problems) {
        for (FoundFile file : files) {
            Symvers symvers = read(file, advice, contents, problems);
            if (symvers != null) {
                return new UsableSymvers(file.inside(), symvers, checksum(contents));
            }
        }
        return null;
    }

    private static long checksum(FileContents contents) {
        CRC32 crc = new CRC32();
        crc.update(contents.bytes(), 0, contents.length());
        return (long) contents.length() << Integer.SIZE | crc.getValue();
    }

    private static @Nullable Symvers read(
            FoundFile file, String advice, FileContents contents, List<InputProblem> problems) {
        try {
            file.load(contents);
        } catch (UnreadableException e) {
            problems.add(new InputProblem(file.inside(), e.reason()));
            return null;
        }
        Symvers symvers = SymversReader.read(contents.bytes(), contents.length());
        if (symvers.exports().size() == 0) {
            problems.add(new InputProblem(file.inside(), whatItIs(contents) + "; " + advice));
            return null;
        }
        tellBadLines(file.inside(), symvers.problems(), problems);
        return symvers;
    }

    private static String whatItIs(FileContents contents) {
        boolean elf = contents.length() >= ELF_MAGIC.length;
        for (int i = 0; elf && i < ELF_MAGIC.length; i++) {
            elf = contents.bytes()[i] == ELF_MAGIC[i];
        }
        String known = contents.length() == 0 ? ": it is empty" : elf ? ": it is an ELF file" : "";
        return "not a Module.symvers file" + known;
    }

    private static void tellBadLines(String name, List<Symvers.SymversProblem> bad, List<InputProblem> problems) {
        int shown = bad.size() <= MOST_LINES + 1 ? bad.size() : MOST_LINES;
        for (Symvers.SymversProblem problem : bad.subList(0, shown)) {
            problems.add(new InputProblem(name + ":" + problem.line(), "line ignored: " + problem.message()));
        }
        if (shown < bad.size()) {
            problems.add(new InputProblem(
                    name,
                    "more lines ignored, the first of them is line "
                            + bad.get(shown).line() + "; the file may be damaged"));
        }
    }
}
