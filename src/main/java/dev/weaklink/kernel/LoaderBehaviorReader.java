package dev.weaklink.kernel;

import dev.weaklink.kernel.LoaderBehavior.Setting;
import dev.weaklink.kernel.LoaderTraces.LoaderTrace;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.VersionTable;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Derives the rules of a kernel's loader. The user's settings override all other sources. The other sources are, with
 * the strongest first, the kernel's image, configuration, symvers file, own modules, distribution and version. A value
 * that no source proves is marked as assumed.
 */
public final class LoaderBehaviorReader {
    private static final KernelVersion FALLBACK = new KernelVersion(6, 1, 0);
    private static final KernelVersion FALLBACK_NAMESPACE_THIRD = new KernelVersion(5, 4, 0);
    private static final KernelVersion FALLBACK_WITHOUT_NAMESPACES = new KernelVersion(4, 18, 0);

    private final LoaderEvidence evidence;
    private final Distribution.Guess distribution;
    private final KernelVersion version;
    private final Map<LoaderRule, Setting> settings = new EnumMap<>(LoaderRule.class);

    private LoaderBehaviorReader(LoaderEvidence evidence) {
        this.evidence = evidence;
        this.distribution = Distribution.of(evidence.release(), evidence.config(), evidence.traces());
        Setting setting = versionSetting();
        this.version = KernelVersion.parse(setting.value());
        settings.put(LoaderRule.VERSION, setting);
    }

    /**
     * Derives the rules for a kernel.
     *
     * @throws IllegalArgumentException if a rule does not accept the user's value
     */
    public static LoaderBehavior read(LoaderEvidence evidence) {
        LoaderBehaviorReader reader = new LoaderBehaviorReader(evidence);
        reader.modversions();
        reader.missingVersion();
        reader.forceLoad();
        reader.versionsLayout();
        reader.namespaces();
        reader.signatures();
        reader.signaturePolicy();
        reader.platformKeys();
        reader.btf();
        reader.vermagic();
        reader.byVersion(LoaderRule.STRUCT_SIZE, 6, 4, "yes", "no");
        reader.byVersion(LoaderRule.EXTENDED_VERSIONS, 6, 14, "yes", "no");
        reader.byVersion(LoaderRule.WRITABLE_CODE, 5, 8, "refuse", "accept");
        reader.byVersion(LoaderRule.GOT_SYMBOL, 5, 12, "ignore", "refuse");
        reader.byVersion(LoaderRule.MODULE_NAMESPACES, 6, 16, "yes", "no");
        reader.byVersion(LoaderRule.UNKNOWN_SIGNATURE, 5, 4, "unsigned", "refuse");
        reader.byVersion(LoaderRule.SYMBOL_SECTIONS, 7, 0, "yes", "no");
        reader.byVersion(LoaderRule.EXPORT_FLAGS, 7, 1, "yes", "no");
        reader.mlDsa();
        reader.moduleHashes();
        reader.elfChecks();
        reader.trampolines();
        reader.equalSections();
        reader.perCpuReserve();
        reader.livepatch();
        reader.decompression();
        reader.inheritTaint();
        if (evidence.traces() != null) {
            TracedRules.put(evidence.traces(), reader.version, reader.settings);
        }
        evidence.given().forEach(reader::give);
        return new LoaderBehavior(reader.version, reader.settings);
    }

    /**
     * Applies the user's settings to rules that were derived before. If the user sets the version, the rules that were
     * only assumed are derived again.
     *
     * @param release the kernel's release
     * @throws IllegalArgumentException if a rule does not accept the user's value
     */
    public static LoaderBehavior changed(LoaderBehavior rules, String release, Map<LoaderRule, String> given) {
        if (given.isEmpty()) {
            return rules;
        }
        LoaderBehavior fresh = read(new LoaderEvidence(release, null, null, null, given));
        Map<LoaderRule, Setting> settings = new EnumMap<>(rules.values());
        boolean otherVersion = given.containsKey(LoaderRule.VERSION);
        for (LoaderRule rule : LoaderRule.values()) {
            if (given.containsKey(rule) || otherVersion && rules.setting(rule).assumed()) {
                settings.put(rule, fresh.setting(rule));
            }
        }
        return new LoaderBehavior(otherVersion ? fresh.version() : rules.version(), settings);
    }

