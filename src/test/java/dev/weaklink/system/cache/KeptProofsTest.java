package dev.weaklink.system.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.DirectoryCache.KeptModule;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Results of signature checks are cached with the facts if no other user could forge them. */
class KeptProofsTest {
    private static final String TOP = "/lib/modules/1/";
    private static final Proof GENUINE = new Proof(ProofResult.VERIFIED, "CN=x (there)", "digest of x");
    private static final Proof WRONG = new Proof(ProofResult.WRONG, "CN=x (there)", "digest of x");
    private static final FileIdentity FILE = new FileIdentity(1, 2, 3, 4_000_000_001L, 4_000_000_001L);
    private static final Origin M = Origin.file("m.ko");
    private static final long LATER = 9_000_000_000L;

    private static final RuntimeNames ASKED = new RuntimeNames(List.of("asked"));

    @Test
    void resultsComeOutWithTheCertificateTheyRestOn() throws UnreadableException {
        assertThat(again(GENUINE, true, true)).isEqualTo(new Proof(ProofResult.VERIFIED, null, "digest of x"));
        assertThat(again(WRONG, true, true)).isEqualTo(new Proof(ProofResult.WRONG, null, "digest of x"));
    }

    @Test
    void doesNotCacheProofsThatDependOnOtherFacts() throws UnreadableException {
        assertThat(again(null, true, true)).isNull();
        assertThat(again(new Proof(ProofResult.VERIFIED, "CN=x"), true, true)).isNull();
        assertThat(again(new Proof(ProofResult.UNREADABLE, "CN=x", "digest of x"), true, true))
                .isNull();
    }

    @Test
    void cachesNoProofsThatUsersCouldForge() throws UnreadableException {
        assertThat(again(GENUINE, false, true)).isNull();
        assertThat(again(GENUINE, true, false)).isNull();
    }

    /** Returns the proof from a second cache that reads the entries of a first cache. */
    private static @Nullable Proof again(@Nullable Proof proof, boolean keeps, boolean believes)
            throws UnreadableException {
        DirectoryCache first = new DirectoryCache(TOP, null, keeps);
        KernelModule module = KernelModule.unread(M);
        first.keep(FILE, LATER, Path.of(TOP + "m.ko"), new KeptModule(module, ASKED, proof, null));
        byte[] bytes = SegmentWriter.write(first.renewed(), Kept.PROGRAM);
        DirectoryCache second = new DirectoryCache(TOP, Segment.open(bytes, Kept.PROGRAM), believes);
        assertThat(second.find(new FileIdentity(1, 2, 3, 4_000_000_001L, 4_000_000_002L), M))
                .isNull();
        KeptModule found = second.find(FILE, M);
        assertThat(found.runtime()).isEqualTo(ASKED);
        return found.proof();
    }
}
