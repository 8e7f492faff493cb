package dev.weaklink.system;

import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.Numbers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The symbol versions that an rpm package requires for its modules: {@code kernel(SYMBOL) = CRC} and
 * {@code ksym(SYMBOL) = CRC}, or {@code ksym(FLAVOR:SYMBOL) = CRC} on SUSE. The package manager compares these
 * versions. The kernel's loader ignores them and compares the versions in the modules.
 */
final class SymbolRequires {
    private SymbolRequires() {}

    static boolean areIn(PackageInfo owner) {
        for (PackageRelation required : owner.requires()) {
            if (symbol(required) != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns a line about the package's requirements that contradict its modules; null if there are no contradictions.
     */
    static @Nullable String contradiction(PackageInfo owner, List<KernelModule> modules) {
        Map<String, Integer> wanted = wanted(modules);
        String first = null;
        int count = 0;
        for (PackageRelation required : owner.requires()) {
            String symbol = symbol(required);
            Integer crc = symbol == null ? null : wanted.get(symbol);
            Integer stated = crc == null ? null : crc(required.version());
            if (crc == null || stated == null || crc.equals(stated)) {
                continue;
            }
            count++;
            if (first == null) {
                first = required.name() + " = " + Numbers.crc(stated) + ", but its modules want " + Numbers.crc(crc);
            }
        }
        if (first == null) {
            return null;
        }
        String more = count == 1
                ? ""
                : ", and " + (count - 1) + (count == 2 ? " more symbol differs" : " more symbols differ");
        return "the package requires " + first + more + "; weaklink uses the CRCs in the modules";
    }

    private static Map<String, Integer> wanted(List<KernelModule> modules) {
        Map<String, Integer> wanted = new HashMap<>();
        for (KernelModule module : modules) {
            VersionTable versions = module.versions();
            for (int i = 0; versions != null && i < versions.names().size(); i++) {
                wanted.put(versions.names().name(i), (int) versions.crcs()[i]);
            }
        }
        return wanted;
    }

    private static @Nullable String symbol(PackageRelation required) {
        String name = required.name();
        boolean ofSymbol = name.startsWith("kernel(") || name.startsWith("ksym(");
        if (!ofSymbol || !name.endsWith(")") || !required.operator().equals("=")) {
            return null;
        }
        String inner = name.substring(name.indexOf('(') + 1, name.length() - 1);
        return inner.substring(inner.indexOf(':') + 1);
    }

    private static @Nullable Integer crc(String version) {
        String digits = version.startsWith("0x") ? version.substring(2) : version;
        if (digits.isEmpty() || digits.length() > 8) {
            return null;
        }
        try {
            return Integer.parseUnsignedInt(digits, 16);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
