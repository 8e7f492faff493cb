package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.FindingKind.Errno;
import dev.weaklink.loader.VersionCheck.CrcMatch;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.Numbers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The resolution of a module's undefined symbols (kernel/module/main.c: simplify_symbols, resolve_symbol), in symtab
 * order. For each symbol, the loader makes these checks in this order: found, GPL-only, inherited taint, CRC,
 * namespace. The loader tries all symbols; the errno is that of the last symbol that fails.
 */
final class SymbolStep {
    private final VerdictBuilder j;
    private final ModuleEnvironment environment;
    private final VersionCheck versions;
    private final @Nullable String ownName;
    private final MissingSymbol missing;
    private final SymbolNames names;
    private final Imports imports;
    private final ExportTable kernelExports;
    private final int[] rows;
    private final @Nullable List<String> importedNamespaces;
    private final boolean compareCrcs;
    private final boolean builtWithKernel;
    private boolean usingGplOnly;
    private int comparedBlindly;

    SymbolStep(VerdictBuilder j, ModuleEnvironment environment, VersionCheck versions) {
        KernelModule module = j.module();
        this.j = j;
        this.environment = environment;
        this.versions = versions;
        this.ownName = j.ownName();
        this.imports = module.imports();
        this.names = imports.names();
        this.kernelExports = environment.target().exports();
        this.rows = environment.rows().of(module);
        this.missing = new MissingSymbol(j, environment, rows);
        ModInfo info = j.modInfo();
        this.importedNamespaces = info.knows("import_ns") ? info.all("import_ns") : null;
        this.compareCrcs = j.rules().is(LoaderRule.MODVERSIONS, "yes");
        this.builtWithKernel = !compareCrcs && j.target().isOwn(module);
    }

    void apply(boolean untilRefused) {
        List<ElfDefect> defects = j.module().knownDefects();
        for (int i = 0; i < names.size(); i++) {
            if (untilRefused && j.refused()) {
                return;
            }
            if (!defects.isEmpty()) {
                oddSymbols(defects, i);
            }
            resolve(i);
        }
        oddSymbols(defects, names.size());
        if (comparedBlindly > 0 && !j.refused()) {
            j.unproven(
                    FindingKind.SYMBOL_NOT_COMPARED,
                    null,
                    (compareCrcs
                                    ? "the loader would accept "
                                    : "the kernel has no symbol versions, so that it accepts ")
                            + (names.size() == 1
                                    ? ""
                                    : comparedBlindly == names.size() ? "all " : comparedBlindly + " of ")
                            + Numbers.of(names.size(), "symbol")
                            + " without comparing a CRC: nothing proves that "
                            + (comparedBlindly == 1 ? "it fits" : "they fit"));
        }
    }

    private void oddSymbols(List<ElfDefect> defects, int importsBefore) {
        for (ElfDefect defect : defects) {
            if (defect.kind() == ElfDefect.ElfDefectKind.COMMON_SYMBOL && defect.first() == importsBefore) {
                j.refuse(
                        FindingKind.ELF_COMMON_SYMBOL,
                        j.module().name() + ": please compile with -fno-common",
                        "a common symbol: " + defect.text());
            } else if (defect.kind() == ElfDefect.ElfDefectKind.BAD_SYMBOL_SECTION
                    && defect.first() >> 16 == importsBefore) {
                badSection(defect);
            }
        }
    }

    private void badSection(ElfDefect defect) {
        Boolean seen = j.rules().setting(LoaderRule.SYMBOL_SECTIONS).assumed()
                ? j.target().image().symbolSections()
                : null;
        if (seen != null ? seen : j.rule(LoaderRule.SYMBOL_SECTIONS, "yes")) {
            j.refuse(
                    FindingKind.ELF_SYMBOL_SECTION,
                    j.module().name()
                            + ": Symbol "
                            + defect.text()
                            + " has an invalid section index "
                            + (defect.first() & 0xffff)
                            + " (max "
                            + defect.second()
                            + ")");
        } else {
            j.unproven(
                    FindingKind.ELF_SYMBOL_SECTION,
                    defect.text(),
                    FindingKind.ELF_SYMBOL_SECTION.meaning() + "; this kernel may not check that");
        }
    }

