package dev.weaklink.check;

import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.check.result.TargetSummary.ExportCount;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.kernel.LoaderRulesReader.LoaderEvidence;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.WitnessedExports;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.KernelFiles.Role;
import dev.weaklink.system.TargetKind;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.system.cache.FactsCache.ImageEvidence;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads one target from its files, with as few of its modules as will do. */
final class TargetReader {
    private final KernelReading reading;
    private final KernelFiles files;
    private final Map<LoaderRule, String> given;
    private final List<InputProblem> problems;
    private final FileContents contents = new FileContents(Limits.TEXT);
    private final @Nullable NativeModules natives;
    private final List<String> notes = new ArrayList<>();

    TargetReader(
            KernelReading reading, Map<LoaderRule, String> given, ReadOptions options, List<InputProblem> problems) {
        this.reading = reading;
        this.files = reading.files();
        this.given = given;
        this.problems = problems;
        this.natives = files.tree() == null ? null : new NativeModules(files.tree(), files.modules(), options);
        notes.addAll(files.notes());
    }

    /** As {@link KernelReading#open} says. */
    @Nullable
    OpenTarget read() {
        UsableSymvers usable = reading.symvers(contents, problems);
        Symvers symvers = usable == null ? null : usable.symvers();
        boolean ownModules = natives != null && natives.hasInTree();
        KernelModule sample = ownModules && natives != null ? natives.sample() : null;
        UsableImage usableImage = symvers == null ? readImage(sample) : null;
        if (symvers == null && usableImage == null && !ownModules) {
            tellNothingKnown();
            return null;
        }
        KernelImage image = usableImage == null ? null : usableImage.image();
        List<KernelModule> known = readKnown(symvers, ownModules);
        KernelConfig config = readConfig();
        LoaderRules rules = rules(config, symvers, image, sample);
        ExportTable inbox = exports(symvers, usableImage, known);
        ExportTable exports = withOfed(inbox);
        boolean complete = symvers != null || image != null && ownModules;
        return new OpenTarget(
                kernel(rules, exports, complete, ownModules, sample, image, config),
                inbox,
                natives,
                known,
                files.all(Role.IMAGE),
                summary(usable == null ? null : usable.name(), rules, exports, image));
    }

    private @Nullable UsableImage readImage(@Nullable KernelModule sample) {
        List<InputProblem> unused = new ArrayList<>();
        UsableImage usable = UsableImage.first(files.all(Role.IMAGE), files.release(), sample, unused);
        if (sample == null) {
            problems.addAll(unused);
        } else {
            unused.forEach(problem -> notes.add(problem.subject() + ": " + problem.message()));
        }
        return usable;
    }

    private LoaderRules rules(
            @Nullable KernelConfig config,
            @Nullable Symvers symvers,
            @Nullable KernelImage image,
            @Nullable KernelModule sample) {
        return LoaderRulesReader.read(new LoaderEvidence(
                release(image),
                config == null && image != null ? image.config() : config,
                symvers,
                sample,
                image == null ? null : image.traces(),
                given));
    }

    private @Nullable String release(@Nullable KernelImage image) {
        return files.release() == null && image != null ? image.release() : files.release();
    }

    private ExportTable exports(@Nullable Symvers symvers, @Nullable UsableImage image, List<KernelModule> known) {
        if (symvers != null) {
            return symvers.exports();
        }
        if (image == null) {
            return witnessed(known);
        }
        if (files.kind() != TargetKind.KERNEL_IMAGE) {
            notes.add("no Module.symvers: what vmlinux exports is read from " + image.name());
        } else {
            notes.add("only the kernel image is known: what its modules export is not");
        }
        return image.exports();
    }

    /** What the modules that came with the kernel were built against. */
    private ExportTable witnessed(List<KernelModule> known) {
        notes.add(
                "no Module.symvers: what vmlinux exports is known only as far as the kernel's own modules" + " use it");
        return WitnessedExports.of(natives == null ? known : natives.inTree());
    }

