package dev.weaklink.check.result;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.system.TargetKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that modules were checked against, as shown in reports.
 *
 * @param label the name in verdicts: a release, or a path as the user typed it
 * @param release the kernel's release, null if unknown
 * @param kind the form in which the user named the kernel
 * @param symvers the symvers file that was read, null if there was none
 * @param vmlinuxExports the number of symbols the kernel image itself exports
 * @param ownModules the number of the target's own modules, including out-of-tree modules; 0 if they are not available
 * @param rules the loader rules
 * @param notes sentences to read before the verdicts
 * @param causes remarks on the causes of changed CRCs, such as the compared kernels; a check of the modules in use adds
 *     its own notes
 * @param use the changed types that the module uses; null if unknown, if several modules were checked, or if causes
 *     were not requested
 */
public record TargetSummary(
        String label,
        @Nullable String release,
        TargetKind kind,
        @Nullable String symvers,
        int vmlinuxExports,
        int ownModules,
        LoaderBehavior rules,
        List<String> notes,
        List<String> causes,
        @Nullable ModuleUse use) {

    public TargetSummary {
        notes = List.copyOf(notes);
        causes = List.copyOf(causes);
    }

    public TargetSummary(
            String label,
            @Nullable String release,
            TargetKind kind,
            @Nullable String symvers,
            int vmlinuxExports,
            int ownModules,
            LoaderBehavior rules,
            List<String> notes) {
        this(label, release, kind, symvers, vmlinuxExports, ownModules, rules, notes, List.of(), null);
    }

    public TargetSummary with(LoaderBehavior others) {
        return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, others, notes, causes, use);
    }

    public TargetSummary with(List<String> more) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(more);
        return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, rules, all, causes, use);
    }

    public TargetSummary explained(List<String> remarks) {
        return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, rules, notes, remarks, use);
    }

    public TargetSummary with(@Nullable ModuleUse used) {
        return new TargetSummary(label, release, kind, symvers, vmlinuxExports, ownModules, rules, notes, causes, used);
    }

    public List<String> allNotes() {
        List<String> all = new ArrayList<>(notes);
        all.addAll(causes);
        return all;
    }

    public record ExportCount(int gplOnly, int inNamespaces) {
        public static ExportCount of(ExportTable exports) {
            int gplOnly = 0;
            int inNamespaces = 0;
            for (int row = 0; row < exports.size(); row++) {
                gplOnly += exports.isGplOnly(row) ? 1 : 0;
                inNamespaces += exports.namespace(row) != null ? 1 : 0;
            }
            return new ExportCount(gplOnly, inNamespaces);
        }
    }
}
