package dev.weaklink.check;

import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehavior.Setting;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderTraces;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.WitnessedExports;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.module.KernelModule;
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
import org.jspecify.annotations.Nullable;

/** Makes a {@link CheckTarget} of a kernel's files, and reads as few of the kernel's modules as possible. */
final class TargetReader {
    private final FoundKernel found;
    private final KernelFiles files;
    private final Map<LoaderRule, String> given;
    private final List<InputProblem> problems;
    private final FileContents contents = new FileContents(Limits.TEXT);
    private final @Nullable InTreeModules inTreeModules;
    private final List<String> notes = new ArrayList<>();

    TargetReader(FoundKernel found, Map<LoaderRule, String> given, ReadOptions options, List<InputProblem> problems) {
        this.found = found;
        this.files = found.files();
        this.given = given;
        this.problems = problems;
        this.inTreeModules = files.tree() == null ? null : new InTreeModules(files.tree(), files.modules(), options);
        notes.addAll(files.notes());
    }

    @Nullable
    CheckTarget read() {
        KeptImage image = found.image(inTreeModules == null ? FactsCache.NONE : inTreeModules.cache());
        UsableSymvers usable = found.symvers(contents, problems);
        boolean ownModules = inTreeModules != null && inTreeModules.hasInTree();
        KernelModule sample = ownModules && inTreeModules != null ? inTreeModules.sample() : null;
        KernelConfig config = readConfig();
        if (inTreeModules != null) {
            inTreeModules.outOfTree(); // a failure to read one of these modules is a problem of the kernel itself
        }
        // read before the image is unpacked, not after
        List<KernelModule> witnesses = inTreeModules == null || sample == null ? List.of() : inTreeModules.witnesses();
        boolean isWhole = usable != null && usable.symvers().isWhole();
        boolean wanted = !isWhole || sample == null || config == null;
        boolean isRead = usable == null || wanted || !image.agreesWith(usable);
        SourceComparison sources = compare(usable, isRead ? image.read() : null, sample, witnesses);
        if (sources.modulesDiffer() && sources.image() == null) {
            sources = compare(usable, image.read(), sample, witnesses);
        }
        tellUnusedImages(image, usable == null && sample == null);
        if (sources.symvers() == null && sources.image() == null && !ownModules) {
            tellNothingKnown();
            return null;
        }
        notes.addAll(sources.notes());
        image.keep(sources.symvers());
        return open(sources, config, image);
    }

    private SourceComparison compare(
            @Nullable UsableSymvers symvers,
            @Nullable UsableImage image,
            @Nullable KernelModule sample,
            List<KernelModule> witnesses) {
        return SourceComparison.of(files.release(), symvers, image, sample, witnesses);
    }

    private CheckTarget open(SourceComparison sources, @Nullable KernelConfig config, KeptImage kept) {
        boolean ownModules = inTreeModules != null && inTreeModules.hasInTree();
        UsableSymvers usable = sources.symvers();
        Symvers symvers = usable == null ? null : usable.symvers();
        KernelImage image = sources.image() == null ? null : sources.image().image();
        KernelModule sample = sources.sample();
        ImageEvidence instead = kept.instead();
        LoaderTraces traces = image != null ? image.traces() : instead == null ? null : instead.traces();
        String seenVermagic = image != null ? image.vermagic() : instead == null ? null : instead.vermagic();
        LoaderBehavior rules = withKmod(rules(config, symvers, image, traces, sample));
        ExportTable inbox = exports(symvers, sources.image());
        ExportTable exports = withOfed(inbox);
        boolean complete = symvers == null ? image != null && image.missing() == null && ownModules : symvers.isWhole();
        TargetKernel kernel = new TargetKernel(
                files.label(),
                release(image),
                machine(sample, image, config),
                vermagic(sample, seenVermagic),
                sample != null ? sample.structSize() : image == null ? -1 : image.structModuleSize(),
                exports,
                complete,
                ownModules,
                imageFacts(kept.facts()),
                rules,
                Set.of(),
                sources.contradiction());
        return new CheckTarget(
                kernel,
                inbox,
                inTreeModules,
                symvers != null && symvers.hasModuleRows() || !ownModules,
                files.all(Role.IMAGE),
                kept.certificates(),
                summary(usable == null ? null : usable.name(), rules, exports, image));
    }

    private void tellUnusedImages(KeptImage image, boolean needed) {
        for (InputProblem problem : image.problems()) {
            if (needed) {
                problems.add(problem);
            } else {
                notes.add(problem.subject() + ": " + problem.message());
            }
        }
    }

    private LoaderBehavior rules(
            @Nullable KernelConfig config,
            @Nullable Symvers symvers,
            @Nullable KernelImage image,
            @Nullable LoaderTraces traces,
            @Nullable KernelModule sample) {
        return LoaderBehaviorReader.read(new LoaderEvidence(
                release(image),
                config == null && image != null ? image.config() : config,
                symvers,
                sample,
                traces,
                given));
    }

