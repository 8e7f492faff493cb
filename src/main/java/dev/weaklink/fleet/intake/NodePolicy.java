package dev.weaklink.fleet.intake;

import dev.weaklink.sys.StableId;
import org.jspecify.annotations.Nullable;

/** The policy of a node's kernel for modules that the kernel cannot trust, as far as the node reports it. */
public enum NodePolicy implements StableId {
    /** The kernel loads an untrusted module, or the node reports no policy. */
    PERMISSIVE,
    /**
     * The node was started with Secure Boot but does not report lockdown. Most distributions' kernels turn lockdown on
     * under Secure Boot.
     */
    SECURE_BOOT,
    /** The kernel refuses an untrusted module because of lockdown (security/lockdown/lockdown.c, integrity or more). */
    LOCKDOWN,
    /** The kernel refuses an untrusted module because of the parameter sig_enforce (kernel/module/signing.c). */
    ENFORCED;

    /**
     * Derives the policy from a node's facts.
     *
     * @param secureBoot "enabled" or another state; null if not reported
     * @param lockdown the kernel's lockdown level, null if not reported
     * @param enforced the value of sig_enforce, null if not reported
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
