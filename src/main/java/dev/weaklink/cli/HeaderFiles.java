package dev.weaklink.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * Groups the arguments of {@code --kernel} by kernel. A release or a directory is one kernel. Debian and Ubuntu split
 * the headers of a kernel into several packages, and some of these packages belong to several kernels.
 */
final class HeaderFiles {
    private static final String HEADERS = "linux-headers-";

    private HeaderFiles() {}

    /**
     * Returns one list of arguments for each kernel, in the given order. A package that several kernels share is in the
     * list of each of them. Shared packages that belong to none of these kernels form one list at the end.
     */
    static List<List<String>> of(List<String> arguments) {
        List<List<String>> kernels = new ArrayList<>();
        List<String> left = new ArrayList<>();
        for (String argument : arguments) {
            if (!isShared(argument)) {
                kernels.add(new ArrayList<>(List.of(argument)));
            }
        }
        for (String argument : arguments) {
            if (isShared(argument)) {
                List<List<String>> owners = kernels.stream()
                        .filter(kernel -> kernel.get(0).endsWith(".deb") && belongs(argument, kernel.get(0)))
                        .toList();
                owners.forEach(kernel -> kernel.add(argument));
                if (owners.isEmpty()) {
                    left.add(argument);
                }
            }
        }
        if (!left.isEmpty()) {
            kernels.add(left);
        }
        return kernels;
    }

    private static boolean isShared(String argument) {
        String name = name(argument);
        return name.endsWith(".deb")
                && (name.endsWith("_all.deb") || name.startsWith("linux-kbuild-") || name.contains("-common_"));
    }

    /**
     * Returns whether a shared package completes a kernel's headers, as linux-headers-6.1.0-56-common completes
     * linux-headers-6.1.0-56-amd64. The name of linux-kbuild contains at most the beginning of the release, so
     * linux-kbuild is added to every kernel.
     */
    private static boolean belongs(String shared, String own) {
        String name = name(shared);
        if (!name.startsWith(HEADERS)) {
            return true;
        }
        int end = name.indexOf('_');
        String release = name.substring(0, end < 0 ? name.length() : end);
        release = release.endsWith("-common") ? release.substring(0, release.length() - "-common".length()) : release;
        return name(own).startsWith(release + "-");
    }

    private static String name(String argument) {
        return argument.substring(argument.lastIndexOf('/') + 1);
    }
}