    /**
     * Completes rules that were stored with a kernel. A rule that the stored rules lack is derived from the release.
     *
     * @param kept the stored rules
     */
    public static LoaderBehavior completed(Map<LoaderRule, Setting> kept, String release) {
        LoaderBehavior fresh = read(new LoaderEvidence(release, null, null, null, Map.of()));
        Map<LoaderRule, Setting> settings = new EnumMap<>(fresh.values());
        settings.putAll(kept);
        Setting version = kept.getOrDefault(LoaderRule.VERSION, fresh.setting(LoaderRule.VERSION));
        return new LoaderBehavior(KernelVersion.parse(version.value()), settings);
    }

    private void give(LoaderRule rule, String value) {
        settings.put(rule, new Setting(rule.checked(value), false, "given with --loader"));
    }

    private Setting versionSetting() {
        String given = evidence.given().get(LoaderRule.VERSION);
        if (given != null) {
            return new Setting(LoaderRule.VERSION.checked(given), false, "given with --loader");
        }
        String release = evidence.release();
        if (release != null && LoaderRule.VERSION.accepts(release)) {
            return new Setting(numbers(KernelVersion.parse(release)), false, "release " + release);
        }
        Symvers symvers = evidence.symvers();
        return switch (symvers == null ? Symvers.SymversLayout.UNKNOWN : symvers.layout()) {
            case WITHOUT_NAMESPACE ->
                assumed(numbers(FALLBACK_WITHOUT_NAMESPACES), "symvers without a namespace column");
            case NAMESPACE_THIRD ->
                assumed(numbers(FALLBACK_NAMESPACE_THIRD), "symvers with namespaces in the third column");
            case NAMESPACE_LAST, UNKNOWN -> assumed(numbers(FALLBACK), "no release known");
        };
    }

    private static String numbers(KernelVersion version) {
        return version.major() + "." + version.minor();
    }

    private void modversions() {
        String option = option("MODVERSIONS");
        Symvers symvers = evidence.symvers();
        if (option != null) {
            seen(LoaderRule.MODVERSIONS, option, "CONFIG_MODVERSIONS");
        } else if (symvers != null && symvers.exports().size() > 0) {
            seen(
                    LoaderRule.MODVERSIONS,
                    symvers.hasNonZeroCrc() ? "yes" : "no",
                    symvers.hasNonZeroCrc() ? "CRCs in its symvers" : "all CRCs in its symvers are 0");
        } else if (evidence.ownModule() != null) {
            boolean versions = evidence.ownModule().versions() != null;
            seen(
                    LoaderRule.MODVERSIONS,
                    versions ? "yes" : "no",
                    versions ? "__versions in its modules" : "no __versions in its modules");
        } else {
            settings.put(LoaderRule.MODVERSIONS, assumed("yes", "default"));
        }
    }

    /**
     * Sets the rule about a symbol without an entry in __versions. Upstream accepts the symbol from 4.9 on (commit
     * faaae2a58143); Debian's kernels refuse it, as upstream did before.
     */
    private void missingVersion() {
        boolean debian = distribution.distribution() == Distribution.DEBIAN;
        if (!version.atLeast(4, 9)) {
            settings.put(LoaderRule.MISSING_VERSION, byVersion("refuse"));
        } else if (debian && distribution.seen()) {
            seen(LoaderRule.MISSING_VERSION, "refuse", "a Debian kernel by its banner or configuration");
        } else if (debian) {
            settings.put(LoaderRule.MISSING_VERSION, assumed("refuse", "a Debian kernel by its release"));
        } else {
            settings.put(LoaderRule.MISSING_VERSION, byVersion("accept"));
        }
    }

    private void forceLoad() {
        String option = option("MODULE_FORCE_LOAD");
        if (option != null) {
            seen(LoaderRule.FORCE_LOAD, option, "CONFIG_MODULE_FORCE_LOAD");
            return;
        }
        boolean usual = distribution.distribution() == Distribution.DEBIAN
                || distribution.distribution() == Distribution.RED_HAT;
        settings.put(
                LoaderRule.FORCE_LOAD,
                usual ? assumed("yes", "as the distribution builds it") : assumed("no", "default"));
    }

