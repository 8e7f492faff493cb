package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.ReloadForecast.LoadedModule;
import dev.weaklink.rebuild.ReloadForecast.Usage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReloadForecastTest {
    private static final Usage NOBODY = new Usage(List.of(), List.of(), List.of(), 0);

    private static LoadedModule loaded(String name, String srcversion, String buildId, int uses) {
        return new LoadedModule(name, srcversion, buildId, uses, List.of());
    }

    private static BuiltModule installed(String name, String srcversion, String buildId) {
        return new BuiltModule(name, "", "/x/" + name, "", srcversion, buildId, List.of(), false);
    }

    private static ReloadForecast of(List<LoadedModule> loaded, List<BuiltModule> installed, String... gone) {
        return ReloadForecast.of(loaded, installed, Set.of(gone), Map.of(), NOBODY);
    }

    @ParameterizedTest
    @CsvSource({
        "AA, 01, AA, 01, same",
        // built again from the same source
        "AA, 01, AA, 02, stale",
        // equal build-ids matter more than different srcversions
        "AA, 01, BB, 01, same",
        "AA, '', AA, 01, same",
        "AA, '', BB, 02, stale",
        "AA, '', '', 01, unproven",
        "'', '', '', '', unproven",
    })
    void comparesBuildIdsAndElseSrcversions(
            String source, String build, String fileSource, String fileBuild, String expected) {
        ReloadForecast forecast =
                of(List.of(loaded("m", source, build, 0)), List.of(installed("m", fileSource, fileBuild)));
        assertThat(forecast.stale()).hasSize(expected.equals("stale") ? 1 : 0);
        assertThat(forecast.unproven()).hasSize(expected.equals("unproven") ? 1 : 0);
        assertThat(forecast.loaded()).isEqualTo(1);
    }

    @Test
    void comparesOnlyLoadedModules() {
        ReloadForecast forecast = of(List.of(), List.of(installed("m", "AA", "01")));
        assertThat(forecast.loaded()).isZero();
        assertThat(forecast.isOutdated()).isFalse();
    }

    @Test
    void countsBusyModulesThatCannotBeComparedAsObstacles() {
        ReloadForecast forecast = of(
                List.of(loaded("a", "AA", "", 0), loaded("b", "", "", 2)),
                List.of(installed("a", "BB", ""), installed("b", "", "")));
        assertThat(forecast.hindrances()).containsExactly("b is in use");
    }

    @Test
    void cannotReloadRemovedModules() {
        ReloadForecast forecast = of(List.of(loaded("gone", "AA", "", 0)), List.of(), "gone");
        assertThat(forecast.isOutdated()).isTrue();
        assertThat(forecast.canReload()).isFalse();
    }
}
