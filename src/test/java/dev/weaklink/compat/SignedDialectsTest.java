package dev.weaklink.compat;

import static dev.weaklink.testing.SignedKernels.BUILD;
import static dev.weaklink.testing.SignedKernels.NEW;
import static dev.weaklink.testing.SignedKernels.OLD;
import static dev.weaklink.testing.SignedKernels.OTHER;
import static dev.weaklink.testing.SignedKernels.SERVICE;
import static dev.weaklink.testing.SignedKernels.built;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.compat.SuseDialect.SuseLog;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.EfiVariable;
import dev.weaklink.testing.SignedKernels;
import dev.weaklink.testing.TreeBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands weak-modules and weak-modules2 on a machine that enforces signatures, and on a machine that does not.
 */
class SignedDialectsTest {
    private static final String UPDATES = "updates";

    @TempDir
    Path directory;

    private TreeBuilder image;
    private TreeBuilder machine;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void install() throws IOException {
        image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
        machine = TreeBuilder.in(Files.createDirectory(directory.resolve("machine")));
        SignedKernels.install(image, "extra");
    }

    private SignaturePolicy ofMachine() throws IOException {
        return new SignaturePolicy(Map.of(), List.of(), Root.of(machine.root()));
    }

    private SignaturePolicy lockedDown() throws IOException {
        SignedKernels.lockedDown(machine);
        return ofMachine();
    }

    private StandardStreams streams() {
        return new StandardStreams(
                "weak-modules",
                new ByteArrayInputStream(new byte[0]),
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                directory);
    }

    private BaseDirectory base() throws IOException {
        return BaseDirectory.of(image.root());
    }

    private RedHatRun redHat(SignaturePolicy trust) throws IOException {
        DialectCommit commit = new DialectCommit(streams(), base(), TransactionSettings.DEFAULT);
        return new RedHatRun(streams(), base(), trust, false, commit);
    }

    private String extra(String name) {
        return image.modules(OLD).resolve("extra/" + name + ".ko").toString();
    }

    /** Returns the names of the new links. */
    private static List<String> linked(PendingChanges work) {
        List<String> linked = new ArrayList<>();
        for (Change change : work.changes()) {
            if (change instanceof Change.PutLink) {
                linked.add(PathFormat.fileName(change.path()));
            }
        }
        return linked;
    }

    private static List<String> removed(PendingChanges work) {
        List<String> removed = new ArrayList<>();
        for (Change change : work.changes()) {
            if (change instanceof Change.RemoveLink) {
                removed.add(PathFormat.fileName(change.path()));
            }
        }
        return removed;
    }

    private String messages() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void doesNotApplyThisMachinesPolicyToAnotherRoot() throws IOException {
        assertThat(SignaturePolicy.in(base().root()).machine()).isNull();
        assertThat(SignaturePolicy.in(BaseDirectory.host().root()).machine()).isEqualTo(Root.HOST);
        assertThat(SignaturePolicy.in(BaseDirectory.of(Path.of("/")).root()).machine())
                .isEqualTo(Root.HOST);
    }

    @Test
    void linksAllModulesWithoutEnforcement() throws IOException {
        machine.file("sys/kernel/security/lockdown", "[none] integrity confidentiality\n".getBytes());

        assertThat(linked(redHat(ofMachine()).addKernel(NEW)))
                .containsExactlyInAnyOrder("plain.ko", "trusted.ko", "foreign.ko");
        assertThat(messages()).isEmpty();
    }

    @Test
    void linksOnlyTrustedModulesOnANewKernelAndNamesTheRest() throws IOException {
        assertThat(linked(redHat(lockedDown()).addKernel(NEW))).containsExactly("trusted.ko");

        assertThat(messages().lines())
                .hasSize(2)
                .contains("weak-modules: no link on kernel "
                        + NEW
                        + " to "
                        + extra("plain")
                        + ": signature: the module is not signed; loading fails with EPERM");
        assertThat(messageAboutForeign())
                .contains("signature: the module is signed with an unknown key")
                .contains("CN=somebody else");
    }

    private String messageAboutForeign() {
        return messages()
                .lines()
                .filter(line -> line.contains("foreign.ko"))
                .findFirst()
                .orElse("");
    }

    @Test
    void untrustedModulePreventsTheWholeList() throws IOException {
        List<String> list = List.of(extra("trusted"), extra("plain"));

        assertThat(linked(redHat(lockedDown()).addModules(list))).isEmpty();
        assertThat(messages()).contains(extra("plain")).contains("the module is not signed");
        assertThat(linked(redHat(ofMachine()).addModules(List.of(extra("trusted")))))
                .containsExactly("trusted.ko");
    }

