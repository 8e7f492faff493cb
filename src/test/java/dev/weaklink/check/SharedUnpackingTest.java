package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.SignedKernels;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kernel image is unpacked once, for its facts and for its keys. */
class SharedUnpackingTest {
    @TempDir
    Path directory;

    @Test
    void findsTheKeysWhereTheImageWasUnpackedForItsFacts() throws IOException {
        SignedKernels.install(TreeBuilder.in(directory), "extra");
        Root root = Root.of(directory);
        List<InputProblem> problems = new ArrayList<>();
        FoundKernel found = FoundKernel.start(KernelFiles.locate(root, SignedKernels.NEW), FactsCache.NONE)
                .with(SignedKernels.NEW, ModuleTree.scan(root, SignedKernels.NEW), List.of());
        CheckTarget target = found.open(Map.of(), ReadOptions.uncached(1), problems);
        assertThat(target).isNotNull();

        Files.delete(directory.resolve("boot/vmlinuz-" + SignedKernels.NEW));
        KeyRing ring = target.keys(List.of(), null).ring();

        assertThat(problems).isEmpty();
        assertThat(ring.complete()).isTrue();
        assertThat(ring.certificates())
                .extracting(EncodedCertificate::der)
                .containsExactly(SignedKernels.BUILD.certificate());
    }
}
