package dev.weaklink.compat;

import dev.weaklink.links.plan.Planner;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.OutOfTree;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The existing links of a kernel, and the packages that the links belong to. */
final class KmpLinks {
    private final String release;
    private final String directory;
    private final ModuleTree own;
    private final Map<String, WeakLink> byPlace = new TreeMap<>();
    private final Map<String, Kmp> owners = new HashMap<>();
    private final Map<String, Path> files = new HashMap<>();

    /**
     * Reads a kernel's module directory.
     *
     * @param kmps all packages that links may belong to
     * @throws IOException if the directory cannot be read
     */
    KmpLinks(BaseDirectory base, String release, Collection<Kmp> kmps) throws IOException {
        this.release = release;
        WeakUpdates weak = WeakUpdates.scan(base.root(), release);
        ModuleTree tree = ModuleTree.scan(base.root(), release);
        this.directory = tree.directory().inside();
        this.own = tree.changed(weak::leadTo, List.of());
        for (WeakLink link : weak.links()) {
            byPlace.put(link.place(), link);
        }
        for (Kmp kmp : kmps) {
            for (String file : kmp.files()) {
                note(base, kmp, file);
            }
        }
    }

    private void note(BaseDirectory base, Kmp kmp, String file) throws IOException {
        if (base.exists(file)) {
            files.putIfAbsent(file, base.host(file).toRealPath());
        }
        WeakLink link = byPlace.get(KmpModules.place(file));
        if (link != null && leadsTo(link, file)) {
            owners.putIfAbsent(link.place(), kmp);
        }
    }

    private boolean leadsTo(WeakLink link, String file) {
        Path host = files.get(file);
        return withoutUsr(link.target()).equals(withoutUsr(file)) || host != null && host.equals(link.host());
    }

    private static String withoutUsr(String path) {
        return path.startsWith("/usr/lib/") ? path.substring("/usr".length()) : path;
    }

    String release() {
        return release;
    }

    ModuleTree own() {
        return own;
    }

    boolean isPresent(Kmp kmp) {
        if (kmp.kernel().equals(release)) {
            return true;
        }
        for (String file : kmp.files()) {
            WeakLink link = byPlace.get(KmpModules.place(file));
            if (link == null || !leadsTo(link, file)) {
                return false;
            }
        }
        return true;
    }

    boolean isLinked(Kmp kmp) {
        for (String file : kmp.files()) {
            WeakLink link = byPlace.get(KmpModules.place(file));
            if (link != null && leadsTo(link, file)) {
                return true;
            }
        }
        return false;
    }

    List<WeakLink> loose() {
        return byPlace.values().stream()
                .filter(link -> !link.dangles() && !link.directory() && !owners.containsKey(link.place()))
                .toList();
    }

    /**
     * Returns the path of an out-of-tree module or link that already provides one of the package's modules on this
     * kernel; null if there is none. Links to any version of the package and dangling links to removed builds do not
     * count.
     */
    @Nullable
    String inTheWayOf(Kmp kmp) {
        Set<String> names = new HashSet<>();
        for (String file : kmp.files()) {
            names.add(ModuleNames.ofFile(PathFormat.fileName(file)));
        }
        for (ModuleFile file : OutOfTree.of(own)) {
            if (names.contains(file.name())) {
                return file.inside();
            }
        }
        for (WeakLink link : byPlace.values()) {
            Kmp owner = owners.get(link.place());
            boolean foreign = owner == null ? !Planner.isLeftOver(link) : !owner.isVersionOf(kmp);
            if (names.contains(link.name()) && foreign) {
                return link.inside();
            }
        }
        return null;
    }

    /**
     * Returns the changes that link packages and remove obsolete links, such as links to removed builds of the linked
     * modules.
     *
     * @param gone the packages whose links are removed
     * @param wanted the packages to link; links to other versions of these packages are removed
     */
    List<Change> changes(Collection<Kmp> gone, Collection<Kmp> wanted) {
        Map<String, String> targets = new TreeMap<>();
        Set<String> names = new HashSet<>();
        for (Kmp kmp : wanted) {
            for (String file : kmp.files()) {
                targets.put(KmpModules.place(file), file);
                names.add(ModuleNames.ofFile(PathFormat.fileName(file)));
            }
        }
        List<Change> changes = new ArrayList<>();
        for (WeakLink link : byPlace.values()) {
            Kmp owner = owners.get(link.place());
            boolean goes = owner == null
                    ? names.contains(link.name()) && Planner.isLeftOver(link)
                    : gone.contains(owner) || isVersionOfAny(owner, wanted);
            if (goes && !targets.containsKey(link.place())) {
                changes.add(new Change.RemoveLink(link.inside(), link.target()));
            }
        }
        for (Map.Entry<String, String> target : targets.entrySet()) {
            WeakLink link = byPlace.get(target.getKey());
            if (link == null || !leadsTo(link, target.getValue())) {
                changes.add(new Change.PutLink(directory + "/" + target.getKey(), target.getValue()));
            }
        }
        return changes;
    }

    private static boolean isVersionOfAny(Kmp owner, Collection<Kmp> kmps) {
        return kmps.stream().anyMatch(kmp -> owner.isVersionOf(kmp));
    }
}
