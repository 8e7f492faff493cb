package dev.weaklink.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/**
 * A jqwik property that is skipped if one of these programs is missing. jqwik counts a failed assumption as a rejected
 * value, and a property without accepted values as a failure.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@AddLifecycleHook(NeedsTools.Hook.class)
public @interface NeedsTools {
    String[] value();

    /** The hook that skips the property and names the missing program. */
    final class Hook implements SkipExecutionHook {
        @Override
        public SkipResult shouldBeSkipped(LifecycleContext context) {
            return context.findAnnotation(NeedsTools.class)
                    .flatMap(needs -> Arrays.stream(needs.value())
                            .filter(tool -> ExternalTool.find(tool).isEmpty())
                            .findFirst())
                    .map(tool -> SkipResult.skip(ExternalTool.missing(tool)))
                    .orElseGet(SkipResult::doNotSkip);
        }
    }
}
