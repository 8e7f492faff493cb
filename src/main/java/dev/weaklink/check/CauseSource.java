package dev.weaklink.check;

import dev.weaklink.check.result.ModuleUse;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Root;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A source of the reasons why CRCs differ from those that refused modules want. */
@FunctionalInterface
public interface CauseSource {
    /**
     * Opens the source for verdicts on one kernel.
     *
     * @param store the directory of stored kernels, null for the root's own
     */
    TargetCauses on(Root root, @Nullable Path store, OpenTarget target, ReadOptions reading);

    /** The causes of verdicts on one kernel. */
    interface TargetCauses {
        /**
         * Starts to read the kernel that most modules were built for, and the target.
         *
         * @param builtFor its release, null if it is not known
         */
        void readAhead(@Nullable String builtFor);

        /** Adds causes to the findings about CRCs. */
        List<Verdict> explain(List<Verdict> verdicts);

        /** Returns where the causes found so far come from, and why others are not known. */
        List<String> notes();

        /**
         * Returns how a module uses what changed since the kernel it was built for; null if that is not known, or none
         * of its CRCs was explained.
         *
         * @param module the module alone
         */
        @Nullable
        ModuleUse use(ModuleBatch module);
    }
}
