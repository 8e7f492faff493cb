package dev.weaklink.compat;

import dev.weaklink.check.KernelView;
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

/** Reads the modules that links lead to. */
record ModuleLinks(BaseDirectory base, int threads) {
    /** Says where the link to a module belongs. */
    interface Layout {
        /** The link's path below a kernel's directory. */
        String place(String path, String release);
    }

    /** Links to these files, absolute paths as spelt by the caller, in this order. */
    LinkBatch to(List<String> paths, Layout layout) throws IOException {
        ModuleBatch batch = read(paths);
        List<ModuleLink> links = new ArrayList<>();
        for (int i = 0; i < paths.size(); i++) {
            KernelModule module = batch.module(i);
            String path = paths.get(i);
            String release = release(module, path);
            links.add(new ModuleLink(layout.place(path, release), path, release, module, batch.failure(i) == null));
        }
        return new LinkBatch(batch, links);
    }

    /** Links that exist; {@code file} says at which path the file is that one leads to. */
    LinkBatch at(List<WeakLink> present, Function<WeakLink, String> file) throws IOException {
        List<String> paths = present.stream().map(file).toList();
        ModuleBatch batch = read(paths);
        List<ModuleLink> links = new ArrayList<>();
        for (int i = 0; i < present.size(); i++) {
            KernelModule module = batch.module(i);
            WeakLink link = present.get(i);
            String release = release(module, paths.get(i));
            links.add(new ModuleLink(link.place(), link.target(), release, module, batch.failure(i) == null));
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

    /** The first word of vermagic; of a file that has none, the directory it lies in. */
    private static String release(KernelModule module, String path) {
        String release = module.release();
        if (release != null && !release.isEmpty()) {
            return release;
        }
        @Nullable String directory = PathFormat.releaseOf(path);
        return directory == null ? "unknown" : directory;
    }

    /** Links whose modules were read at once. */
    static final class LinkBatch {
        private final ModuleBatch modules;
        private final List<ModuleLink> links;

        /** {@code links} are in the order of the modules. */
        LinkBatch(ModuleBatch modules, List<ModuleLink> links) {
            this.modules = modules;
            this.links = List.copyOf(links);
        }

        /** What was read of them. */
        List<ModuleLink> links() {
            return links;
        }

        /**
         * The same, in the same order, with what a kernel's keys say of their modules' signatures if it insists on
         * these. Elsewhere no key is looked for: that takes longer than all the rest.
         */
        List<ModuleLink> provenOn(KernelView view) {
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
     * A link that exists or may be made.
     *
     * @param place its path below the kernel's directory, {@code weak-updates/…}
     * @param target what is written in it
     * @param release the kernel that the module was built for
     * @param module the facts of the file it leads to
     * @param readable whether these are known
     */
    record ModuleLink(String place, String target, String release, KernelModule module, boolean readable) {
        /** The file's name, as messages have it. */
        String fileName() {
            return PathFormat.fileName(target);
        }

        /** The same, with other facts of the file. */
        ModuleLink with(KernelModule facts) {
            return facts == module ? this : new ModuleLink(place, target, release, facts, readable);
        }

        /** The files that links lead to, in order. */
        static List<KernelModule> modules(Collection<ModuleLink> links) {
            return links.stream().map(ModuleLink::module).toList();
        }
    }

    /** Where weak-modules puts the link to a module, however the module's path is spelt. */
    static final class LinkPlace {
        private LinkPlace() {}

        /**
         * The link's path below a kernel's directory: what follows the directory of the module's own kernel without the
         * first component, {@code extra} or {@code updates}; of a module that lies elsewhere, its whole path.
         *
         * @param path absolute
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

        /** The link's path in SUSE's layout: the whole path below the kernel's directory is kept. */
        static String suse(String placeBelowKernel) {
            return WeakUpdates.NAME + "/" + placeBelowKernel;
        }
    }
}
