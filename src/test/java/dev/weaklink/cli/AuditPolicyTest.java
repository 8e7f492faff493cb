package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.SignedKernels;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Audits of nodes whose kernels treat untrusted modules differently. */
class AuditPolicyTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String RELEASE = "6.1.0-7-test";
    private static final String FREE = "\"lockdown\":\"none\",\"enforced\":false";
    private static final String LOCKED = "\"lockdown\":\"integrity\",\"enforced\":false";
    private static final String ENFORCED = "\"lockdown\":\"integrity\",\"enforced\":true";
    private static final String SECURE_BOOT = "\"secureBoot\":\"enabled\"";
    private static final SigningKey BUILD = SigningKey.rsa("build key");
    private static final SigningKey OWNER = SigningKey.rsa("machine owner");

    @TempDir
    Path directory;

    private TreeBuilder root;

    @BeforeEach
    void install() throws IOException {
        // weaklink-collect reads modules with these programs.
        ExternalTool.orSkip("modinfo");
        ExternalTool.orSkip("modprobe");
        root = TreeBuilder.in(Files.createDirectory(directory.resolve("root")));
        root.file("boot/vmlinuz-" + RELEASE, SignedKernels.image(RELEASE, BUILD));
        root.file("lib/modules/" + RELEASE + "/kernel/own.ko", BUILD.sign(module("own")));
        Files.write(directory.resolve("owner.der"), OWNER.certificate());
        Files.write(directory.resolve("build.der"), BUILD.certificate());
    }

    private void text(String place, String contents) {
        root.file(place, contents.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] module(String name) {
        return builder(name).build();
    }

    private static ModuleBuilder builder(String name) {
        return SignedKernels.module(name, RELEASE);
    }

    /** Returns the inventory of a node with one module, as the program itself collects it. */
    private String node(String name, String security, byte[] module) throws IOException {
        Path place = directory.resolve(name);
        TreeBuilder.in(Files.createDirectory(place))
                .file("lib/modules/" + RELEASE + "/modules.order", new byte[0])
                .file("lib/modules/" + RELEASE + "/extra/drv.ko", module);
        WholeRun run = WholeRun.of("inventory", "--root", place.toString(), "--full", "--name", name);
        assertThat(run.status()).as(run.err()).isZero();
        return run.out().replace("\"security\":{}", "\"security\":{" + security + "}");
    }

    private JsonNode audit(String input, String... words) throws IOException {
        List<String> all = new ArrayList<>(
                List.of("audit", "-", "--format", "json", "--root", root.root().toString()));
        all.addAll(List.of("--kernel", RELEASE));
        all.addAll(List.of(words));
        WholeRun run = WholeRun.reading(input.getBytes(StandardCharsets.UTF_8), all.toArray(new String[0]));
        assertThat(run.err()).isEmpty();
        assertThat(Schemas.problems(run.out())).isEmpty();
        return MAPPER.readTree(run.out());
    }

    private static List<String> states(JsonNode audit) {
        List<String> states = new ArrayList<>();
        for (JsonNode verdict : audit.at("/verdicts")) {
            JsonNode set = audit.at("/sets/" + verdict.at("/set").asInt());
            states.add(set.path("policy").asText("any") + " "
                    + verdict.at("/state").asText());
        }
        return states;
    }

    private static String message(JsonNode audit, int verdict) {
        String message = audit.at("/verdicts/" + verdict + "/modules/0/findings/0/message")
                .asText();
        return message.replaceAll("([0-9a-f]{2}:){3}[0-9a-f]{2}", "KEY");
    }

    @Test
    void refusesAnUnsignedModuleIfTheNodesKernelEnforcesSignatures() throws IOException {
        byte[] plain = module("drv");
        String input = node("cn1", FREE, plain)
                + node("cn2", LOCKED, plain)
                + node("cn3", ENFORCED, plain)
                + node("cn4", SECURE_BOOT, plain)
                + node("cn5", "", plain);
        JsonNode audit = audit(input);
        assertThat(states(audit))
                .containsExactly(
                        "permissive ready", "secure-boot undetermined", "lockdown blocked", "enforced blocked");
        assertThat(message(audit, 1))
                .isEqualTo(
                        "would be refused if the kernel is locked down, as most kernels are under Secure Boot; the node"
                                + " did not report its lockdown state: mount securityfs on the node and collect again");
        assertThat(message(audit, 2))
                .isEqualTo("Lockdown: modprobe: unsigned module loading is restricted; see man" + " kernel_lockdown.7");
        assertThat(audit.at("/verdicts/2/modules/0/errno").asText()).isEqualTo("EPERM");
        assertThat(message(audit, 3)).isEqualTo("Loading of unsigned module is rejected");
        assertThat(audit.at("/kernels/0/blocked/nodes").asText()).isEqualTo("cn[2-3]");
        assertThat(audit.at("/kernels/0/undetermined/nodes").asText()).isEqualTo("cn4");
        assertThat(audit.at("/groups"))
                .extracting(group -> group.at("/nodes").asText())
                .containsExactly("cn[1,5]", "cn4", "cn2", "cn3");
        assertThat(audit.at("/sets"))
                .extracting(set -> set.at("/digest").asText())
                .hasSize(4);
    }

    @Test
    void doesNotSplitGroupsIfThePolicyMakesNoDifference() throws IOException {
        byte[] signed = BUILD.sign(module("drv"));
        String input = node("cn1", FREE, signed) + node("cn2", LOCKED, signed);
        JsonNode audit = audit(input);
        assertThat(states(audit)).containsExactly("any ready");
        assertThat(audit.at("/groups/0/nodes").asText()).isEqualTo("cn[1-2]");
        assertThat(audit.at("/kernels/0/blocked/count").asInt()).isZero();
    }

    @Test
    void showsThePolicyOnlyInTheReasonIfAllNodesAreAlike() throws IOException {
        JsonNode audit = audit(node("cn1", LOCKED, module("drv")));
        assertThat(states(audit)).containsExactly("any blocked");
        assertThat(audit.at("/verdicts/0/reason").asText())
                .isEqualTo("drv: Lockdown: modprobe: unsigned module loading is restricted; see man"
                        + " kernel_lockdown.7");
    }

    @Test
    void trustsAForeignKeyOnlyIfItsCertificateIsGiven() throws IOException {
        String input = node("cn1", LOCKED, OWNER.sign(module("drv")));
        JsonNode refused = audit(input);
        assertThat(states(refused)).containsExactly("any blocked");
        assertThat(refused.at("/verdicts/0/modules/0/errno").asText()).isEqualTo("EPERM");
        assertThat(states(audit(input, "--cert", directory.resolve("owner.der").toString())))
                .containsExactly("any ready");
    }

    @Test
    void isUndeterminedAboutUnknownKeysIfEnrolledKeysAreTrusted() throws IOException {
        String input = node("cn1", LOCKED, OWNER.sign(module("drv")));
        JsonNode audit = audit(input, "--loader", "platform-keys=yes");
        assertThat(states(audit)).containsExactly("any undetermined");
        assertThat(message(audit, 0))
                .isEqualTo("signed by machine owner, KEY, and the signer's key is not built into the kernel,"
                        + " and the keys enrolled on the nodes are not known; give the signer's"
                        + " certificate with --cert");
        String owner = directory.resolve("owner.der").toString();
        assertThat(states(audit(input, "--loader", "platform-keys=yes", "--cert", owner)))
                .containsExactly("any ready");
    }

    @Test
    void isUndeterminedAboutSignaturesWithoutTheKernelsCertificates() throws IOException {
        Files.delete(root.root().resolve("boot/vmlinuz-" + RELEASE));
        text("boot/symvers-" + RELEASE, "0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t\n");
        String input = node("cn1", ENFORCED, BUILD.sign(module("drv")));
        JsonNode audit = audit(input);
        assertThat(states(audit)).containsExactly("any undetermined");
        assertThat(message(audit, 0))
                .isEqualTo("signed by build key, KEY, and the keys that the kernel trusts are not"
                        + " known; give the kernel's image with --kernel, or the signer's certificate with"
                        + " --cert");
        String certificate = directory.resolve("build.der").toString();
        assertThat(states(audit(input, "--cert", certificate))).containsExactly("any ready");
        assertThat(states(audit(node("cn2", ENFORCED, module("drv"))))).containsExactly("any blocked");
    }

    @Test
    void unreportedSignatureIsUndetermined() throws IOException {
        String told = node("cn1", LOCKED, BUILD.sign(module("drv")));
        String silent = told.replaceAll("\"signature\":.*?\"crcs\"", "\"crcs\"");
        assertThat(silent).isNotEqualTo(told);
        JsonNode audit = audit(silent);
        assertThat(states(audit)).containsExactly("any undetermined");
        assertThat(message(audit, 0))
                .isEqualTo("it is not known whether the module is signed; give the module's file with --modules, or"
                        + " collect the inventory again on a node with kmod's modinfo");
        String withoutKey = told.replaceAll(",\"signerKey\":\"[^\"]*\"", "");
        assertThat(withoutKey).isNotEqualTo(told);
        assertThat(states(audit(withoutKey))).containsExactly("any undetermined");
    }

    @Test
    void verifiesSignaturesOfLocalFiles() throws IOException {
        byte[] signed = BUILD.sign(module("drv"));
        byte[] changed = signed.clone();
        changed[changed.length - 60] ^= 1;
        Path files = Files.createDirectory(directory.resolve("files"));
        Files.write(files.resolve("signed.ko"), signed);
        Files.write(files.resolve("changed.ko"), changed);
        Files.write(files.resolve("plain.ko"), module("drv"));
        Files.write(files.resolve("owned.ko"), OWNER.sign(module("drv")));
        String place = files.toString();
        assertThat(states(audit(node("cn1", LOCKED, signed), "--modules", place)))
                .containsExactly("any ready");
        JsonNode wrong = audit(node("cn2", LOCKED, changed), "--modules", place);
        assertThat(states(wrong)).containsExactly("any blocked");
        assertThat(message(wrong, 0))
                .isEqualTo("the file differs from the file that was signed with the key of CN=build key (in"
                        + " /boot/vmlinuz-6.1.0-7-test)");
        assertThat(states(audit(node("cn3", LOCKED, module("drv")), "--modules", place)))
                .containsExactly("any blocked");
        assertThat(states(audit(node("cn4", LOCKED, OWNER.sign(module("drv"))), "--modules", place)))
                .containsExactly("any blocked");
    }

    @Test
    void verifiesTheKernelsOwnModulesToo() throws IOException {
        byte[] provider = builder("provider")
                .exporting("provided", ModuleSpec.Export.Table.NORMAL, 7)
                .build();
        byte[] user = BUILD.sign(builder("drv").importing("provided", 7).build());
        String input = node("cn1", FREE, user) + node("cn2", LOCKED, user);
        String place = "lib/modules/" + RELEASE + "/kernel/provider.ko";
        root.file(place, BUILD.sign(provider));
        assertThat(states(audit(input))).containsExactly("any ready");
        root.file(place, provider);
        assertThat(states(audit(input))).containsExactly("permissive ready", "lockdown blocked");
    }

    @Test
    void refusesUnsignedModulesOnAllNodesOfAnEnforcingKernel() throws IOException {
        text("boot/config-" + RELEASE, "CONFIG_MODULE_SIG=y\nCONFIG_MODULE_SIG_FORCE=y\n");
        JsonNode audit = audit(node("cn1", FREE, module("drv")) + node("cn2", LOCKED, module("drv")));
        assertThat(states(audit)).containsExactly("any blocked");
        assertThat(message(audit, 0)).isEqualTo("Loading of unsigned module is rejected");
    }

    @Test
    void judgesSignaturesOnEachKernelSeparately() throws IOException {
        Path first = Files.write(directory.resolve("vmlinuz-build"), SignedKernels.image(RELEASE, BUILD));
        Path second = Files.write(directory.resolve("vmlinuz-owner"), SignedKernels.image(RELEASE, OWNER));
        String input = node("cn1", LOCKED, BUILD.sign(module("drv"))) + node("cn2", LOCKED, module("x"));
        List<String> words = new ArrayList<>(List.of("audit", "-", "--format", "json", "--jobs", "1"));
        words.addAll(List.of("--root", root.root().toString()));
        words.addAll(List.of("--kernel", first.toString(), "--kernel", second.toString()));
        words.addAll(List.of("--loader", "platform-keys=no"));
        WholeRun run = WholeRun.reading(input.getBytes(StandardCharsets.UTF_8), words.toArray(new String[0]));
        List<String> states = new ArrayList<>();
        for (JsonNode verdict : MAPPER.readTree(run.out()).at("/verdicts")) {
            states.add(
                    verdict.at("/target").asInt() + " " + verdict.at("/fails").asInt());
        }
        assertThat(states).containsExactlyInAnyOrder("0 0", "1 1", "0 1", "1 1");
    }
}