    private void versionsLayout() {
        KernelModule own = evidence.ownModule();
        VersionTable table = own == null ? null : own.versions();
        if (table != null && table.names().size() > 0) {
            boolean packed = table.layout() == VersionTable.Layout.PACKED;
            seen(LoaderRule.VERSIONS_LAYOUT, packed ? "packed" : "classic", "its own modules");
        } else if (distribution.distribution() == Distribution.UBUNTU
                && version.atLeast(6, 2)
                && !version.atLeast(6, 10)) {
            settings.put(LoaderRule.VERSIONS_LAYOUT, assumed("packed", "Ubuntu's patch of 6.2 to 6.8"));
        } else {
            settings.put(LoaderRule.VERSIONS_LAYOUT, assumed("classic", "default"));
        }
    }

    private void namespaces() {
        String option = option("MODULE_ALLOW_MISSING_NAMESPACE_IMPORTS");
        if (!version.atLeast(5, 4)) {
            settings.put(LoaderRule.NAMESPACES, byVersion("none"));
        } else if (option != null) {
            seen(
                    LoaderRule.NAMESPACES,
                    option.equals("yes") ? "warn" : "enforce",
                    "CONFIG_MODULE_ALLOW_MISSING_NAMESPACE_IMPORTS");
        } else {
            settings.put(LoaderRule.NAMESPACES, assumed("enforce", "default"));
        }
    }

    private void signatures() {
        String option = option("MODULE_SIG");
        KernelModule own = evidence.ownModule();
        boolean signed = own != null && own.signature().kind() != ModuleSignature.SignatureKind.UNSIGNED;
        if (option != null) {
            seen(LoaderRule.SIGNATURES, option, "CONFIG_MODULE_SIG");
        } else if (signed) {
            seen(LoaderRule.SIGNATURES, "yes", "its modules are signed");
        } else {
            settings.put(LoaderRule.SIGNATURES, assumed("yes", "default"));
        }
        if (own != null && signed) {
            boolean x509 = own.signature().kind() == ModuleSignature.SignatureKind.X509;
            seen(LoaderRule.SIGNATURE_KIND, x509 ? "x509" : "pkcs7", "its modules' signatures");
        } else {
            settings.put(LoaderRule.SIGNATURE_KIND, byVersion(version.atLeast(4, 3) ? "pkcs7" : "x509"));
        }
    }

    /**
     * Sets the signature policy from the configuration. At boot, a parameter may still make the kernel enforce
     * signatures.
     */
    private void signaturePolicy() {
        if ("yes".equals(option("MODULE_SIG_FORCE"))) {
            seen(LoaderRule.SIGNATURE_POLICY, "enforced", "CONFIG_MODULE_SIG_FORCE");
        } else {
            settings.put(
                    LoaderRule.SIGNATURE_POLICY,
                    assumed("permissive", "signature enforcement of the machine is unknown"));
        }
    }

    /**
     * Sets the rule about keys of firmware and boot loader. Upstream never trusts the firmware's keys for modules, and
     * trusts machine owner keys from 5.18 on (CONFIG_INTEGRITY_MACHINE_KEYRING). Debian, Ubuntu and Red Hat trust both.
     */
    private void platformKeys() {
        if ("yes".equals(option("INTEGRITY_MACHINE_KEYRING"))) {
            seen(LoaderRule.PLATFORM_KEYS, "yes", "CONFIG_INTEGRITY_MACHINE_KEYRING");
            return;
        }
        boolean usual = switch (distribution.distribution()) {
            case DEBIAN, UBUNTU, RED_HAT -> true;
            default -> false;
        };
        settings.put(
                LoaderRule.PLATFORM_KEYS,
                usual ? assumed("yes", "as the distribution patches it") : assumed("no", "default"));
    }

    /**
     * Sets the rule about BTF that does not match the kernel's types (kernel/bpf/btf.c:btf_module_notify, 5.11+). The
     * option that makes the kernel accept such BTF exists from 5.18 on.
     */
    private void btf() {
        String allowed = option("MODULE_ALLOW_BTF_MISMATCH");
        String modules = option("DEBUG_INFO_BTF_MODULES");
        if (!version.atLeast(5, 11)) {
            settings.put(LoaderRule.BTF_MISMATCH, byVersion("accept"));
        } else if (allowed != null) {
            seen(
                    LoaderRule.BTF_MISMATCH,
                    allowed.equals("yes") ? "accept" : "refuse",
                    "CONFIG_MODULE_ALLOW_BTF_MISMATCH");
        } else if (evidence.config() != null) {
            seen(LoaderRule.BTF_MISMATCH, "yes".equals(modules) ? "refuse" : "accept", "CONFIG_DEBUG_INFO_BTF_MODULES");
        } else {
            boolean redHat = distribution.distribution() == Distribution.RED_HAT;
            settings.put(
                    LoaderRule.BTF_MISMATCH,
                    redHat ? assumed("refuse", "as Red Hat builds it") : assumed("accept", "default"));
        }
    }

