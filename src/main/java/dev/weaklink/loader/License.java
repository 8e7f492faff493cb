package dev.weaklink.loader;

import dev.weaklink.module.ModInfo;

/** Which modules taint the kernel as proprietary (include/linux/license.h, the same 3.10 to 6.18). */
final class License {
    private License() {}

    /** Exact strings only; the first {@code license=} counts, a missing one is proprietary. */
    static boolean isProprietary(ModInfo modInfo, String moduleName) {
        String license = modInfo.first("license");
        return license == null || !isGplCompatible(license) || isForced(moduleName);
    }

    private static boolean isGplCompatible(String license) {
        return switch (license) {
            case "GPL", "GPL v2", "GPL and additional rights", "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL" -> true;
            default -> false;
        };
    }

    /** Names the loader itself calls proprietary whatever they say. */
    private static boolean isForced(String name) {
        return name.equals("driverloader") || name.equals("lve");
    }
}
