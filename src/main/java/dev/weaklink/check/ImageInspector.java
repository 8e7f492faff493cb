package dev.weaklink.check;

import dev.weaklink.check.report.KernelJson;
import dev.weaklink.check.report.KernelTable;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.KernelFiles.Role;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.PackagedKernels;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads kernel images for {@code weaklink inspect}, and rebuilds symvers files from them. */
public final class ImageInspector {
    private static final String WHAT_TO_GIVE =
            "; give a kernel image such as /boot/vmlinuz-RELEASE, or a kernel's packages";

    /**
     * A kernel image and the loader rules that follow from it.
     *
     * @param name the file's name in reports
     * @param rules the loader rules, as far as the image alone shows them
     */
    public record InspectedImage(String name, KernelImage image, LoaderBehavior rules) {
        public void write(Format format, TableOptions options, OutputStream out) throws IOException {
            if (format == Format.JSON) {
                KernelJson.write(name, image, rules, out);
            } else {
                String text = new KernelTable(options).render(name, image, rules);
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /**
     * Reads an image. Returns null if the request names packages and no package contains an image of the kernel.
     *
     * @throws IOException on any other failure; the message is one line
     */
    public @Nullable InspectedImage inspect(KernelRequest request) throws IOException {
        ChosenImage chosen = ChosenImage.of(request);
        if (chosen == null) {
            return null;
        }
        KernelImage image = chosen.read();
        LoaderEvidence evidence =
                new LoaderEvidence(image.release(), image.config(), null, null, image.traces(), Map.of());
        return new InspectedImage(chosen.file().inside(), image, LoaderBehaviorReader.read(evidence));
    }

    /**
     * Returns the exports of a kernel and its own modules, as in the kernel's Module.symvers.
     *
     * @param modules the directory of the kernel's modules as typed; null for the modules of the installed or packaged
     *     kernel, if any
     * @param threads the number of threads that read modules
     * @throws IOException if image or modules cannot be found or read, or belong to different kernels; the message is
     *     one line
     */
    public ExportTable symvers(KernelRequest request, @Nullable Path modules, int threads) throws IOException {
        ChosenImage chosen = ChosenImage.of(request);
        if (chosen == null) {
            throw new IOException(request.files().get(0)
                    + ": the given packages do not contain the kernel's image, such as"
                    + " /boot/vmlinuz-RELEASE");
        }
        KernelImage image = chosen.read();
        String name = chosen.file().inside();
        ExportTable exports = image.exports();
        if (exports == null || image.missing() != null) {
            throw new IOException(name + ": its exports cannot be read: " + image.missing());
        }
        RebuiltSymvers rebuilt = new RebuiltSymvers(name, exports, threads);
        KernelFiles packaged = chosen.packaged();
        if (modules != null) {
            return rebuilt.withDirectory(modules);
        }
        if (packaged != null) {
            ModuleTree tree = packaged.tree();
            return tree == null ? exports : rebuilt.withTree(tree, packaged.modules());
        }
        String release = chosen.installed();
        return release == null ? exports : rebuilt.withTree(ModuleTree.scan(request.openRoot(), release), Map.of());
    }

    /**
     * The kernel image that a request selects.
     *
     * @param packaged the kernel whose packages contain the image, null if the image is a plain file
     * @param installed the release of the installed kernel that the image belongs to, as found or as the user named it;
     *     null if there is none
     */
    private record ChosenImage(
            FoundFile file,
            @Nullable KernelFiles packaged,
            @Nullable String installed) {
        /**
         * Finds the image. Returns null if the request names packages and no package contains an image of the kernel.
         *
         * @throws IOException on any other failure; the message is one line
         */
        static @Nullable ChosenImage of(KernelRequest request) throws IOException {
            return request.files().isEmpty() ? installed(request) : given(request);
        }

        private static ChosenImage installed(KernelRequest request) throws IOException {
            Root root = request.openRoot();
            String release = request.release() == null ? newest(root) : request.release();
            FoundFile image = KernelFiles.locate(root, release).first(Role.IMAGE);
            if (image == null) {
                throw new FileNotFoundException(
                        release + ": kernel image, such as /boot/vmlinuz-" + release + ", not found in " + root);
            }
            return new ChosenImage(image, null, release);
        }

        private static String newest(Root root) throws IOException {
            String newest = InstalledKernels.newest(root);
            if (newest == null) {
                throw new FileNotFoundException(
                        root + ": no kernel is installed below its lib/modules; give a kernel image");
            }
            return newest;
        }

        private static @Nullable ChosenImage given(KernelRequest request) throws IOException {
            List<InputProblem> problems = new ArrayList<>();
            PackagedKernels packages = new PackagedKernels(GivenPackages.unkept(), problems);
            boolean packaged = false;
            for (String given : request.files()) {
                Path path = path(given);
                if (PackageReader.isPackage(path)) {
                    packages.add(path, given);
                    packaged = true;
                } else if (request.files().size() == 1) {
                    return new ChosenImage(new FoundFile(given, path), null, request.release());
                } else {
                    String what = Files.exists(path) ? "not a package" : "no such file";
                    throw new IOException(given + ": " + what + "; give one image, or the packages of one kernel");
                }
            }
            if (packaged && !problems.isEmpty()) {
                InputProblem first = problems.get(0);
                throw new IOException(first.subject() + ": " + first.message());
            }
            KernelFiles kernel = only(packages.kernels(), request);
            return kernel == null
                    ? null
                    : new ChosenImage(kernel.all(Role.IMAGE).get(0), kernel, null);
        }

        private static Path path(String given) throws FileNotFoundException {
            try {
                return Path.of(given);
            } catch (InvalidPathException e) {
                throw new FileNotFoundException(given + ": no such file" + WHAT_TO_GIVE);
            }
        }

        private static @Nullable KernelFiles only(List<KernelFiles> kernels, KernelRequest request) throws IOException {
            String subject = request.files().get(0) + ": ";
            List<KernelFiles> meant = new ArrayList<>();
            for (KernelFiles kernel : kernels) {
                boolean named = request.release() == null || request.release().equals(kernel.release());
                if (named && kernel.first(Role.IMAGE) != null) {
                    meant.add(kernel);
                }
            }
            if (meant.isEmpty()) {
                return null;
            }
            if (meant.size() > 1) {
                throw new IOException(subject
                        + "the given packages contain images of several kernels; choose one, such as --kernel "
                        + meant.get(0).release());
            }
            return meant.get(0);
        }

        KernelImage read() throws IOException {
            try {
                byte[] bytes = file.stored(ImageReader.MAX_BYTES);
                return ImageReader.read(bytes, bytes.length);
            } catch (UnreadableException e) {
                String next = Files.exists(file.host()) ? "" : WHAT_TO_GIVE;
                throw new IOException(file.inside() + ": " + e.reason() + next, e);
            }
        }
    }

    /**
     * The arguments that select a kernel image.
     *
     * @param root the root directory of the system on which the kernel is installed, null for {@code /}
     * @param files the kernel's image or packages as typed; empty for the image of the installed kernel
     * @param release the kernel's release as typed; null selects the only kernel of the files, or the newest installed
     *     kernel
     */
    public record KernelRequest(
            @Nullable Path root,
            List<String> files,
            @Nullable String release) {
        public KernelRequest {
            files = List.copyOf(files);
        }

        Root openRoot() throws IOException {
            return root == null ? Root.HOST : Root.of(root);
        }
    }
}
