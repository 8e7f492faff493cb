package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.format.archive.PackageWalk.RawEntry;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the control archive of a deb or ipk package: a tar archive that contains the control file. */
final class ControlArchive {
    /** The maximum size in bytes of a package's description; kernel packages have a few KiB. */
    static final int MAX_SIZE = 4 << 20;

    private ControlArchive() {}

    static PackageInfo read(InputStream packed, PackageKind kind, PackageBudget budget) throws IOException {
        try (UnpackedStream in = UnpackedStream.open(packed, budget)) {
            TarReader tar = new TarReader(in);
            for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
                budget.spendEntry(entry.name().length());
                if ("/control".equals(EntryPath.of(entry.name()))) {
                    return ControlFields.parse(text(tar.contents())).info(kind);
                }
            }
        }
        throw new UnreadableException("its control archive has no control file");
    }

    static String text(InputStream contents) throws IOException {
        byte[] bytes = contents.readNBytes(MAX_SIZE + 1);
        if (bytes.length > MAX_SIZE) {
            throw new UnreadableException(
                    "its control file or .PKGINFO is longer than the limit of " + MAX_SIZE + " bytes");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The first paragraph of a deb-control(5) file. Packages of opkg contain a file of the same format. */
    private static final class ControlFields {
        private final Map<String, String> fields = new HashMap<>();

        private ControlFields() {}

        static ControlFields parse(String text) {
            ControlFields control = new ControlFields();
            String last = "";
            for (String line : text.split("\n")) {
                if (line.isBlank()) {
                    break;
                }
                int colon = line.indexOf(':');
                if (line.charAt(0) == ' ' || line.charAt(0) == '\t') {
                    control.fields.merge(last, line, String::concat);
                } else if (colon > 0) {
                    last = line.substring(0, colon).toLowerCase(Locale.ROOT);
                    control.fields.put(last, line.substring(colon + 1).strip());
                }
            }
            return control;
        }

        PackageInfo info(PackageKind kind) {
            List<PackageRelation> requires = relations(field("pre-depends"));
            requires.addAll(relations(field("depends")));
            return new PackageInfo(kind, field("package"), field("version"), product(kind), requires);
        }

        /**
         * Returns the name of the source, or null if unknown. A Debian package omits its source field only if source
         * and package have the same name. An opkg package may omit the field in any case.
         */
        private @Nullable String product(PackageKind kind) {
            String source = firstWord(field(kind == PackageKind.IPK ? "sourcename" : "source"));
            if (source.isEmpty() && kind == PackageKind.DEB) {
                source = field("package");
            }
            return source.isEmpty() ? null : source;
        }

        private String field(String name) {
            return fields.getOrDefault(name, "");
        }

        private static List<PackageRelation> relations(String field) {
            List<PackageRelation> relations = new ArrayList<>();
            int start = 0;
            for (int i = 0; i <= field.length(); i++) {
                if (i == field.length() || field.charAt(i) == ',' || field.charAt(i) == '|') {
                    String relation = field.substring(start, i).strip();
                    if (!relation.isEmpty()) {
                        relations.add(relation(relation));
                    }
                    start = i + 1;
                }
            }
            return relations;
        }

        /** Parses one relation, such as {@code name:arch (op version) [archs]}. */
        private static PackageRelation relation(String text) {
            int open = text.indexOf('(');
            int close = text.indexOf(')', open + 1);
            String name = firstWord(open < 0 ? text : text.substring(0, open));
            int colon = name.indexOf(':');
            name = colon < 0 ? name : name.substring(0, colon);
            if (open < 0 || close < 0) {
                return new PackageRelation(name, "", "");
            }
            String inner = text.substring(open + 1, close).strip();
            int end = 0;
            while (end < inner.length() && "<>=".indexOf(inner.charAt(end)) >= 0) {
                end++;
            }
            return new PackageRelation(
                    name, inner.substring(0, end), inner.substring(end).strip());
        }

        private static String firstWord(String text) {
            String stripped = text.strip();
            int blank = stripped.indexOf(' ');
            return blank < 0 ? stripped : stripped.substring(0, blank);
        }
    }
}
