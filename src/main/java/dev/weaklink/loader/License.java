package dev.weaklink.loader;

import dev.weaklink.module.ModInfo;

/** Decides which modules taint the kernel as proprietary (include/linux/license.h, unchanged from 3.10 to 6.18). */
final class License {
    private License() {}

    /**
     * Returns whether the module is proprietary. A module is proprietary unless its first {@code license=} equals one
     * of the kernel's GPL-compatible licenses. Two modules that the kernel lists by name are always proprietary.
     */
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

    private static boolean isForced(String name) {
        return name.equals("driverloader") || name.equals("lve");
    }
}
