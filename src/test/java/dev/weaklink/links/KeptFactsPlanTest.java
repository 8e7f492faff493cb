package dev.weaklink.links;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.links.report.PlanJson;
import dev.weaklink.status.StatusText;
import dev.weaklink.status.SystemStatus;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares plans and audits with and without cached facts of modules. */
class KeptFactsPlanTest {
    private static final String OLD = "5.14.0-1.el9";
    private static final String NEW = "5.14.0-2.el9";
    private static final int MANY = 60;
    private static final long HOUR = 3_600_000_000_000L;

    @TempDir
    Path directory;

    private Path cache;
    private TreeBuilder image;

    @BeforeEach
    void installModules() throws IOException {
        cache = directory.resolve("cache");
        image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
        install(OLD);
        install(NEW);
        for (int i = 0; i < MANY; i++) {
            image.module(OLD, "extra/demo/m" + i + ".ko", module("m" + i, i == 7 ? 6 : 5));
        }
        image.weakLink(NEW, "weak-updates/demo/m7.ko", OLD, "extra/demo/m7.ko");
    }

    private void install(String release) {
        image.module(release, "kernel/own.ko", module("own", 5))
                .symvers(
                        SymversPlace.MODULES_XZ,
                        release,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5));
    }

    private static ModuleBuilder module(String name, int printk) {
        return ModuleBuilder.typical(Machine.X86_64, name).importing("_printk", printk);
    }

    /** Returns a cache whose clock is an hour ahead, so that every file is old enough to be cached. */
    private FactsCache cache() throws IOException {
        int user = (int) Files.getAttribute(directory, "unix:uid");
        long later = System.currentTimeMillis() * 1_000_000 + HOUR;
        return FactsCache.in(cache, user, 1, () -> later);
    }

    private PlanRequest request(FactsCache facts) {
        return new PlanRequest(image.root(), List.of(), new ReadOptions(2, facts));
    }

    private String planAndAudit(FactsCache facts) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PlanResult plan = new LinkManager().plan(request(facts));
        PlanJson.write(plan.plan(), List.of(), plan.problems(), out);
        LinkDefects audit = new LinkManager().audit(request(facts));
        StatusText.write(
                new SystemStatus(
                        audit, null, List.of(), null, List.of(), List.of(), List.of(), audit.problems(), Set.of()),
                out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void plansTheSameWithoutCacheAndWithAnEmptyOrFullCache() throws IOException {
        String fresh = planAndAudit(FactsCache.NONE);
        assertThat(fresh).contains("\"link\":" + (MANY - 1)).contains("disagrees about version");

        FactsCache empty = cache();
        assertThat(planAndAudit(empty)).isEqualTo(fresh);
        empty.save();
        assertThat(cache).isNotEmptyDirectory();

        assertThat(planAndAudit(cache())).isEqualTo(fresh);
    }

    @Test
    void readsARebuiltModuleAgain() throws IOException {
        FactsCache empty = cache();
        planAndAudit(empty);
        empty.save();

        image.module(OLD, "extra/demo/m7.ko", module("m7", 5));

        assertThat(planAndAudit(cache()))
                .isEqualTo(planAndAudit(FactsCache.NONE))
                .doesNotContain("disagrees about version");
    }

    @Test
    void writesNothingUnlessRequested() throws IOException {
        planAndAudit(cache());

        assertThat(cache).doesNotExist();
    }
}
