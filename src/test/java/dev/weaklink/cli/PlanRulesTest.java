package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.system.InstalledRpm;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The effects of rpm packages on plans. Other plans are in test-fixtures/cases/plan. */
class PlanRulesTest {
    private static final String OLD = "5.14.0-1.el9";
    private static final String MIDDLE = "5.14.0-2.el9";
    private static final String NEW = "5.14.0-3.el9";

    @TempDir
    Path directory;

    private TreeBuilder image;

    @BeforeEach
    void installKernels() throws IOException {
        image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
        image.depmodConfig("dist.conf", "search updates extra weak-updates built-in");
        for (String release : List.of(OLD, MIDDLE, NEW)) {
            image.module(release, "kernel/own.ko", built("own", release))
                    .symvers(
                            SymversPlace.MODULES_XZ,
                            release,
                            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                    .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                    .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5));
        }
    }

    private static ModuleBuilder built(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    private void fitting(String release, String place) {
        image.module(release, place, built(name(place), release).importing("_printk", 5));
    }

    private void refused(String release, String place) {
        image.module(release, place, built(name(place), release).importing("_printk", 6));
    }

    private static String name(String place) {
        return place.substring(place.lastIndexOf('/') + 1, place.indexOf(".ko"));
    }

    private void rules(String yaml) {
        image.file("etc/weaklink/site.yaml", yaml.getBytes(StandardCharsets.UTF_8));
    }

    private WholeRun plan(String... more) {
        List<String> words =
                new ArrayList<>(List.of("plan", "--root", image.root().toString()));
        words.addAll(List.of(more));
        return WholeRun.of(words.toArray(new String[0]));
    }

    /** Returns the modules in the plan for the newest kernel, by name. */
    private Map<String, JsonNode> modules() throws IOException {
        WholeRun run = plan("--kernel", NEW, "--format", "json");
        assertThat(Schemas.problems(run.out())).isEmpty();
        Map<String, JsonNode> modules = new TreeMap<>();
        for (JsonNode module :
                new ObjectMapper().readTree(run.out()).get("kernels").get(0).get("modules")) {
            modules.put(module.get("module").asText(), module);
        }
        return modules;
    }

    /** Returns the action of each module by its name. */
    private Map<String, String> actions() throws IOException {
        Map<String, String> actions = new TreeMap<>();
        modules()
                .forEach(
                        (name, module) -> actions.put(name, module.get("action").asText()));
        return actions;
    }

    @Test
    void groupsModulesOfOnePackageAcrossDirectories() throws IOException {
        fitting(OLD, "extra/x/a.ko");
        refused(OLD, "extra/y/b.ko");
        fitting(OLD, "extra/x/c.ko");
        String base = "/lib/modules/" + OLD + "/extra/";
        InstalledRpm.of("kmod-two", "1.0", List.of(base + "x/a.ko", base + "y/b.ko"), image.root(), directory);
        rules("products: [{id: two, title: Two, all-or-nothing: yes, recognise: {packages: kmod-two}}]\n");

        assertThat(actions())
                .containsExactly(Map.entry("a", "rebuild"), Map.entry("b", "rebuild"), Map.entry("c", "link"));
        assertThat(modules().get("a").get("unit").asText()).isEqualTo("kmod-two");
        assertThat(modules().get("c").get("unit").asText()).isEqualTo("extra/x");
        assertThat(plan("--kernel", NEW).at(directory)).isEqualTo(new WholeRun(1, """
                5.14.0-3.el9 (boots next)
                  REBUILD NEEDED  2 modules of kmod-two (two)
                    b: would be refused, _printk has changed
                    a: rebuild, other modules of this product cannot be linked:
                      /lib/modules/5.14.0-1.el9/extra/y/b.ko
                  CAN BE LINKED  1 module of extra/x
                    link the build for 5.14.0-1.el9: c

                REBUILD for 5.14.0-3.el9: 2 modules of kmod-two
                  by: unknown, weaklink does not know how these modules are built; describe it
                    in /etc/weaklink/local.yaml, see weaklink-rules(1)

                1 link to make, 2 modules to rebuild.
                Next: weaklink apply --kernel 5.14.0-3.el9 --root DIR/image
                Then: nothing on this machine can rebuild a and b; get a build for 5.14.0-3.el9
                  from the vendor, or stay with 5.14.0-1.el9
                """, ""));
    }

    @Test
    void usesDirectoriesIfTheRpmDatabaseIsUnreadable() throws IOException {
        fitting(OLD, "extra/demo/a.ko");
        image.weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
        image.modulesDep(NEW, "weak-updates/demo/a.ko");
        image.file("var/lib/rpm/rpmdb.sqlite", new byte[5000]);
        WholeRun run = plan("--kernel", NEW);
        assertThat(run.messages()).hasSize(1);
        assertThat(run.messages().get(0))
                .startsWith("rpm database: rpm ")
                .endsWith("; modules are grouped by directory, not by package");
        assertThat(run.status()).isEqualTo(3);
        assertThat(run.out()).isEqualTo("""
            5.14.0-3.el9 (boots next)
              LINKED  1 module of extra/demo

            Not everything could be read; 1 module as it should be.
            """);
    }
}
