package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
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

/** The facts of packages' modules, each read once however many kernels they are tried on. */
final class KmpModules {
    private final ModuleLinks reader;
    private final Map<String, Part> read = new HashMap<>();

    /** Some links of a batch, from one index to another. */
    private record Part(LinkBatch batch, int from, int to) {
        List<ModuleLink> of(List<ModuleLink> links) {
            return links.subList(from, to);
        }
    }

    KmpModules(BaseDirectory base, int threads) {
        this.reader = new ModuleLinks(base, threads);
    }

    /** Reads what has not been read yet, all at once. */
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
            read.put(kmp.id(), new Part(batch, next, end));
            next = end;
        }
    }

    /** Where the link to a package's module belongs, below a kernel's directory. */
    static String place(String path) {
        return LinkPlace.suse(String.valueOf(KmpFiles.place(path)));
    }

    /** A package's modules, as they would be linked; it must have been read. */
    List<ModuleLink> of(Kmp kmp) {
        Part part = read.get(kmp.id());
        return part == null ? List.of() : part.of(part.batch().links());
    }

    /**
     * The same, with what a kernel's keys say of their signatures.
     *
     * @param proven what has been found out on that kernel so far; takes what is found out now
     */
    List<ModuleLink> of(Kmp kmp, KernelView view, Map<LinkBatch, List<ModuleLink>> proven) {
        Part part = read.get(kmp.id());
        return part == null ? List.of() : part.of(proven.computeIfAbsent(part.batch(), batch -> batch.provenOn(view)));
    }

    /** Whether all files of a package could be read, and no two have one module's name. */
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
