package dev.weaklink.check;

import dev.weaklink.kernel.LoaderRule;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code weaklink check}.
 *
 * @param root the root directory below which installed modules and kernels are looked up, null for the running system
 * @param modules files, directories and module names as typed; {@code -} reads a list from {@code stdin}
 * @param kernels releases and paths as typed; empty for the newest installed kernel
 * @param store the directory of stored kernels, to which the check adds the checked kernels; null for the default
 *     store, which stays unchanged
 * @param alone true to judge each module separately against the target's own modules
 * @param sideBySide true to accept modules that export the same symbols
 * @param explain true to find the causes of changed CRCs
 * @param loader loader rules set by the user
 * @param certificates files of certificates whose keys are trusted on every target
 * @param reading the options for reading modules
 * @param stdin the stream that {@code -} reads: names separated by newlines or NULs
 */
public record CheckRequest(
        @Nullable Path root,
        List<String> modules,
        List<String> kernels,
        @Nullable Path store,
        boolean alone,
        boolean sideBySide,
        boolean explain,
        Map<LoaderRule, String> loader,
        List<String> certificates,
        ReadOptions reading,
        InputStream stdin) {

    public CheckRequest(
            @Nullable Path root,
            List<String> modules,
            List<String> kernels,
            @Nullable Path store,
            boolean alone,
            Map<LoaderRule, String> loader,
            List<String> certificates,
            ReadOptions reading,
            InputStream stdin) {
        this(root, modules, kernels, store, alone, false, false, loader, certificates, reading, stdin);
    }

    public CheckRequest {
        modules = List.copyOf(modules);
        kernels = List.copyOf(kernels);
        loader = Map.copyOf(loader);
        certificates = List.copyOf(certificates);
    }

    /**
     * Returns this request for modules that need not all be loaded on one machine, so that several may export the same
     * symbols.
     */
    CheckRequest notAllLoaded() {
        return new CheckRequest(
                root, modules, kernels, store, alone, true, explain, loader, certificates, reading, stdin);
    }

    public CheckRequest explaining() {
        return new CheckRequest(
                root, modules, kernels, store, alone, sideBySide, true, loader, certificates, reading, stdin);
    }

    public CheckRequest with(List<String> otherModules, List<String> otherKernels) {
        return new CheckRequest(
                root,
                otherModules,
                otherKernels,
                store,
                alone,
                sideBySide,
                explain,
                loader,
                certificates,
                reading,
                stdin);
    }
}