    private void vermagic() {
        KernelModule own = evidence.ownModule();
        if (own == null) {
            settings.put(LoaderRule.VERMAGIC, assumed("yes", "default"));
        } else {
            boolean there = own.modInfo().first("vermagic") != null;
            seen(
                    LoaderRule.VERMAGIC,
                    there ? "yes" : "no",
                    there ? "vermagic in its modules" : "no vermagic in its modules (stripped, as on OpenWrt)");
        }
    }

    private void inheritTaint() {
        boolean el8 = distribution.distribution() == Distribution.RED_HAT && !version.atLeast(5, 0);
        settings.put(LoaderRule.INHERIT_TAINT, byVersion(version.atLeast(5, 9) && !el8 ? "yes" : "no"));
    }

    private void elfChecks() {
        boolean unique = version.atLeast(6, 4);
        String early = version.atLeast(5, 12) ? "sections" : "header";
        String late = version.atLeast(6, 13) ? "strings" : "unique";
        settings.put(LoaderRule.ELF_CHECKS, byVersion(unique ? late : early));
    }

    private void trampolines() {
        byVersion(LoaderRule.TRAMPOLINES, 4, 16, version.atLeast(6, 18) ? "init" : "core", "none");
        if ("no".equals(option("DYNAMIC_FTRACE"))) {
            seen(LoaderRule.TRAMPOLINES, "none", "CONFIG_DYNAMIC_FTRACE");
        }
    }

    /**
     * Sets the rule about ML-DSA. From 7.0 on, the kernel's parser of PKCS#7 knows the algorithm, even if the kernel
     * cannot verify such signatures.
     */
    private void mlDsa() {
        byVersion(LoaderRule.ML_DSA, 7, 0, "plain", "no");
        KernelConfig config = evidence.config();
        if (version.atLeast(7, 0) && config != null) {
            String waiver = "PKCS7_WAIVE_AUTHATTRS_REJECTION_FOR_MLDSA";
            String has = config.value("CRYPTO_MLDSA");
            if (has == null || has.equals("n")) {
                seen(LoaderRule.ML_DSA, "unverified", "CONFIG_CRYPTO_MLDSA");
            } else {
                boolean waived = "yes".equals(option(waiver));
                seen(LoaderRule.ML_DSA, waived ? "attributes" : "plain", "CONFIG_" + waiver);
            }
        }
    }

    /** Sets the rule about hashes instead of signatures. Without a configuration, the version decides. */
    private void moduleHashes() {
        byVersion(LoaderRule.MODULE_HASHES, 7, 2, "yes", "no");
        if (evidence.config() != null) {
            boolean has = "yes".equals(option("MODULE_HASHES"));
            seen(LoaderRule.MODULE_HASHES, has ? "yes" : "no", "CONFIG_MODULE_HASHES");
        }
    }

    private void equalSections() {
        String option = version.atLeast(6, 12) ? option("KALLSYMS") : null;
        byVersion(LoaderRule.EQUAL_SECTIONS, 6, 12, "refuse", "accept");
        if (option != null) {
            seen(LoaderRule.EQUAL_SECTIONS, option.equals("yes") ? "refuse" : "accept", "CONFIG_KALLSYMS");
        }
    }

    private void perCpuReserve() {
        boolean early = !version.atLeast(6, 10) && !versionSetting().assumed();
        Setting eight = byVersion("8k");
        settings.put(LoaderRule.PER_CPU_RESERVE, new Setting(eight.value(), !early, eight.evidence()));
        if (!early && evidence.config() != null) {
            boolean profiles = "yes".equals(option("MEM_ALLOC_PROFILING"));
            seen(LoaderRule.PER_CPU_RESERVE, profiles ? "64k" : "8k", "CONFIG_MEM_ALLOC_PROFILING");
        }
    }

