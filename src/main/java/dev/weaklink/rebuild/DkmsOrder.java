package dev.weaklink.rebuild;

import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The order in which DKMS builds packages for a kernel: after the packages in their {@code BUILD_DEPENDS}, else by
 * name, as {@code dkms autoinstall} does.
 *
 * @param packages the labels {@code NAME/VERSION} of the packages, in the order of building
 * @param needs for each label, the packages to build before it: a label, or only a name if DKMS does not have the
 *     package
 */
public record DkmsOrder(List<String> packages, Map<String, List<String>> needs) {
    public DkmsOrder {
        packages = List.copyOf(packages);
        needs = new TreeMap<>(needs);
    }

    /**
     * Returns the order of the given packages and of the packages that they need, directly or not. A needed package
     * that is already installed for the kernel is left out, unless it is one of the given packages.
     */
    public static DkmsOrder of(Collection<String> labels, DkmsTree tree, String kernel) {
        Map<String, List<String>> needs = new TreeMap<>();
        List<String> open = new ArrayList<>(labels);
        while (!open.isEmpty()) {
            String label = open.remove(0);
            if (needs.containsKey(label)) {
                continue;
            }
            List<String> before = new ArrayList<>();
            DkmsPackage one = tree.labelled(label);
            for (String name : one == null ? List.<String>of() : one.needs()) {
                String needed = needed(name, labels, tree);
                if (labels.contains(needed) || !tree.isInstalled(name, kernel)) {
                    before.add(needed);
                }
            }
            needs.put(label, before);
            before.stream().filter(needed -> tree.labelled(needed) != null).forEach(open::add);
        }
        return new DkmsOrder(sorted(needs), needs);
    }

    /**
     * Returns the label of the package with this name: a label from {@code labels}, else the label of the latest
     * version that DKMS has. Returns the name if DKMS does not have the package.
     */
    private static String needed(String name, Collection<String> labels, DkmsTree tree) {
        for (String label : labels) {
            if (label.startsWith(name + "/")) {
                return label;
            }
        }
        DkmsPackage latest = tree.latest(name);
        return latest == null ? name : latest.label();
    }

    private static List<String> sorted(Map<String, List<String>> needs) {
        List<String> sorted = new ArrayList<>();
        List<String> left = new ArrayList<>(needs.keySet());
        boolean progress = true;
        while (progress) {
            progress = false;
            for (String label : List.copyOf(left)) {
                List<String> before = new ArrayList<>(needs.getOrDefault(label, List.of()));
                before.removeIf(needed -> sorted.contains(needed) || !needs.containsKey(needed));
                if (before.isEmpty()) {
                    sorted.add(label);
                    left.remove(label);
                    progress = true;
                }
            }
        }
        sorted.addAll(left);
        return sorted;
    }
}
