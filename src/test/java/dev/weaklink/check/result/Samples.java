package dev.weaklink.check.result;

import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.system.TargetKind;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Hand-made facts and verdicts for tests of reports. */
public final class Samples {
    public static final String KERNEL = "6.1.0-54-amd64";

    private Samples() {}

    public static KernelModule module(String name) {
        return KernelModule.unread(Origin.file("extra/" + name + ".ko"));
    }

    public static LoaderBehavior rules(LoaderRule... assumed) {
        Map<LoaderRule, LoaderBehavior.Setting> settings = new EnumMap<>(LoaderRule.class);
        for (LoaderRule rule : LoaderRule.values()) {
            boolean isAssumed = List.of(assumed).contains(rule);
            settings.put(
                    rule,
                    new LoaderBehavior.Setting(
                            "yes", isAssumed, isAssumed ? "usual for the version" : "config-" + KERNEL));
        }
        return new LoaderBehavior(new KernelVersion(6, 1, 0), settings);
    }

    public static TargetSummary target(LoaderRule... assumed) {
        return new TargetSummary(
                KERNEL,
                KERNEL,
                TargetKind.INSTALLED_KERNEL,
                "/usr/src/linux-headers-" + KERNEL + "/Module.symvers",
                9000,
                4023,
                rules(assumed),
                List.of());
    }

    public static Verdict compatible(String name, Provider... providers) {
        return new Verdict(
                module(name),
                KERNEL,
                Outcome.COMPATIBLE,
                null,
                List.of(),
                List.of(providers),
                List.of("signature"),
                List.of());
    }

    public static Verdict refused(String name, String errno, Finding... findings) {
        return new Verdict(
                module(name),
                KERNEL,
                Outcome.INCOMPATIBLE,
                errno,
                List.of(findings),
                List.of(),
                List.of("signature"),
                List.of());
    }

    public static Verdict undetermined(String name, Finding... findings) {
        return new Verdict(
                module(name),
                KERNEL,
                Outcome.UNDETERMINED,
                null,
                List.of(findings),
                List.of(),
                List.of("symbol-crc"),
                List.of("missing-version"));
    }

    /** Returns a finding about a symbol of vmlinux whose CRC differs. */
    public static Finding changed(String module, String symbol) {
        return new Finding(
                FindingKind.SYMBOL_CRC_MISMATCH,
                Effect.REFUSES,
                "EINVAL",
                symbol,
                "0x1a2b3c4d",
                "0x99aabbcc",
                "vmlinux",
                module + ": disagrees about version of symbol " + symbol,
                "symbol version (CRC) mismatch");
    }

    public static Finding missing(String module, String symbol) {
        return new Finding(
                FindingKind.SYMBOL_MISSING,
                Effect.REFUSES,
                "ENOENT",
                symbol,
                null,
                null,
                null,
                module + ": Unknown symbol " + symbol + " (err -2)",
                "neither the kernel nor a module exports the symbol");
    }

    public static Finding layout(String module) {
        return new Finding(
                FindingKind.LAYOUT_CRC_MISMATCH,
                Effect.REFUSES,
                "ENOEXEC",
                "module_layout",
                "0x00000001",
                "0x00000002",
                "vmlinux",
                module + ": disagrees about version of symbol module_layout",
                "struct module or another basic structure differs");
    }

    public static Finding unreadable(String message) {
        return new Finding(FindingKind.INPUT_UNREADABLE, Effect.UNPROVEN, null, null, null, null, null, null, message);
    }

    public static Finding note(String sentence) {
        return new Finding(FindingKind.SIGNATURE_FORMAT, Effect.NOTE, null, null, null, null, null, null, sentence);
    }

    public static CheckReport report(Verdict... verdicts) {
        return new CheckReport(List.of(target()), List.of(verdicts), List.of());
    }
}
