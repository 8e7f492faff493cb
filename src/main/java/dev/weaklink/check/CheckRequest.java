package dev.weaklink.check;

import dev.weaklink.kernel.LoaderRule;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code weaklink check} was asked.
 *
 * @param root the image whose modules and kernels are meant, null for the running system's {@code /}; nothing of the
 *     host is looked at when it is given
 * @param modules files, directories and module names as typed; {@code -} stands for a list on {@code stdin}
 * @param kernels releases and paths as typed; empty for the newest kernel in the root
 * @param store where kernels are kept that were seen before, and where those seen now are to be kept; null for the
 *     root's own, where nothing is kept by a check
 * @param alone judge each module against the target's own modules only
 * @param sideBySide do not refuse modules for exporting what another of them does
 * @param explain find out why the CRCs of symbols changed
 * @param loader loader rules set by hand
 * @param certificates files with certificates whose keys are trusted on every target
 * @param reading how modules are read
 * @param stdin where {@code -} reads from: names separated by newlines, or by NULs
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

    /** Without causes. */
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

    /** The same where not all of the modules are loaded. */
    CheckRequest notAllLoaded() {
        return new CheckRequest(
                root, modules, kernels, store, alone, true, explain, loader, certificates, reading, stdin);
    }

    /** Returns the same request, with causes of changed CRCs. */
    public CheckRequest explaining() {
        return new CheckRequest(
                root, modules, kernels, store, alone, sideBySide, true, loader, certificates, reading, stdin);
    }

    /** The same about other modules and kernels. */
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