    private void resolve(int index) {
        int row = rows[index];
        boolean gplAllowed = !j.proprietary();
        if (row >= 0 && counts(row)) {
            if (gplAllowed || !kernelExports.isGplOnly(row)) {
                kernelSymbol(index, row);
            } else {
                missing.gplOnly(index, kernelExports.owner(row));
            }
            return;
        }
        moduleSymbol(index, gplAllowed);
    }

    /**
     * Returns whether a row of the export table decides about its symbol. A row of vmlinux always decides. A row of a
     * module decides only if the target's own modules are not available. The exporter must also be neither the judged
     * module nor a module of the environment.
     */
    private boolean counts(int row) {
        if (kernelExports.isVmlinux(row)) {
            return true;
        }
        String owner = Origin.moduleName(kernelExports.owner(row));
        return !j.target().ownModulesKnown()
                && !owner.equals(ownName)
                && !environment.hasMember(owner)
                && !owner.equals(j.module().name());
    }

    private void kernelSymbol(int index, int row) {
        boolean vmlinux = kernelExports.isVmlinux(row);
        String owner = vmlinux ? kernelExports.owner(row) : Origin.moduleName(kernelExports.owner(row));
        if (!vmlinux) {
            j.uses(new Provider(owner, kernelExports.owner(row), false));
        }
        usingGplOnly |= kernelExports.isGplOnly(row);
        if (!kernelExports.isLicenseKnown(row) && j.proprietary()) {
            FindingKind kind = FindingKind.SYMBOL_LICENSE_UNKNOWN;
            j.unproven(kind, names.name(index), kind.meaning());
        }
        boolean hasCrc = kernelExports.hasCrc(row);
        if (!(builtWithKernel && vmlinux) && !versionFits(index, hasCrc, kernelExports.crc(row), owner)) {
            return;
        }
        if (!kernelExports.isNamespaceKnown(row)) {
            j.uncheck(Layer.NAMESPACE);
        }
        namespaceFits(index, kernelExports.namespace(row), owner);
    }

    private void moduleSymbol(int index, boolean gplAllowed) {
        EnvironmentMember refusedProvider = null;
        String gplProvider = null;
        for (int offer = environment.offer(names, index);
                offer != ModuleEnvironment.NONE;
                offer = environment.nextOffer(offer)) {
            EnvironmentMember member = environment.member(offer);
            if (member.module() == j.module() || member.name().equals(ownName)) {
                continue;
            }
            if (!member.loads()) {
                refusedProvider = refusedProvider == null ? member : refusedProvider;
                continue;
            }
            Exports exports = member.module().exports();
            if (!gplAllowed && exports.gplOnly().get(environment.export(offer))) {
                gplProvider = member.name();
                continue;
            }
            useModule(index, member, exports, environment.export(offer));
            return;
        }
        if (gplProvider != null) {
            missing.gplOnly(index, gplProvider);
        } else if (refusedProvider != null) {
            missing.dependencyRefused(index, refusedProvider);
        } else {
            missing.notFound(index);
        }
    }

    private void useModule(int index, EnvironmentMember member, Exports exports, int export) {
        j.uses(member.asProvider());
        if (exports.known() != Exports.KnownExports.ALL) {
            j.uncheck(Layer.SYMBOL_GPL_ONLY);
            j.uncheck(Layer.NAMESPACE);
        }
        usingGplOnly |= exports.gplOnly().get(export);
        if (member.proprietary() && j.rule(LoaderRule.INHERIT_TAINT, "yes") && !inheritTaint(index, member.name())) {
            return;
        }
        if (builtWithKernel && j.target().isOwn(member.module())
                || versionFits(index, exports.hasCrc().get(export), exports.crcs()[export], member.name())) {
            namespaceFits(index, exports.namespaces()[export], member.name());
        }
        Verdict verdict = member.verdict();
        if (verdict != null && verdict.outcome() == Outcome.UNDETERMINED) {
            j.unproven(
                    FindingKind.DEPENDENCY_UNDETERMINED,
                    names.name(index),
                    "its exporter " + member.name() + " is itself undetermined");
        }
    }

