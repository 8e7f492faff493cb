package dev.weaklink.rebuild;

import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * In which order DKMS's packages are built for a kernel: each after those that its {@code BUILD_DEPENDS} names, else by
 * name, as {@code dkms autoinstall} does it. Pure.
 *
 * @param packages their labels
 * @param needs what has to be built before a package, by label: labels of others, or the names of packages that DKMS
 *     does not have
 */
public record DkmsOrder(List<String> packages, Map<String, List<String>> needs) {
    public DkmsOrder {
        packages = List.copyOf(packages);
        needs = new TreeMap<>(needs);
    }

    /** Of these packages, and of those they need that are not installed for that kernel. */
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

    /** The label of a package, of one that is built anyway if it can be; its name if there is none. */
    private static String needed(String name, Collection<String> labels, DkmsTree tree) {
        for (String label : labels) {
            if (label.startsWith(name + "/")) {
                return label;
            }
        }
        DkmsPackage latest = tree.latest(name);
        return latest == null ? name : latest.label();
    }

    /** What needs itself, through others, comes last; it will not be built. */
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