    private void decompression() {
        settings.put(LoaderRule.DECOMPRESSION, assumed("no", "default"));
        if (!version.atLeast(5, 17)) {
            seen(LoaderRule.DECOMPRESSION, "no", "version " + numbers(version));
        } else if (evidence.config() != null && !"yes".equals(option("MODULE_DECOMPRESS"))) {
            seen(LoaderRule.DECOMPRESSION, "no", "CONFIG_MODULE_DECOMPRESS");
        }
        for (String algorithm : List.of("gzip", "xz", "zstd")) {
            String built = "MODULE_COMPRESS_" + algorithm.toUpperCase(Locale.ROOT);
            if ("yes".equals(option("MODULE_DECOMPRESS")) && "yes".equals(option(built))) {
                seen(LoaderRule.DECOMPRESSION, algorithm, "CONFIG_" + built);
            }
        }
    }

    private void livepatch() {
        String option = option("LIVEPATCH");
        if (option == null && evidence.config() != null) {
            option = "no";
        }
        settings.put(LoaderRule.LIVEPATCH, assumed("yes", "default"));
        if (option != null && version.atLeast(4, 7)) {
            seen(LoaderRule.LIVEPATCH, option, "CONFIG_LIVEPATCH");
        }
    }

    private void byVersion(LoaderRule rule, int major, int minor, String since, String before) {
        settings.put(rule, byVersion(version.atLeast(major, minor) ? since : before));
    }

    private Setting byVersion(String value) {
        return assumed(value, "version " + numbers(version));
    }

    private static Setting assumed(String value, String why) {
        return new Setting(value, true, why);
    }

    private void seen(LoaderRule rule, String value, String where) {
        settings.put(rule, new Setting(value, false, where));
    }

    private @Nullable String option(String name) {
        String value = evidence.config() == null ? null : evidence.config().value(name);
        if (value == null) {
            return null;
        }
        return value.equals("y") ? "yes" : "no";
    }

    private record TracedRules(LoaderTraces traces, KernelVersion version, Map<LoaderRule, Setting> settings) {
        private static final int CLASSIC_ENTRY = 64;
        private static final int PACKED_ENTRY = 8;

        static void put(LoaderTraces traces, KernelVersion version, Map<LoaderRule, Setting> settings) {
            TracedRules rules = new TracedRules(traces, version, settings);
            rules.decide(LoaderRule.MODVERSIONS, LoaderTrace.MODVERSIONS);
            rules.decide(LoaderRule.FORCE_LOAD, LoaderTrace.FORCE_LOAD);
            rules.decide(LoaderRule.STRUCT_SIZE, LoaderTrace.STRUCT_SIZE);
            rules.decide(LoaderRule.SYMBOL_SECTIONS, LoaderTrace.SYMBOL_SECTIONS);
            rules.decide(LoaderRule.EXPORT_FLAGS, LoaderTrace.EXPORT_FLAGS);
            rules.decide(LoaderRule.EXTENDED_VERSIONS, LoaderTrace.EXTENDED_VERSIONS);
            rules.decide(LoaderRule.INHERIT_TAINT, LoaderTrace.INHERITED_TAINT);
            rules.decide(LoaderRule.SIGNATURES, LoaderTrace.SIGNATURES);
            rules.decide(LoaderRule.VERMAGIC, LoaderTrace.VERMAGIC);
            rules.elfChecks();
            rules.signatureKind();
            rules.namespaces();
            rules.versionsLayout();
            rules.btf();
            rules.trampolines();
            rules.livepatch();
            rules.decompression();
            rules.perCpuReserve();
        }

        private boolean has(LoaderTrace trace) {
            return traces.found().contains(trace);
        }

        private void decide(LoaderRule rule, LoaderTrace trace) {
            boolean there = has(trace);
            seen(rule, there ? "yes" : "no", there ? "its message is in the image" : "its message is not in the image");
        }

        /**
         * Sets the rule about checks of the ELF file. The values {@code names} and {@code strings} have their own
         * messages in the image. If neither message exists, the version decides.
         */
        private void elfChecks() {
            String early = version.atLeast(5, 12) ? "sections" : "header";
            String checks = version.atLeast(6, 4) ? "unique" : early;
            checks = has(LoaderTrace.SECTION_NAMES) ? "names" : checks;
            checks = has(LoaderTrace.SYMBOL_NAMES) ? "strings" : checks;
            seen(LoaderRule.ELF_CHECKS, checks, "messages in the image");
        }

        private void signatureKind() {
            if (has(LoaderTrace.PKCS7)) {
                seen(LoaderRule.SIGNATURE_KIND, "pkcs7", "its message is in the image");
            }
        }

