package dev.weaklink.check;

import dev.weaklink.check.CheckedImage.CheckedModule;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.initramfs.InitramfsComparison;
import dev.weaklink.system.initramfs.InitramfsComparison.ModuleState;
import dev.weaklink.system.initramfs.InstalledImages;
import dev.weaklink.system.initramfs.PackedModules;
import dev.weaklink.system.initramfs.PackedModules.PackedModule;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares the modules of initramfs images with the modules that depmod selects now, and judges whether the kernel
 * would load the images' modules. The dependencies of such a module must be in the same image.
 */
public final class InitramfsChecker {
    private static final String BOOT = "/boot";

    private InitramfsChecker() {}

    /**
     * Checks a kernel's installed images.
     *
     * @param problems receives problems with the kernel's files and /boot
     * @throws IOException if the kernel has images, but its modules cannot be listed
     */
    public static List<CheckedImage> installed(Root root, String release, int threads, List<InputProblem> problems)
            throws IOException {
        Path boot = root.resolve(BOOT);
        if (Files.isDirectory(boot) && !Files.isExecutable(boot)) {
            problems.add(new InputProblem(BOOT, "permission denied"));
        }
        return check(new InstalledImages(root, release).all(), root, release, threads, problems);
    }

    /**
     * Checks the named images.
     *
     * @param problems receives problems with the kernel's files
     * @throws IOException if the kernel's modules cannot be listed, or if a name is not a valid path
     */
    public static List<CheckedImage> given(
            List<String> paths, Root root, String release, int threads, List<InputProblem> problems)
            throws IOException {
        InstalledImages installed = new InstalledImages(root, release);
        List<InstalledImages.Image> images = new ArrayList<>();
        for (String path : paths) {
            try {
                images.add(installed.given(path));
            } catch (InvalidPathException e) {
                throw new FileNotFoundException(path + ": no such file");
            }
        }
        return check(images, root, release, threads, problems);
    }

    private static List<CheckedImage> check(
            List<InstalledImages.Image> images, Root root, String release, int threads, List<InputProblem> problems)
            throws IOException {
        if (images.isEmpty()) {
            return List.of();
        }
        InstalledTarget.Opening opening = InstalledTarget.open(root, release);
        ModuleTree tree = ModuleTree.scan(root, release);
        InstalledTarget view = opening.with(tree, SignaturePolicy.OF_KERNELS, ReadOptions.uncached(threads), problems);
        InitramfsKernel kernel = new InitramfsKernel(release, tree, view, threads);
        return images.stream().map(kernel::check).toList();
    }

    private static final class InitramfsKernel {
        private final String release;
        private final ModuleTree tree;
        private final @Nullable InstalledTarget view;
        private final int threads;
        private final PackedModules reader = new PackedModules();
        private final Map<String, PackedModule> selected = new HashMap<>();

        InitramfsKernel(String release, ModuleTree tree, @Nullable InstalledTarget view, int threads) {
            this.release = release;
            this.tree = tree;
            this.view = view;
            this.threads = threads;
        }

        CheckedImage check(InstalledImages.Image image) {
            try {
                List<PackedModule> packed = reader.ofImage(image.file(), image.path());
                return new CheckedImage(image.path(), release, modules(packed), null, image.renewal());
            } catch (UnreadableException e) {
                return new CheckedImage(image.path(), release, List.of(), e.reason(), image.renewal());
            }
        }

        private List<CheckedModule> modules(List<PackedModule> packed) {
            Map<KernelModule, Verdict> verdicts = judge(packed);
            return packed.stream()
                    .map(module -> isOurs(module) ? checked(module, verdicts) : other(module))
                    .toList();
        }

        private CheckedModule checked(PackedModule module, Map<KernelModule, Verdict> verdicts) {
            PackedModule installed = selected(module.name());
            ModuleState state = InitramfsComparison.of(module, installed);
            boolean different = state != ModuleState.SAME && state != ModuleState.SAME_BUILD;
            return new CheckedModule(
                    module.path(),
                    module.name(),
                    state,
                    installed == null ? null : installed.path(),
                    different ? InitramfsComparison.difference(module, installed) : null,
                    module.facts() == null ? null : verdicts.get(module.facts()));
        }

        private static CheckedModule other(PackedModule module) {
            return new CheckedModule(module.path(), module.name(), ModuleState.OTHER_KERNEL, null, null, null);
        }

        private @Nullable PackedModule selected(String name) {
            PackedModule known = selected.get(name);
            ModuleFile file = known == null ? tree.chosen(name) : null;
            if (file != null) {
                known = reader.installed(file);
                selected.put(name, known);
            }
            return known;
        }

        /**
         * Returns whether the module may be for this kernel. A module outside {@code /lib/modules} may be for any
         * kernel.
         */
        private boolean isOurs(PackedModule module) {
            String path = "/" + module.path();
            return !path.contains("/lib/modules/") || path.contains("/lib/modules/" + release + "/");
        }

        private Map<KernelModule, Verdict> judge(List<PackedModule> packed) {
            Map<KernelModule, Verdict> byModule = new IdentityHashMap<>();
            if (view == null) {
                return byModule;
            }
            List<KernelModule> given = new ArrayList<>();
            Set<String> unreadable = new HashSet<>();
            for (PackedModule module : packed) {
                if (isOurs(module) && module.facts() != null) {
                    given.add(module.facts());
                } else if (isOurs(module)) {
                    unreadable.add(module.name());
                }
            }
            ExportRowCache rows = new ExportRowCache(view.kernel().exports());
            rows.prepare(given, threads);
            List<Verdict> verdicts = LoadSet.sideBySide(view.kernel(), given, List.of(), unreadable, rows, threads);
            for (int i = 0; i < given.size(); i++) {
                byModule.put(given.get(i), verdicts.get(i));
            }
            return byModule;
        }
    }
}
