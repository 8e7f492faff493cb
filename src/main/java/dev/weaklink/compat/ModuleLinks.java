package dev.weaklink.compat;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.check.ModuleBatch;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.module.KernelModule;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

record ModuleLinks(BaseDirectory base, int threads) {
    interface LinkPlaces {
        String place(String path, String release);
    }

    LinkBatch to(List<String> paths, LinkPlaces layout) throws IOException {
        ModuleBatch batch = read(paths);
        List<ModuleLink> links = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            KernelModule module = batch.module(i);
            String path = paths.get(i);
            String release = release(module, path);
            links.add(new ModuleLink(layout.place(path, release), path, release, module, batch.failure(i)));
        }
        return new LinkBatch(batch, links);
    }

    LinkBatch at(List<WeakLink> present, Function<WeakLink, String> file) throws IOException {
        List<String> paths = present.stream().map(file).toList();
        ModuleBatch batch = read(paths);
        List<ModuleLink> links = new ArrayList<>();
        for (int i = 0; i < present.size(); i++) {
            KernelModule module = batch.module(i);
            WeakLink link = present.get(i);
            String release = release(module, paths.get(i));
            links.add(new ModuleLink(link.place(), link.target(), release, module, batch.failure(i)));
        }
        return new LinkBatch(batch, links);
    }

    private ModuleBatch read(List<String> paths) throws IOException {
        List<ModuleSource> sources = new ArrayList<>();
        for (String path : paths) {
            sources.add(new ModuleSource(base.host(path), path));
        }
        return ModuleBatch.read(sources, ReadOptions.uncached(threads));
    }

    private static String release(KernelModule module, String path) {
        String release = module.release();
        if (release != null && !release.isEmpty()) {
            return release;
        }
        @Nullable String directory = PathFormat.releaseOf(path);
        return directory == null ? "unknown" : directory;
    }

    static final class LinkBatch {
        private final ModuleBatch modules;
        private final List<ModuleLink> links;

        LinkBatch(ModuleBatch modules, List<ModuleLink> links) {
            this.modules = modules;
            this.links = List.copyOf(links);
        }

        List<ModuleLink> links() {
            return links;
        }

        /**
         * Returns the links in the same order. If the kernel enforces signatures, checks each module's signature with
         * the kernel's keys first. For other kernels, this check is skipped, because it takes longer than the other
         * checks.
         */
        List<ModuleLink> provenOn(InstalledTarget view) {
            if (!view.insistsOnSignatures()) {
                return links;
            }
            List<KernelModule> proven = modules.provenOn(view);
            List<ModuleLink> known = new ArrayList<>(links.size());
            for (int i = 0; i < links.size(); i++) {
                known.add(links.get(i).with(proven.get(i)));
            }
            return known;
        }
    }

    /**
     * A link that exists or may be created.
     *
     * @param place the link's path below the kernel's directory, {@code weak-updates/…}
     * @param target the target as written in the link
     * @param release the kernel that the module was built for, or else the kernel in its path; "unknown" if neither is
     *     known
     * @param module the facts of the target file
     * @param failure the reason why the target file cannot be read; null if its facts are known
     */
    record ModuleLink(
            String place,
            String target,
            String release,
            KernelModule module,
            @Nullable String failure) {
        boolean readable() {
            return failure == null;
        }

        String fileName() {
            return PathFormat.fileName(target);
        }

        ModuleLink with(KernelModule facts) {
            return facts == module ? this : new ModuleLink(place, target, release, facts, failure);
        }

        static List<KernelModule> modules(Collection<ModuleLink> links) {
            return links.stream().map(ModuleLink::module).toList();
        }
    }

    /** Computes the path of a link in the layout of a distribution. */
    static final class LinkPlace {
        private LinkPlace() {}

        /**
         * Returns the link's path below a kernel's directory in Red Hat's layout, such as {@code weak-updates/a/b.ko}
         * for the module {@code extra/a/b.ko}. For a module outside of its kernel's directory, or directly in it, the
         * whole path follows {@code weak-updates}.
         *
         * @param path the module's absolute path
         * @param release the kernel that the module was built for
         */
        static String redHat(String path, String release) {
            String clean = PathFormat.clean(path);
            String directory = "/lib/modules/" + release + "/";
            int at = clean.indexOf(directory);
            if (at >= 0) {
                int slash = clean.indexOf('/', at + directory.length());
                if (slash >= 0) {
                    return WeakUpdates.NAME + clean.substring(slash);
                }
            }
            return WeakUpdates.NAME + clean;
        }

        /** Returns the link's path in SUSE's layout, which keeps the whole path below the kernel's directory. */
        static String suse(String placeBelowKernel) {
            return WeakUpdates.NAME + "/" + placeBelowKernel;
        }
    }
}