    /** The exports of an OFED's modules come second; a module that is installed speaks for itself. */
    private ExportTable withOfed(ExportTable exports) {
        UsableSymvers ofed =
                UsableSymvers.first(files.all(Role.OFED_SYMVERS), KernelReading.NOT_USED, contents, problems);
        if (ofed == null) {
            return exports;
        }
        notes.add("exports of OFED's modules also from " + ofed.name());
        return exports.followedBy(ofed.symvers().exports());
    }

    /** Where the caller gave a symvers file it has been said what is wrong with it. */
    private void tellNothingKnown() {
        String advice = switch (files.kind()) {
            case INSTALLED_KERNEL ->
                "install the kernel's headers or devel package, or give a symvers file with --kernel";
            case PACKAGE -> "give the package with its image, modules or headers as well";
            default -> null;
        };
        if (advice != null) {
            problems.add(new InputProblem(
                    files.label(), "neither a usable Module.symvers or image nor modules of its own; " + advice));
        }
    }

    /** With rows of modules in symvers those name the exporters; without, all modules are read. */
    private List<KernelModule> readKnown(@Nullable Symvers symvers, boolean ownModules) {
        if (natives == null) {
            return List.of();
        }
        boolean namesExporters = symvers != null && symvers.hasModuleRows();
        return ownModules && !namesExporters ? natives.all() : natives.outOfTree();
    }

    private @Nullable KernelConfig readConfig() {
        FoundFile file = files.first(Role.CONFIG);
        if (file == null || !load(file)) {
            return null;
        }
        return new KernelConfig(contents.bytes(), contents.length());
    }

    /** Without an image at hand it is looked for when something depends on it. */
    private ImageFacts imageFacts(@Nullable KernelModule sample, @Nullable KernelImage image) {
        FoundFile file = files.first(Role.BUILTIN_INFO);
        BuiltInModules listed = file == null || !load(file)
                ? BuiltInModules.UNKNOWN
                : BuiltInModules.listed(contents.bytes(), contents.length());
        if (image != null) {
            ImageFacts.Seen seen = ImageFactsFinder.of(image);
            return ImageFacts.of(seen.builtIn().or(listed), seen.symbolSections());
        }
        if (natives == null) {
            return ImageFacts.of(listed, null);
        }
        List<FoundFile> images = files.all(Role.IMAGE);
        return new ImageFacts(
                natives.inTreeNames(), new ImageFactsFinder(images, files.release(), sample, listed, natives.cache()));
    }

    /** A companion file that cannot be read is a problem, but the check goes on without it. */
    private boolean load(FoundFile file) {
        try {
            file.load(contents);
            return true;
        } catch (UnreadableException e) {
            problems.add(new InputProblem(file.inside(), e.reason()));
            return false;
        }
    }

    private TargetKernel kernel(
            LoaderRules rules,
            ExportTable exports,
            boolean complete,
            boolean ownModules,
            @Nullable KernelModule sample,
            @Nullable KernelImage image,
            @Nullable KernelConfig config) {
        return new TargetKernel(
                files.label(),
                release(image),
                machine(sample, image, config),
                vermagic(sample, image),
                sample != null ? sample.structSize() : image == null ? -1 : image.structModuleSize(),
                exports,
                complete,
                ownModules,
                imageFacts(sample, image),
                rules,
                Set.of());
    }

    private static @Nullable ElfIdentity machine(
            @Nullable KernelModule sample, @Nullable KernelImage image, @Nullable KernelConfig config) {
        if (sample != null) {
            return sample.elf();
        }
        return image != null ? image.machine() : config != null ? config.machine() : null;
    }

    private static @Nullable String vermagic(@Nullable KernelModule sample, @Nullable KernelImage image) {
        String seen = image == null ? null : image.vermagic();
        return seen == null && sample != null ? sample.modInfo().first("vermagic") : seen;
    }

    private TargetSummary summary(
            @Nullable String symversName, LoaderRules rules, ExportTable exports, @Nullable KernelImage image) {
        return new TargetSummary(
                files.label(),
                release(image),
                files.kind(),
                symversName,
                ExportCount.of(exports).ofVmlinux(),
                natives == null ? 0 : natives.size(),
                rules,
                notes);
    }

