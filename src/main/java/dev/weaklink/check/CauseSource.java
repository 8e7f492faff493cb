package dev.weaklink.check;

import dev.weaklink.check.result.ModuleUse;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Root;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A source of explanations for refused modules: the changes that gave a kernel's symbols other CRCs than the modules
 * expect.
 */
@FunctionalInterface
public interface CauseSource {
    /**
     * Opens the source for verdicts on one kernel.
     *
     * @param store the directory of stored kernels, null for the default store of the root
     */
    TargetCauses on(Root root, @Nullable Path store, CheckTarget target, ReadOptions reading);

    interface TargetCauses {
        /**
         * May start to read the types of the target and of another kernel in the background.
         *
         * @param builtFor the release of a kernel that modules were built for; null if unknown
         */
        void readAhead(@Nullable String builtFor);

        List<Verdict> explain(List<Verdict> verdicts);

        List<String> notes();

        /**
         * Returns how a module uses the types that changed since the kernel that the module was built for. Returns null
         * if {@link #explain} has not read the types of both kernels, or if the module cannot be read.
         *
         * @param module a batch that contains only the module
         */
        @Nullable
        ModuleUse use(ModuleBatch module);
    }
}
