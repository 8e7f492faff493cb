package dev.weaklink.loader;

import dev.weaklink.format.btf.BtfValidity;
import dev.weaklink.format.codec.Packing;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.SymbolStep.NamespaceRule;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.KernelModule.UnknownFactException;
import dev.weaklink.module.ModuleSignature;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's module loader as a list of steps, in the kernel's order (load_module, 3.10 and newer). The steps after a
 * refusal are skipped. If a step needs an unknown fact of the module, the step's {@link Layer} stays unchecked. Pure:
 * the same facts give the same verdict. Threads must not share an instance.
 */
public final class Loader {
    private final ModuleEnvironment environment;
    private final VersionCheck versions = new VersionCheck();
    private final List<LoaderStep> signatureFirst;
    private final List<LoaderStep> headerFirst;

    /**
     * A step of the loader.
     *
     * @param layer the group of checks to which the step belongs; the group stays unchecked if the step needs an
     *     unknown fact
     */
    private record LoaderStep(Layer layer, StepCheck check) {}

    private interface StepCheck {
        void apply(VerdictBuilder j);
    }

    public Loader(ModuleEnvironment environment) {
        this(environment, false);
    }

    /**
     * Creates a loader for an environment.
     *
     * @param untilRefused true if a verdict needs only the first finding that refuses
     */
    Loader(ModuleEnvironment environment, boolean untilRefused) {
        this.environment = environment;
        LoaderStep packing = new LoaderStep(Layer.INPUT, Loader::packing);
        LoaderStep signature = new LoaderStep(Layer.SIGNATURE, SignatureStep::apply);
        List<LoaderStep> file = List.of(
                new LoaderStep(Layer.ELF, ElfStep::header),
                new LoaderStep(Layer.ARCHITECTURE, ElfStep::architecture),
                new LoaderStep(Layer.ELF, ElfStep::structure),
                new LoaderStep(Layer.STRUCT_MODULE, StructModuleStep::size));
        List<LoaderStep> contents = List.of(
                new LoaderStep(Layer.INPUT, Loader::contradiction),
                new LoaderStep(Layer.MODULE_LAYOUT, versions::layout),
                new LoaderStep(Layer.VERMAGIC, VermagicStep::apply),
                new LoaderStep(Layer.ELF, Loader::livepatch),
                new LoaderStep(Layer.ELF, SectionStep::apply),
                new LoaderStep(Layer.LICENSE, Loader::license),
                new LoaderStep(Layer.EXPORT_FLAGS, ExportStep::flags),
                new LoaderStep(Layer.EXPORT_VERSIONS, ExportStep::versions),
                new LoaderStep(Layer.NAMESPACE, Loader::namespaceImports),
                new LoaderStep(Layer.SYMBOL_MISSING, j -> new SymbolStep(j, environment, versions).apply(untilRefused)),
                new LoaderStep(Layer.RELOCATION, RelocationStep::apply),
                new LoaderStep(Layer.ELF, SectionStep::trampolines),
                new LoaderStep(Layer.DUPLICATE_EXPORT, j -> ExportStep.duplicates(j, environment)),
                new LoaderStep(Layer.MODULE_NAME, Loader::name),
                new LoaderStep(Layer.ELF, SectionStep::names),
                new LoaderStep(Layer.BTF, Loader::btf));
        LoaderStep end = new LoaderStep(Layer.ELF, Loader::endOfUnread);
        signatureFirst = list(List.of(packing, signature), file, List.of(end), contents);
        headerFirst = list(List.of(packing), file, List.of(signature, end), contents);
    }

    @SafeVarargs
    private static List<LoaderStep> list(List<LoaderStep>... parts) {
        List<LoaderStep> all = new ArrayList<>();
        for (List<LoaderStep> part : parts) {
            all.addAll(part);
        }
        return List.copyOf(all);
    }

    /**
     * Returns the verdict on a module that is not a member of the environment, judged as if it were loaded together
     * with the members. A member of the module's name is ignored.
     */
    public Verdict verdict(KernelModule module) {
        return judge(module, module.name()).verdict();
    }