    /**
     * Finds what only a kernel's image says: kept by an earlier run, or by unpacking it.
     *
     * @param images where it may be
     * @param release its release, null if not known
     * @param sample a module that came with it, null if there is none
     * @param listed what else is known of names in /sys/module
     */
    private record ImageFactsFinder(
            List<FoundFile> images,
            @Nullable String release,
            @Nullable KernelModule sample,
            BuiltInModules listed,
            FactsCache cache)
            implements Supplier<ImageFacts.Seen> {

        @Override
        public ImageFacts.Seen get() {
            for (FoundFile file : images) {
                ImageFacts.Seen seen = seen(file);
                if (seen != null) {
                    return new ImageFacts.Seen(seen.builtIn().or(listed), seen.symbolSections());
                }
            }
            return new ImageFacts.Seen(listed, null);
        }

        /** What an image shows. */
        static ImageFacts.Seen of(KernelImage image) {
            return new ImageFacts.Seen(image.builtIn(), image.traces().hasSymbolSections());
        }

        private ImageFacts.@Nullable Seen seen(FoundFile file) {
            FileIdentity before = file.held() == null ? FileIdentity.ofOrNull(file.host()) : null;
            ImageEvidence kept = before == null ? null : cache.evidence(file.host(), before);
            if (kept != null && (release == null || release.equals(kept.release()))) {
                return kept.facts();
            }
            long started = cache.now();
            UsableImage usable = UsableImage.first(List.of(file), release, sample, new ArrayList<>());
            if (usable == null) {
                return null;
            }
            ImageFacts.Seen seen = of(usable.image());
            if (before != null && before.equals(FileIdentity.ofOrNull(file.host()))) {
                ImageEvidence found = new ImageEvidence(usable.image().release(), seen);
                cache.keep(file.host(), before, started, found);
            }
            return seen;
        }
    }

    /**
     * A kernel image whose exports could be read.
     *
     * @param name the file's name in reports
     * @param image what it says
     * @param exports what vmlinux exports
     */
    private record UsableImage(String name, KernelImage image, ExportTable exports) {
        private static final String MODULE_LAYOUT = "module_layout";

        /**
         * The first of these files that is one, null if none is; what is wrong with those tried is reported.
         *
         * @param release the release it must be of, null for any
         * @param sample a module that came with the kernel, null if there is none
         */
        static @Nullable UsableImage first(
                List<FoundFile> files,
                @Nullable String release,
                @Nullable KernelModule sample,
                List<InputProblem> problems) {
            for (FoundFile file : files) {
                String reason;
                try {
                    byte[] data = file.stored(ImageReader.MAX_BYTES);
                    KernelImage image = ImageReader.read(data, data.length);
                    ExportTable exports = image.exports();
                    reason = reason(image, release, sample);
                    if (reason == null && exports != null) {
                        return new UsableImage(file.inside(), image, exports);
                    }
                } catch (UnreadableException e) {
                    reason = e.reason();
                }
                problems.add(new InputProblem(file.inside(), String.valueOf(reason)));
            }
            return null;
        }

        /** Why an image cannot be used, null if it can. */
        private static @Nullable String reason(
                KernelImage image, @Nullable String release, @Nullable KernelModule sample) {
            if (release != null && !release.equals(image.release())) {
                return "is of kernel " + image.release() + "; not used";
            }
            if (image.missing() != null) {
                return "what it exports cannot be read: " + image.missing();
            }
            ExportTable exports = image.exports();
            return exports != null && sample != null && isOfAnother(exports, sample)
                    ? "does not match the kernel's modules; ignored"
                    : null;
        }

        /** Every module was built for one CRC of module_layout. */
        private static boolean isOfAnother(ExportTable exports, KernelModule sample) {
            VersionTable versions = sample.versions();
            int wanted = versions == null ? -1 : versions.names().indexOf(MODULE_LAYOUT);
            int offered = exports.find(MODULE_LAYOUT);
            return versions != null
                    && wanted >= 0
                    && offered >= 0
                    && exports.hasCrc(offered)
                    && (int) versions.crcs()[wanted] != exports.crc(offered);
        }
    }
}
