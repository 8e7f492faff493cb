package dev.weaklink.compat;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.compat.ModuleLinks.LinkBatch;
import dev.weaklink.compat.ModuleLinks.LinkPlace;
import dev.weaklink.compat.ModuleLinks.ModuleLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The facts of packages' modules. A package's modules are read once, even if they are tried on several kernels. */
final class KmpModules {
    private final ModuleLinks reader;
    private final Map<String, LinkRange> read = new HashMap<>();

    private record LinkRange(LinkBatch batch, int from, int to) {
        List<ModuleLink> of(List<ModuleLink> links) {
            return links.subList(from, to);
        }
    }

    KmpModules(BaseDirectory base, int threads) {
        this.reader = new ModuleLinks(base, threads);
    }

    void read(Collection<Kmp> kmps) throws IOException {
        List<String> paths = new ArrayList<>();
        List<Kmp> missing = new ArrayList<>();
        for (Kmp kmp : kmps) {
            if (!read.containsKey(kmp.id())) {
                missing.add(kmp);
                paths.addAll(kmp.files());
            }
        }
        LinkBatch batch = reader.to(paths, (path, release) -> place(path));
        int next = 0;
        for (Kmp kmp : missing) {
            int end = next + kmp.files().size();
            read.put(kmp.id(), new LinkRange(batch, next, end));
            next = end;
        }
    }

    static String place(String path) {
        return LinkPlace.suse(String.valueOf(KmpFiles.place(path)));
    }

    /** Returns links to a package's modules; empty if the modules have not been read. */
    List<ModuleLink> of(Kmp kmp) {
        LinkRange part = read.get(kmp.id());
        return part == null ? List.of() : part.of(part.batch().links());
    }

    /**
     * Returns links to a package's modules; empty if the modules have not been read. If the kernel enforces signatures,
     * the modules' signatures are checked with its keys.
     *
     * @param proven the links checked on that kernel so far; this method adds to them
     */
    List<ModuleLink> of(Kmp kmp, InstalledTarget view, Map<LinkBatch, List<ModuleLink>> proven) {
        LinkRange part = read.get(kmp.id());
        return part == null ? List.of() : part.of(proven.computeIfAbsent(part.batch(), batch -> batch.provenOn(view)));
    }

    boolean isUsable(Kmp kmp) {
        Set<String> names = new HashSet<>();
        for (ModuleLink link : of(kmp)) {
            if (!link.readable() || !names.add(link.module().name())) {
                return false;
            }
        }
        return true;
    }
}
