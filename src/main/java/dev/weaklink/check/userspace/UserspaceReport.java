package dev.weaklink.check.userspace;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The RDMA libraries of a root.
 *
 * @param library the libibverbs that programs load, as a path in the root; null if none is installed
 * @param owner the library's package and version, empty if unknown
 * @param privateVersion the version that ties providers to the library, for example {@code IBVERBS_PRIVATE_34}; empty
 *     if the library has none
 * @param providers the providers named in .driver files that would load, sorted
 * @param devices the devices of the running system, one line each; a device with an ABI that its provider does not
 *     support is a finding instead
 * @param findings the defects, failures first
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

    public boolean isEmpty() {
        return providers.isEmpty() && findings.isEmpty();
    }

    public boolean hasFailures() {
        return findings.stream().anyMatch(finding -> finding.kind().isFailure());
    }
}
