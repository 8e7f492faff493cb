package dev.weaklink.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the systemd units have time limits and no unneeded privileges. */
class InstalledUnitsTest {
    private static final Path UNITS = Path.of("src/main/dist/systemd");

    @Test
    void limitsEveryServiceAndItsPrivileges() throws IOException {
        List<Path> services;
        try (Stream<Path> files = Files.list(UNITS)) {
            services =
                    files.filter(file -> file.toString().endsWith(".service")).toList();
        }
        assertThat(services)
                .hasSizeGreaterThan(1)
                .allSatisfy(service -> assertThat(Files.readAllLines(service))
                        .anyMatch(line -> line.startsWith("TimeoutStartSec="))
                        .contains("NoNewPrivileges=yes", "PrivateTmp=yes"));
    }

    @Test
    void restrictsTheStatusServicesWrites() throws IOException {
        ExternalTool analyze = ExternalTool.orSkip("systemd-analyze");
        String said = analyze.run(
                "security",
                "--offline=yes",
                "--threshold=45",
                UNITS.resolve("weaklink-status.service").toString());
        assertThat(said).contains("OK");
    }
}
