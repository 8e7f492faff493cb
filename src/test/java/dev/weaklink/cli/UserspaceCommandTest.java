package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code check --userspace}. */
class UserspaceCommandTest {
    private static final Path BUILT = Path.of("test-fixtures/userspace");

    /** An inventory as weaklink-collect alone reports it. */
    private static final String UNSEEN =
            "{\"schema\":\"weaklink.node/1\",\"node\":\"cn2\",\"kernels\":[],\"modules\":[]}\n";

    @TempDir
    Path root;

    @BeforeEach
    void libraries() throws IOException {
        Files.createDirectories(root.resolve("usr/lib64/libibverbs"));
        Files.createDirectories(root.resolve("etc/libibverbs.d"));
        Files.copy(BUILT.resolve("verbs-34.so"), root.resolve("usr/lib64/libibverbs.so.1"));
        provider("wl", "wl-34.so");
    }

    private void provider(String name, String built) throws IOException {
        Files.copy(BUILT.resolve(built), root.resolve("usr/lib64/libibverbs/lib" + name + "-rdmav34.so"));
        Files.writeString(root.resolve("etc/libibverbs.d/" + name + ".driver"), "driver " + name);
    }

    private WholeRun verify(String... words) {
        String[] all = new String[words.length + 4];
        System.arraycopy(new String[] {"check", "--userspace", "--root", root.toString()}, 0, all, 0, 4);
        System.arraycopy(words, 0, all, 4, words.length);
        return WholeRun.of(all);
    }

    @Test
    void listsFittingProviders() {
        WholeRun run = verify();

        assertThat(run.out()).isEqualTo("""
            RDMA libraries in ROOT: /usr/lib64/libibverbs.so.1, IBVERBS_PRIVATE_34
              1 provider loadable: wl
            """.replace("ROOT", root.toString()));
        assertThat(run.status()).isZero();
    }

    @Test
    void groupsProvidersByReason() throws IOException {
        Files.delete(root.resolve("usr/lib64/libibverbs.so.1"));
        Files.copy(BUILT.resolve("verbs-65.so"), root.resolve("usr/lib64/libibverbs.so.1"));
        Files.createDirectories(root.resolve("var/lib/dpkg/info"));
        Files.writeString(
                root.resolve("var/lib/dpkg/info/ibverbs-providers.list"),
                "/etc/libibverbs.d/wl.driver\n/usr/lib64/libibverbs/libwl-rdmav34.so\n");
        Files.writeString(root.resolve("var/lib/dpkg/status"), "Package: ibverbs-providers\nVersion: 44.0-2\n");

        WholeRun run = verify();

        assertThat(run.out()).isEqualTo("""
            RDMA libraries in ROOT: /usr/lib64/libibverbs.so.1, IBVERBS_PRIVATE_65

            FAILS    userspace.provider-missing  wl
              /etc/libibverbs.d/wl.driver names it; libwl-rdmav65.so does not exist
              Packages: ibverbs-providers 44.0-2
              To do: install the providers of the same version as libibverbs, or remove the
                .driver file

            WARNING  userspace.provider-left-over  /usr/lib64/libibverbs/libwl-rdmav34.so
              libibverbs loads lib*-rdmav65.so
              Packages: ibverbs-providers 44.0-2
              To do: remove the provider's package, or its file if no package owns it
            """.replace("ROOT", root.toString()));
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void verifiesNothingWithoutLibraries() throws IOException {
        Files.delete(root.resolve("usr/lib64/libibverbs.so.1"));

        WholeRun run = verify();

        assertThat(run.out()).isEqualTo("RDMA libraries in " + root + ": libibverbs is not installed\n");
        assertThat(run.status()).isEqualTo(3);
    }

    @Test
    void writesAnObjectThatMatchesItsSchema() throws IOException {
        provider("x", "wl-34-newer.so");

        WholeRun run = verify("--format", "json");

        assertThat(Schemas.problems(run.out())).isEmpty();
        JsonNode object = new ObjectMapper().readTree(run.out());
        assertThat(object.at("/findings/0/id").asText()).isEqualTo("userspace.symbol-missing");
        assertThat(object.at("/providers/0").asText()).isEqualTo("wl");
        assertThat(run.status()).isEqualTo(1);
    }

    @Test
    void auditPrintsTheLibrariesThatNodesReport() throws IOException {
        provider("x", "wl-34-newer.so");
        Files.createDirectories(root.resolve("lib/modules"));
        WholeRun node = WholeRun.of("inventory", "--root", root.toString(), "--name", "cn1");
        Path nodes = Files.writeString(root.resolve("nodes"), node.out() + UNSEEN);

        WholeRun table = WholeRun.of("audit", nodes.toString());
        assertThat(table).isEqualTo(new WholeRun(1, """
                RDMA libraries checked on 1 of 2 nodes: cn1
                  FAILS    userspace.symbol-missing on cn1:
                    x: a provider or its library needs a symbol that none of the loaded libraries defines (/usr/lib64/libibverbs/libx-rdmav34.so: undefined symbol: ibv_cmd_create_cq_ex2, version IBVERBS_PRIVATE_34)
                    To do: install libibverbs and its providers from one build of rdma-core

                2 nodes in 0 groups
                """, ""));
        WholeRun json = WholeRun.of("audit", nodes.toString(), "--format", "json");
        assertThat(Schemas.problems(json.out())).isEmpty();
        assertThat(new ObjectMapper()
                        .readTree(json.out())
                        .at("/userspace/checked")
                        .asText())
                .isEqualTo("cn1");
        WholeRun broken = WholeRun.of("audit", nodes.toString(), "--print-nodes", "broken");
        assertThat(broken.out()).isEqualTo("cn1\n");
    }

    @Test
    void auditIsSilentWithoutLibraries() throws IOException {
        Path nodes = Files.writeString(root.resolve("nodes"), UNSEEN);
        assertThat(WholeRun.of("audit", nodes.toString())).isEqualTo(new WholeRun(0, "1 node in 0 groups\n", ""));
        assertThat(WholeRun.of("audit", nodes.toString(), "--format", "json").out())
                .doesNotContain("userspace");
    }

    @Test
    void acceptsNoModulesKernelsOrOtherFormats() {
        assertThat(verify("mlx5_ib").status()).isEqualTo(2);
        assertThat(verify("--kernel", "6.1.0").status()).isEqualTo(2);
        assertThat(verify("--format", "junit")).isEqualTo(new WholeRun(2, "", """
                weaklink: --userspace takes --format table or json
                Try: weaklink check --help
                """));
    }
}
