package dev.weaklink.links;

import dev.weaklink.check.ModulesInUse.GoneModule;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the modules for which the latest link change in the history was a removal. */
public final class RemovedLinks {
    private RemovedLinks() {}

    /**
     * Returns the modules sorted by name, each with the transaction that removed its link. Changes by weak-modules do
     * not count: a package's own scripts call weak-modules when the package is installed or removed.
     *
     * @param problems receives the reason if the history cannot be listed; the result is then empty
     */
    public static List<GoneModule> of(Root root, List<InputProblem> problems) {
        try {
            return of(History.read(root));
        } catch (IOException e) {
            InputProblem unread = new InputProblem("history", IoReason.of(e));
            if (!problems.contains(unread)) {
                problems.add(unread);
            }
            return List.of();
        }
    }

    private static List<GoneModule> of(History history) {
        Map<String, GoneModule> removed = new TreeMap<>();
        for (HistoryEntry entry : history.entries()) {
            boolean counts = entry.isDone() && !entry.title().startsWith("weak-modules");
            for (PathChange change : counts ? entry.changes() : List.<PathChange>of()) {
                String kernel = kernel(change.path());
                if (kernel != null && !change.isDirectory()) {
                    String name = ModuleNames.ofPath(change.path());
                    if (change.removes()) {
                        removed.put(name, new GoneModule(name, kernel, detail(change, entry)));
                    } else {
                        removed.remove(name);
                    }
                }
            }
        }
        return new ArrayList<>(removed.values());
    }

    private static String detail(PathChange change, HistoryEntry entry) {
        return "transaction "
                + entry.number()
                + " of "
                + entry.time().atZone(ZoneOffset.UTC).toLocalDate()
                + " removed the link "
                + change.path();
    }

    private static @Nullable String kernel(String path) {
        for (String parent : ModulesDirectory.PARENTS) {
            if (path.startsWith(parent + "/") && ModuleNames.isModuleFile(path.substring(path.lastIndexOf('/') + 1))) {
                String rest = path.substring(parent.length() + 1);
                int slash = rest.indexOf('/');
                return rest.startsWith("/" + WeakUpdates.NAME + "/", slash) ? rest.substring(0, slash) : null;
            }
        }
        return null;
    }
}