    @Test
    void trustsAKeyThatIsEnrolledOnTheMachine() throws IOException {
        byte[] enrolled = new EfiVariable().x509(OTHER.certificate()).toBytes();
        machine.file("sys/firmware/efi/mok-variables/MokListRT", enrolled);
        image.file("boot/config-" + NEW, "CONFIG_INTEGRITY_MACHINE_KEYRING=y\n".getBytes());

        assertThat(linked(redHat(lockedDown()).addKernel(NEW))).containsExactlyInAnyOrder("trusted.ko", "foreign.ko");
    }

    @Test
    void linksModulesThatNeedTheKernelsOwn() throws IOException {
        byte[] user = BUILD.sign(built("user").importing(SERVICE, 1).build());
        SignedKernels.add(image, "extra", "user", user);

        assertThat(linked(redHat(lockedDown()).addKernel(NEW))).containsExactlyInAnyOrder("trusted.ko", "user.ko");
    }

    @Test
    void removesAndReportsARefusedLinkOfAChangedKernel() throws IOException {
        Path link = image.modules(NEW).resolve("weak-updates/plain.ko");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(extra("plain")));

        assertThat(removed(redHat(lockedDown()).addKernel(NEW))).containsExactly("plain.ko");
        assertThat(messages())
                .contains("weak-modules: links removed from kernel "
                        + NEW
                        + ": "
                        + extra("plain")
                        + ": signature: the module is not signed; loading fails with EPERM\n");
    }

    @Test
    void keepsALinkWhoseSignatureCannotBeVerified() throws IOException {
        Path link = image.modules(NEW).resolve("weak-updates/trusted.ko");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(extra("trusted")));
        Files.delete(image.root().resolve("boot/vmlinuz-" + NEW));

        PendingChanges work = redHat(lockedDown()).addKernel(NEW);

        assertThat(removed(work)).isEmpty();
        assertThat(linked(work)).isEmpty();
        assertThat(messages()).contains("the keys that the kernel trusts are not known");
    }

    private SuseRun suse(SignaturePolicy trust) throws IOException {
        for (String name : List.of("plain", "trusted", "foreign")) {
            Path place = image.modules(OLD).resolve(UPDATES).resolve(name + ".ko");
            Files.createDirectories(place.getParent());
            Files.copy(Path.of(extra(name)), place);
        }
        return new SuseRun(
                new SuseLog(streams(), 0, false),
                base(),
                (flavor, problems) -> List.of(kmp("foreign"), kmp("plain"), kmp("trusted")),
                trust);
    }

    private static Kmp kmp(String name) {
        String file = "/lib/modules/" + OLD + "/" + UPDATES + "/" + name + ".ko";
        return new Kmp(name + "-kmp-test", "1", "1", OLD, List.of(file));
    }

    private static String warning(String name) {
        return "WARNING: kernel " + NEW + ": /lib/modules/" + OLD + "/" + UPDATES + "/" + name + ".ko: signature: ";
    }

    @Test
    void linksOnlyTrustedPackagesOnAChangedKernel() throws IOException {
        PendingChanges work = suse(lockedDown()).kernelChanged(NEW);

        assertThat(linked(work)).containsExactly("trusted.ko");
        assertThat(messages())
                .contains(warning("plain") + "the module is not signed; loading fails with EPERM\n")
                .contains(warning("foreign") + "the module is signed with an unknown key");
    }

    @Test
    void doesNotAddAnUntrustedPackageAndPrintsWhy() throws IOException {
        assertThat(linked(suse(lockedDown()).addKmp("plain-kmp-test-1-1"))).isEmpty();

        assertThat(messages()).isEqualTo(warning("plain") + "the module is not signed; loading fails with EPERM\n");
    }

    @Test
    void removesAndReportsALinkedPackageThatTheKernelRefuses() throws IOException {
        SuseRun run = suse(lockedDown());
        image.weakLink(NEW, "weak-updates/updates/plain.ko", OLD, "updates/plain.ko");

        assertThat(removed(run.kernelChanged(NEW))).containsExactly("plain.ko");
        assertThat(messages())
                .contains("Package plain-kmp-test-1-1 removed from kernel " + NEW + "\n")
                .contains(warning("plain") + "the module is not signed; loading fails with EPERM\n");
    }

    @Test
    void linksAllPackagesWithoutEnforcement() throws IOException {
        assertThat(linked(suse(ofMachine()).kernelChanged(NEW)))
                .containsExactlyInAnyOrder("foreign.ko", "plain.ko", "trusted.ko");
        assertThat(messages()).isEmpty();
    }
}
