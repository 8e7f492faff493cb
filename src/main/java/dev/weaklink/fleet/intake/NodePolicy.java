package dev.weaklink.fleet.intake;

import dev.weaklink.sys.StableId;
import org.jspecify.annotations.Nullable;

/** What a node's kernel does with a module that it cannot trust, as far as the node reports. */
public enum NodePolicy implements StableId {
    /** It loads; or nothing is reported. */
    PERMISSIVE,
    /**
     * The node was started with Secure Boot, by which most distributions' kernels lock themselves down, and does not
     * report whether its kernel has.
     */
    SECURE_BOOT,
    /** It is refused (security/lockdown/lockdown.c, integrity or more). */
    LOCKDOWN,
    /** It is refused (the parameter sig_enforce of kernel/module/signing.c). */
    ENFORCED;

    /**
     * What a node's facts mean.
     *
     * @param secureBoot enabled, or another word; null if not reported
     * @param lockdown the kernel's own word, null if not reported
     * @param enforced null if not reported
     */
    static NodePolicy of(@Nullable String secureBoot, @Nullable String lockdown, @Nullable Boolean enforced) {
        if (Boolean.TRUE.equals(enforced)) {
            return ENFORCED;
        }
        if (lockdown != null) {
            boolean locked = lockdown.equals("integrity") || lockdown.equals("confidentiality");
            return locked ? LOCKDOWN : PERMISSIVE;
        }
        return "enabled".equals(secureBoot) ? SECURE_BOOT : PERMISSIVE;
    }
}
