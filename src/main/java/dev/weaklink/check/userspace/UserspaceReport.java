package dev.weaklink.check.userspace;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The RDMA libraries of a root.
 *
 * @param library the libibverbs that programs load, as a path in the root; null if there is none
 * @param owner its package and version, empty if unknown
 * @param privateVersion the version that binds it and its providers, for example {@code IBVERBS_PRIVATE_34}; empty if
 *     it has none
 * @param providers the providers named in .driver files that would be loaded, sorted
 * @param devices how the devices of the running system are served, one line each, sorted
 * @param findings what is wrong, failures first
 */
public record UserspaceReport(
        @Nullable String library,
        String owner,
        String privateVersion,
        List<String> providers,
        List<String> devices,
        List<UserspaceFinding> findings) {
    public UserspaceReport {
        providers = List.copyOf(providers);
        devices = List.copyOf(devices);
        findings = List.copyOf(findings);
    }

    /** Whether there was anything to look at. */
    public boolean isEmpty() {
        return providers.isEmpty() && findings.isEmpty();
    }

    /** Whether something does not work. */
    public boolean hasFailures() {
        return findings.stream().anyMatch(finding -> finding.kind().isFailure());
    }
}