        private void namespaces() {
            if (has(LoaderTrace.NAMESPACES_ENFORCED)) {
                seen(LoaderRule.NAMESPACES, "enforce", "an error message in the image");
            } else if (has(LoaderTrace.NAMESPACES_WARNED)) {
                seen(LoaderRule.NAMESPACES, "warn", "a warning in the image");
            } else {
                seen(LoaderRule.NAMESPACES, "none", "its message is not in the image");
            }
        }

        private void versionsLayout() {
            if (traces.versionEntrySize() == CLASSIC_ENTRY) {
                seen(LoaderRule.VERSIONS_LAYOUT, "classic", "struct modversion_info in the image's BTF");
            } else if (traces.versionEntrySize() == PACKED_ENTRY) {
                seen(LoaderRule.VERSIONS_LAYOUT, "packed", "struct modversion_info in the image's BTF");
            }
        }

        /**
         * Sets the rule about BTF that does not match the kernel's types (kernel/bpf/btf.c:btf_module_notify). From
         * 5.18 to 6.2, a kernel that accepts such BTF has the same message as a kernel that refuses it.
         */
        private void btf() {
            boolean sameMessage = version.atLeast(5, 18) && !version.atLeast(6, 3);
            if (has(LoaderTrace.BTF_TOLERATED)) {
                seen(LoaderRule.BTF_MISMATCH, "accept", "its message is in the image");
            } else if (!has(LoaderTrace.BTF_CHECKED)) {
                seen(LoaderRule.BTF_MISMATCH, "accept", "its message is not in the image");
            } else if (!sameMessage) {
                seen(LoaderRule.BTF_MISMATCH, "refuse", "its message is in the image");
            }
        }

        private void perCpuReserve() {
            if (version.atLeast(6, 10)) {
                boolean profiles = has(LoaderTrace.ALLOCATION_PROFILING);
                seen(
                        LoaderRule.PER_CPU_RESERVE,
                        profiles ? "64k" : "8k",
                        "the heading of /proc/allocinfo is " + (profiles ? "" : "not ") + "in the image");
            }
        }

        private void decompression() {
            String algorithm = has(LoaderTrace.UNPACKS_GZIP) ? "gzip" : "no";
            algorithm = has(LoaderTrace.UNPACKS_XZ) ? "xz" : algorithm;
            algorithm = has(LoaderTrace.UNPACKS_ZSTD) ? "zstd" : algorithm;
            seen(LoaderRule.DECOMPRESSION, algorithm, "messages in the image");
        }

        private void livepatch() {
            if (version.atLeast(4, 7)) {
                boolean none = has(LoaderTrace.NO_LIVEPATCH);
                seen(
                        LoaderRule.LIVEPATCH,
                        none ? "no" : "yes",
                        "the image has " + (none ? "a" : "no") + " message about disabled live patching");
            }
        }

        /**
         * Sets the rule about trampoline sections only if function tracing is built in, because the names of these
         * sections may also exist without function tracing.
         */
        private void trampolines() {
            if (has(LoaderTrace.TRAMPOLINE) && has(LoaderTrace.FUNCTION_TRACING)) {
                String which = has(LoaderTrace.INIT_TRAMPOLINE) ? "init" : "core";
                seen(LoaderRule.TRAMPOLINES, which, "names of sections in the image");
            }
        }

        private void seen(LoaderRule rule, String value, String where) {
            settings.put(rule, new Setting(value, false, where));
        }
    }

    /**
     * The evidence from which loader rules are derived.
     *
     * @param release the kernel's release, null if unknown
     * @param config the kernel's build configuration, null if not available
     * @param symvers the kernel's Module.symvers, null if not available
     * @param ownModule one of the kernel's own modules, null if none is available
     * @param traces the traces in the kernel's image, null if the image is not available
     * @param given the user's settings, which override everything else
     */
    public record LoaderEvidence(
            @Nullable String release,
            @Nullable KernelConfig config,
            @Nullable Symvers symvers,
            @Nullable KernelModule ownModule,
            @Nullable LoaderTraces traces,
            Map<LoaderRule, String> given) {

        public LoaderEvidence(
                @Nullable String release,
                @Nullable KernelConfig config,
                @Nullable Symvers symvers,
                @Nullable KernelModule ownModule,
                Map<LoaderRule, String> given) {
            this(release, config, symvers, ownModule, null, given);
        }
    }
}