    /**
     * Returns whether the judged module may import this symbol of a proprietary module; if so, marks the judged module
     * as proprietary, too. A module that already uses a GPL-only symbol is refused, unless this symbol is weak.
     */
    private boolean inheritTaint(int index, String owner) {
        String symbol = names.name(index);
        boolean named = j.rules().version().atLeast(5, 18);
        String which = named ? "uses symbols " + symbol : "uses symbols";
        if (!usingGplOnly) {
            j.setProprietary();
            j.note(
                    FindingKind.LICENSE_INHERITED,
                    symbol,
                    j.module().name()
                            + ": module "
                            + which
                            + " from proprietary module "
                            + owner
                            + ", inheriting taint.",
                    "inherits the proprietary taint of " + owner);
            return true;
        }
        if (imports.weak().get(index)) {
            return false;
        }
        missing.refuse(
                FindingKind.LICENSE_MIXED,
                index,
                owner,
                j.module().name()
                        + ": module using GPL-only symbols "
                        + which
                        + " from proprietary module "
                        + owner
                        + ".",
                "uses GPL-only symbols, and a symbol of the proprietary module " + owner);
        return false;
    }

    private boolean versionFits(int index, boolean hasCrc, int crc, String owner) {
        if (!compareCrcs || !hasCrc) {
            comparedBlindly++;
            return true;
        }
        CrcMatch result = versions.check(j, names, index, rows[index], crc, owner, false);
        if (result == CrcMatch.ACCEPTED_BLINDLY) {
            comparedBlindly++;
        }
        return result != CrcMatch.REFUSED;
    }

    private void namespaceFits(int index, @Nullable String namespace, String owner) {
        LoaderBehavior rules = j.rules();
        if (namespace == null || rules.is(LoaderRule.NAMESPACES, "none")) {
            return;
        }
        if (importedNamespaces == null) {
            j.uncheck(Layer.NAMESPACE);
            return;
        }
        if (NamespaceRule.allows(namespace, importedNamespaces, j.module().name(), rules)) {
            return;
        }
        String symbol = names.name(index);
        String line = j.module().name()
                + ": module uses symbol ("
                + symbol
                + ") from namespace "
                + namespace
                + ", but does not import it.";
        if (j.rule(LoaderRule.NAMESPACES, "warn")) {
            j.note(
                    FindingKind.NAMESPACE_NOT_IMPORTED,
                    symbol,
                    line,
                    "namespace " + namespace + " not imported; this kernel only warns");
            return;
        }
        j.add(new Finding(
                FindingKind.NAMESPACE_NOT_IMPORTED,
                Effect.REFUSES,
                Errno.EINVAL,
                symbol,
                null,
                namespace,
                owner,
                line,
                "in namespace " + namespace + ", which the module does not import"));
    }

    /**
     * The result for an import that the loader cannot resolve (kernel/module/main.c:simplify_symbols). The address of a
     * weak symbol stays 0. Any other symbol is refused, unless the loader ignores it or the list of available exports
     * is incomplete.
     */
    private static final class MissingSymbol {
        private static final String GOT = "_GLOBAL_OFFSET_TABLE_";

        private final VerdictBuilder j;
        private final ModuleEnvironment environment;
        private final SymbolNames names;
        private final int[] rows;
        private final StringBuilder line = new StringBuilder();
        private int start;

        MissingSymbol(VerdictBuilder j, ModuleEnvironment environment, int[] rows) {
            this.j = j;
            this.environment = environment;
            this.names = j.module().imports().names();
            this.rows = rows;
        }

        void gplOnly(int index, String owner) {
            if (j.module().imports().weak().get(index)) {
                weak(index);
                return;
            }
            refuse(FindingKind.SYMBOL_GPL_ONLY, index, owner, unknown(index), FindingKind.SYMBOL_GPL_ONLY.meaning());
        }

        void dependencyRefused(int index, EnvironmentMember owner) {
            if (j.module().imports().weak().get(index)) {
                weak(index);
                return;
            }
            refuse(FindingKind.DEPENDENCY_REFUSED, index, owner.name(), unknown(index), owner.refusal());
        }

