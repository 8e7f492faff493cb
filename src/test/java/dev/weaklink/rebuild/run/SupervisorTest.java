package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.run.Supervisor.How;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupervisorTest {
    @TempDir
    Path work;

    @Test
    void givesEachBuildTheWholeTimeLimit() throws IOException {
        ExternalTool.orSkip("setsid");
        Supervisor supervisor = new Supervisor(work.toString(), Duration.ofSeconds(2));

        assertThat(sleep("1.2", supervisor)).isEqualTo(How.BY_ITSELF);
        assertThat(sleep("1.2", supervisor)).isEqualTo(How.BY_ITSELF);
        assertThat(sleep("60", supervisor)).isEqualTo(How.TIME_LIMIT);
    }

    private How sleep(String seconds, Supervisor supervisor) throws IOException {
        Step step = new Step("sleeping", List.of("sleep", seconds), Map.of(), null);
        LogWriter log = new LogWriter(OutputStream.nullOutputStream(), line -> {});
        return supervisor
                .run(step, work, Map.of("PATH", System.getenv("PATH")), log)
                .how();
    }
}