    /**
     * Returns the rules with {@link LoaderRule#DECOMPRESSION} adapted to the root's kmod. If kmod decompresses modules
     * itself, the rule becomes {@code no}. If kmod is unknown, the rule is marked as assumed. A rule that the user set
     * stays unchanged.
     */
    private LoaderBehavior withKmod(LoaderBehavior rules) {
        LoaderRule rule = LoaderRule.DECOMPRESSION;
        if (rules.is(rule, "no") || given.containsKey(rule)) {
            return rules;
        }
        Setting setting = rules.setting(rule);
        Boolean leaves = KmodEvidence.leavesUnpackingToKernel(files.all(Role.KMOD));
        if (leaves == null) {
            return rules.with(rule, new Setting(setting.value(), true, setting.evidence() + "; kmod is unknown"));
        }
        return leaves ? rules : rules.with(rule, new Setting("no", false, "kmod unpacks modules itself"));
    }

    private @Nullable String release(@Nullable KernelImage image) {
        return files.release() == null && image != null ? image.release() : files.release();
    }

    private ExportTable exports(@Nullable Symvers symvers, @Nullable UsableImage image) {
        if (symvers != null) {
            return symvers.exports();
        }
        ExportTable exports = image == null ? null : image.exports();
        if (image == null || exports == null) {
            return witnessed();
        }
        if (files.kind() != TargetKind.KERNEL_IMAGE) {
            notes.add("no usable Module.symvers: the exports of vmlinux are read from " + image.name());
        } else {
            notes.add("only the exports of vmlinux are known: the kernel image does not contain the exports of"
                    + " modules");
        }
        return exports;
    }

    private ExportTable witnessed() {
        notes.add("no usable Module.symvers: the only known exports of vmlinux are those that in-tree modules import");
        return WitnessedExports.of(inTreeModules == null ? List.of() : inTreeModules.inTree());
    }

    /**
     * Returns the exports, followed by those in the symvers file of an OFED (a vendor's RDMA modules) if there is one.
     * If an OFED module is installed, the exports in its own file take precedence.
     */
    private ExportTable withOfed(ExportTable exports) {
        UsableSymvers ofed =
                UsableSymvers.first(files.all(Role.OFED_SYMVERS), FoundKernel.NOT_USED, contents, problems);
        if (ofed == null) {
            return exports;
        }
        notes.add("exports of OFED's modules also from " + ofed.name());
        return exports.followedBy(ofed.symvers().exports());
    }

    /**
     * Adds the problem that no file of the kernel is usable, with advice for an installed kernel or for packages. Does
     * nothing for a symvers file, a kernel image or a headers directory, whose problems were already reported.
     */
    private void tellNothingKnown() {
        String advice = switch (files.kind()) {
            case INSTALLED_KERNEL ->
                "install the kernel's headers or devel package; 'weaklink check --kernel' also accepts a symvers file";
            case PACKAGE -> "also give the package that contains the kernel's image, modules or headers";
            default -> null;
        };
        if (advice != null) {
            problems.add(new InputProblem(
                    files.label(),
                    "has no usable Module.symvers, no usable image and no modules of its own; " + advice));
        }
    }

    private @Nullable KernelConfig readConfig() {
        for (FoundFile file : files.all(Role.CONFIG)) {
            if (load(file)) {
                return new KernelConfig(contents.bytes(), contents.length());
            }
        }
        return null;
    }

    private ImageFacts imageFacts(ImageFacts.@Nullable SeenInImage seen) {
        FoundFile file = files.first(Role.BUILTIN_INFO);
        BuiltInModules listed = file == null || !load(file)
                ? BuiltInModules.UNKNOWN
                : BuiltInModules.listed(contents.bytes(), contents.length());
        Set<String> free = inTreeModules == null ? Set.of() : inTreeModules.inTreeNames();
        return seen == null
                ? new ImageFacts(free, listed, null)
                : new ImageFacts(free, seen.builtIn().or(listed), seen.symbolSections());
    }

    private boolean load(FoundFile file) {
        try {
            file.load(contents);
            return true;
        } catch (UnreadableException e) {
            problems.add(new InputProblem(file.inside(), e.reason()));
            return false;
        }
    }

    private static @Nullable ElfIdentity machine(
            @Nullable KernelModule sample, @Nullable KernelImage image, @Nullable KernelConfig config) {
        if (sample != null) {
            return sample.elf();
        }
        return image != null ? image.machine() : config != null ? config.machine() : null;
    }

    private static @Nullable String vermagic(@Nullable KernelModule sample, @Nullable String seen) {
        return seen == null && sample != null ? sample.modInfo().first("vermagic") : seen;
    }

    private TargetSummary summary(
            @Nullable String symversName, LoaderBehavior rules, ExportTable exports, @Nullable KernelImage image) {
        return new TargetSummary(
                files.label(),
                release(image),
                files.kind(),
                symversName,
                exports.ofVmlinux(),
                inTreeModules == null ? 0 : inTreeModules.size(),
                rules,
                notes);
    }
}
