package dev.weaklink.compat;

import dev.weaklink.links.transaction.Change;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The planned changes of links, and the kernels and modules that they affect. */
final class PendingChanges {
    private final List<Change> changes = new ArrayList<>();
    private final Map<String, Set<String>> modules = new TreeMap<>();

    void add(String kernel, List<Change> more) {
        changes.addAll(more);
        for (Change change : more) {
            changed(kernel, PathFormat.fileName(change.path()));
        }
    }

    void remove(String kernel, List<WeakLink> links) {
        add(
                kernel,
                links.stream()
                        .<Change>map(link -> new Change.RemoveLink(link.inside(), link.target()))
                        .toList());
    }

    /** Marks a kernel as changed even if none of its links changes. */
    void changed(String kernel) {
        modules.computeIfAbsent(kernel, release -> new TreeSet<>());
    }

    void changed(String kernel, String fileName) {
        modules.computeIfAbsent(kernel, release -> new TreeSet<>()).add(ModuleNames.ofFile(fileName));
    }

    List<Change> changes() {
        return changes;
    }

    Set<String> kernels() {
        return modules.keySet();
    }

    Map<String, Set<String>> modules() {
        return modules;
    }
}
