package dev.weaklink.check.result;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.system.TargetKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What modules were checked against.
 *
 * @param label the name verdicts call it by: a release, or a path as given
 * @param release kernel release, null if it is not known
 * @param kind what it was given as
 * @param symvers the symvers file read, null if there was none
 * @param vmlinuxExports number of symbols the kernel image itself exports
 * @param ownModules number of the target's own modules
 * @param rules how its loader decides
 * @param notes sentences worth reading before the verdicts
 * @param causes where causes of changed CRCs come from, and why others are not known; empty unless they were looked
 *     for; of a check of the modules in use, which modules others ask for in vain as well
 * @param use how the one module asked about uses what changed; null unless causes were looked for
 */
public record TargetSummary(
        String label,
        @Nullable String release,
        TargetKind kind,
        @Nullable String symvers,
        int vmlinuxExports,
        int ownModules,
        LoaderRules rules,
        List<String> notes,
        List<String> causes,
        @Nullable ModuleUse use) {

    public TargetSummary {
        notes = List.copyOf(notes);
        causes = List.copyOf(causes);
    }

    /** Where no causes were looked for. */
    public TargetSummary(
            String label,
            @Nullable String release,
            TargetKind kind,
            @Nullable String symvers,
            int vmlinuxExports,
            int ownModules,
            LoaderRules rules,
            List<String> notes) {
        this(label, release, kind, symvers, vmlinuxExports, ownModules, rules, notes, List.of(), null);
    }

    /** The same target with other rules. */
    public TargetSummary with(LoaderRules others) {
        return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, others, notes, causes, use);
    }

    /** The same target with more notes. */
    public TargetSummary with(List<String> more) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(more);
        return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, rules, all, causes, use);
    }

    /** The same target once causes of changed CRCs were looked for. */
    public TargetSummary explained(List<String> remarks) {
        return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, rules, notes, remarks, use);
    }

    /** Returns the same target with how the one module asked about uses what changed. */
    public TargetSummary with(@Nullable ModuleUse used) {
        return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, rules, notes, causes, used);
    }

    /** All that is worth reading before the verdicts. */
    public List<String> allNotes() {
        List<String> all = new ArrayList<>(notes);
        all.addAll(causes);
        return all;
    }

    /** How many exports are of a kind. */
    public record ExportCount(int ofVmlinux, int gplOnly, int inNamespaces) {
        /** Counts the rows of a table. */
        public static ExportCount of(ExportTable exports) {
            int ofVmlinux = 0;
            int gplOnly = 0;
            int inNamespaces = 0;
            for (int row = 0; row < exports.size(); row++) {
                ofVmlinux += exports.isVmlinux(row) ? 1 : 0;
                gplOnly += exports.isGplOnly(row) ? 1 : 0;
                inNamespaces += exports.namespace(row) != null ? 1 : 0;
            }
            return new ExportCount(ofVmlinux, gplOnly, inNamespaces);
        }
    }
}