    /**
     * Judges one module.
     *
     * @param ownName null if the module is a member of the environment, else the module's name: a member of that name
     *     is then ignored
     */
    VerdictBuilder judge(KernelModule module, @Nullable String ownName) {
        VerdictBuilder j = new VerdictBuilder(module, environment.target(), ownName);
        versions.reset(j);
        List<LoaderStep> steps = looksAtSignatureFirst(j.rules().version()) ? signatureFirst : headerFirst;
        for (LoaderStep step : steps) {
            if (j.ended()) {
                break;
            }
            try {
                step.check().apply(j);
            } catch (UnknownFactException e) {
                j.uncheck(step.layer());
            }
        }
        return j;
    }

    /** Returns whether the kernel checks the signature before the ELF header; 4.19 to 5.11 do not. */
    private static boolean looksAtSignatureFirst(KernelVersion version) {
        return !version.atLeast(4, 19) || version.atLeast(5, 12);
    }

    /** Ends the steps if the section names could not be read, because all later steps depend on section names. */
    private static void endOfUnread(VerdictBuilder j) {
        if (ElfStep.isUnread(j.module())) {
            j.end();
        }
    }

    /**
     * Judges a compressed file. A kernel that decompresses modules itself does not support every feature of the formats
     * (kernel/module/decompress.c:module_decompress).
     */
    private static void packing(VerdictBuilder j) {
        Packing packing = j.module().packing();
        LoaderBehavior.Setting setting = j.rules().setting(LoaderRule.DECOMPRESSION);
        boolean isKernels = setting.value().equals(packing.compression().id());
        if (packing.obstacle() == Packing.UnpackingObstacle.WINDOW) {
            String line = isKernels ? "ZSTD-decompression failed with status 16" : null;
            j.refuse(
                    FindingKind.FILE_COMPRESSION,
                    line,
                    "compressed by zstd with a window of more than 128 MiB, which neither kmod nor the kernel unpacks");
            return;
        }
        if (packing.obstacle() == Packing.UnpackingObstacle.NONE || !isKernels && !setting.assumed()) {
            return;
        }
        boolean isSplit = packing.obstacle() == Packing.UnpackingObstacle.STREAMS;
        FindingKind kind = isSplit ? FindingKind.FILE_STREAMS : FindingKind.FILE_COMPRESSION;
        String detail = switch (packing.obstacle()) {
            case CHECK -> "compressed by xz with a check other than CRC32";
            case FILTER -> "compressed by xz with an unusual filter or chain of filters";
            case HEADER -> "compressed by gzip with optional header fields other than the file name";
            case STREAMS -> kind.meaning();
            default -> "compressed with a dictionary or window of more than 64 MiB";
        };
        String unable = switch (packing.obstacle()) {
            case STREAMS -> detail;
            case MEMORY -> detail + ", for which the kernel may lack memory";
            default -> detail + ", which the kernel's own decoder does not support";
        };
        if (setting.assumed()) {
            j.note(kind, null, null, unable + "; whether kmod leaves unpacking to the kernel is unknown");
        } else if (packing.obstacle() == Packing.UnpackingObstacle.MEMORY) {
            j.unproven(kind, null, unable);
        } else {
            j.refuse(kind, dmesg(packing.obstacle()), unable);
        }
    }

    private static String dmesg(Packing.UnpackingObstacle obstacle) {
        return switch (obstacle) {
            case STREAMS -> "Invalid ELF section header overflow";
            case HEADER -> "decompression failed with status -3";
            default -> "decompression failed with status 6";
        };
    }

    /** Ends the steps if the kernel's files are from different builds: it is then unknown which values to compare. */
    private static void contradiction(VerdictBuilder j) {
        String contradiction = j.target().contradiction();
        if (contradiction != null) {
            j.unproven(FindingKind.KERNEL_MIXED, null, contradiction);
            j.end();
        }
    }

    /** Checks a live patch (check_modinfo_livepatch); the value of {@code livepatch=} does not matter. */
    private static void livepatch(VerdictBuilder j) {
        if (j.modInfo().first("livepatch") == null) {
            return;
        }
        FindingKind kind = FindingKind.ELF_LIVEPATCH;
        if (j.rules().is(LoaderRule.LIVEPATCH, "no")) {
            String line =
                    j.module().name() + ": module is marked as livepatch module, but livepatch support is disabled";
            j.refuse(kind, line);
        } else if (j.rules().setting(LoaderRule.LIVEPATCH).assumed()) {
            j.unproven(kind, null, "marked as a live patch; whether the kernel supports live patching is unknown");
        }
    }