        void notFound(int index) {
            if (j.module().imports().weak().get(index)) {
                weak(index);
            } else if (isGlobalOffsetTable(index)) {
                return;
            } else if (isExportedByUnreadable(index) || environment.mayNeedUnreadable(j.module())) {
                unproven(FindingKind.DEPENDENCY_UNREADABLE, index);
            } else if (!environment.exportsKnown()) {
                String symbol = names.name(index);
                j.unproven(
                        FindingKind.SYMBOL_EXPORTS_UNKNOWN,
                        symbol,
                        "no known kernel or module exports "
                                + symbol
                                + ", and "
                                + FindingKind.SYMBOL_EXPORTS_UNKNOWN.meaning()
                                + "; "
                                + FindingKind.SYMBOL_EXPORTS_UNKNOWN.remedy());
            } else if (!j.target().exportsComplete()) {
                unproven(FindingKind.SYMBOL_NOT_KNOWN, index);
            } else {
                int row = rows[index];
                String owner = row < 0
                        ? null
                        : Origin.moduleName(environment.target().exports().owner(row));
                refuse(
                        FindingKind.SYMBOL_MISSING,
                        index,
                        owner,
                        unknown(index),
                        owner == null
                                ? FindingKind.SYMBOL_MISSING.meaning()
                                : owner.equals(j.module().name())
                                        ? "only a module of the same name exports this symbol, and the kernel"
                                                + " cannot load both"
                                        : "module " + owner + " is missing, or its file does not export this symbol");
            }
        }

        private boolean isExportedByUnreadable(int index) {
            int row = rows[index];
            return row >= 0
                    && environment.isUnreadable(
                            Origin.moduleName(environment.target().exports().owner(row)));
        }

        private void weak(int index) {
            j.note(FindingKind.SYMBOL_WEAK, names.name(index), null, FindingKind.SYMBOL_WEAK.meaning());
        }

        private void unproven(FindingKind kind, int index) {
            j.unproven(kind, names.name(index), kind.meaning());
        }

        /**
         * Returns whether this is the symbol that x86 modules may leave undefined
         * (kernel/module/main.c:ignore_undef_symbol).
         */
        private boolean isGlobalOffsetTable(int index) {
            ElfIdentity elf = j.module().elf();
            return elf != null
                    && (elf.machine() == ElfIdentity.EM_X86_64 || elf.machine() == ElfIdentity.EM_386)
                    && j.rules().is(LoaderRule.GOT_SYMBOL, "ignore")
                    && names.is(index, GOT);
        }

        void refuse(FindingKind kind, int index, @Nullable String owner, String dmesg, String detail) {
            j.add(new Finding(kind, Effect.REFUSES, Errno.ENOENT, symbol(index), null, null, owner, dmesg, detail));
        }

        /** Returns the kernel's message; up to 4.18 it contains the error number 0. */
        private String unknown(int index) {
            if (start == 0) {
                line.append(j.module().name()).append(": Unknown symbol ");
                start = line.length();
            }
            line.setLength(start);
            line.append(symbol(index));
            return line.append(j.rules().version().atLeast(4, 19) ? " (err -2)" : " (err 0)")
                    .toString();
        }

        private String symbol(int index) {
            return rows[index] >= 0 ? environment.target().exports().symbol(rows[index]) : names.name(index);
        }
    }

    /** Decides whether a module may use a symbol of a namespace (kernel/module/main.c, 5.4+). */
    static final class NamespaceRule {
        private static final String MODULE_PREFIX = "module:";

        private NamespaceRule() {}

        /**
         * Returns whether the module may use symbols of a namespace. An {@code import_ns=} of the module must equal the
         * namespace exactly. From 6.16 on, a namespace such as {@code module:a,b*} itself lists the modules that may
         * use its symbols.
         */
        static boolean allows(String namespace, List<String> imported, String moduleName, LoaderBehavior rules) {
            if (rules.is(LoaderRule.MODULE_NAMESPACES, "yes") && namespace.startsWith(MODULE_PREFIX)) {
                return namesModule(namespace.substring(MODULE_PREFIX.length()), moduleName);
            }
            return imported.contains(namespace);
        }

        /** Returns whether the kernel refuses an explicit import of this namespace (setup_modinfo, 6.16+). */
        static boolean isForbiddenImport(String imported, LoaderBehavior rules) {
            return rules.is(LoaderRule.MODULE_NAMESPACES, "yes") && imported.startsWith(MODULE_PREFIX);
        }

        private static boolean namesModule(String list, String moduleName) {
            String name = moduleName.replace('-', '_');
            for (int at = 0; at <= list.length(); ) {
                int comma = list.indexOf(',', at);
                int end = comma < 0 ? list.length() : comma;
                String pattern = list.substring(at, end).replace('-', '_');
                boolean matches = pattern.endsWith("*")
                        ? name.startsWith(pattern.substring(0, pattern.length() - 1))
                        : name.equals(pattern);
                if (matches) {
                    return true;
                }
                at = end + 1;
            }
            return false;
        }
    }
}
