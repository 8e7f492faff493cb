package dev.weaklink.links;

import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.initramfs.InitramfsPlanner;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsSteps;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

final class ChangedModules {
    private static final String MODULES = "lib/modules/";

    private final Map<String, Set<String>> byKernel = new LinkedHashMap<>();

    void add(String path) {
        int start = path.indexOf(MODULES) + MODULES.length();
        int end = path.indexOf('/', start);
        String name = ModuleNames.ofFile(path.substring(path.lastIndexOf('/') + 1));
        byKernel.computeIfAbsent(path.substring(start, end), k -> new TreeSet<>())
                .add(name);
    }

    void addInstalled(HistoryEntry entry) {
        for (PathChange change : entry.changes()) {
            if (change.isFile() && change.path().contains(MODULES)) {
                add(change.path());
            }
        }
        for (ExternalInstallation external : entry.external()) {
            byKernel.computeIfAbsent(external.kernel(), k -> new TreeSet<>()).addAll(external.modules());
        }
    }

    Map<String, Set<String>> byKernel() {
        return byKernel;
    }

    List<InitramfsStep> renewals(Root root, TransactionListener listener) {
        InitramfsSteps steps = InitramfsPlanner.steps(root, byKernel);
        for (String note : steps.notes()) {
            listener.warning(note);
        }
        for (String problem : steps.problems()) {
            listener.warning(problem);
        }
        return steps.steps();
    }
}