    private static void license(VerdictBuilder j) {
        if (!j.modInfo().knows("license")) {
            j.uncheck(Layer.LICENSE);
            j.uncheck(Layer.SYMBOL_GPL_ONLY);
        } else if (License.isProprietary(j.modInfo(), j.module().name())) {
            j.setProprietary();
        }
    }

    private static void namespaceImports(VerdictBuilder j) {
        for (String imported : j.modInfo().all("import_ns")) {
            if (!j.refused() && NamespaceRule.isForbiddenImport(imported, j.rules())) {
                j.refuse(
                        FindingKind.NAMESPACE_RESERVED,
                        j.module().name() + ": module tries to import module namespace: " + imported);
            }
        }
    }

    /**
     * Checks the name in struct module. The kernel refuses an empty name, and a name that built-in code uses in
     * /sys/module. From 5.8 on, a kernel with live patching also refuses the name vmlinux.
     */
    private static void name(VerdictBuilder j) {
        String name = j.module().structName();
        if (name == null) {
            return;
        }
        if (name.isEmpty()) {
            j.refuse(FindingKind.NAME_EMPTY, "kobject: (ADDR): attempted to be registered with empty name!");
        } else if (name.equals("vmlinux")
                && j.rules().version().atLeast(5, 8)
                && !j.rules().is(LoaderRule.LIVEPATCH, "no")) {
            if (j.rules().setting(LoaderRule.LIVEPATCH).assumed()) {
                j.unproven(FindingKind.NAME_VMLINUX, null, FindingKind.NAME_VMLINUX.meaning());
            } else {
                j.refuse(FindingKind.NAME_VMLINUX, "livepatch: vmlinux.ko: invalid module name");
            }
        } else if (j.target().image().isTaken(name)) {
            j.refuse(FindingKind.NAME_BUILT_IN, name + ": module is already loaded");
        } else if (j.target().image().mayBeTaken(name)) {
            FindingKind kind = FindingKind.NAME_BUILT_IN;
            j.unproven(kind, null, "if built-in code has made /sys/module/" + name + ", the kernel refuses the module");
        }
    }

    /**
     * Checks BTF. The kernel validates a module's BTF against the types of vmlinux (kernel/bpf/btf.c:btf_module_notify,
     * btf_parse_module), which are unknown here. Only a valid signature proves that the BTF is unmodified.
     */
    private static void btf(VerdictBuilder j) {
        KernelModule.ModuleBtf btf = j.module().btf();
        if (!btf.present()) {
            return;
        }
        if (j.module().signature().proof().result() != ModuleSignature.ProofResult.VERIFIED
                && j.rules().is(LoaderRule.BTF_MISMATCH, "refuse")) {
            if (btf.answer().isRefusal() && (!btf.base() || j.rules().version().atLeast(6, 11))) {
                invalidBtf(j, btf.answer());
                return;
            }
            if (btf.answer() == BtfValidity.BtfAnswer.FOREIGN) {
                j.unproven(
                        FindingKind.BTF_MISMATCH,
                        null,
                        "has the BTF of another kernel or kernel build; remove the section .BTF, or rebuild the"
                                + " module");
                return;
            }
            j.uncheck(Layer.BTF);
        }
        if (btf.base()) {
            return;
        }
        String built = j.module().modInfo().first("vermagic");
        if (built != null && VermagicStep.release(built).equals(j.target().release())) {
            return;
        }
        if (j.rule(LoaderRule.BTF_MISMATCH, "refuse")) {
            j.unproven(
                    FindingKind.BTF_MISMATCH,
                    null,
                    FindingKind.BTF_MISMATCH.meaning() + "; remove the section .BTF, or rebuild the module");
        }
    }

    private static void invalidBtf(VerdictBuilder j, BtfValidity.BtfAnswer answer) {
        String number = switch (answer) {
            case E2BIG -> "-7";
            case ENOTSUPP -> "-524";
            default -> "-22";
        };
        String line = "failed to validate module [" + j.module().name() + "] BTF: " + number;
        FindingKind kind = FindingKind.BTF_INVALID;
        j.rule(LoaderRule.BTF_MISMATCH, "refuse");
        j.add(kind, Finding.Effect.REFUSES, answer.name(), null, line, kind.meaning());
    }
}
