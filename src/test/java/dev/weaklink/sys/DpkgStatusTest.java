package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class DpkgStatusTest {
    private static String stanza(String name, String status) {
        return "Package: " + name + "\nStatus: " + status + "\nVersion: 1-" + name + "\n\n";
    }

    @Test
    void returnsInstalledPackagesRegardlessOfTheirSelection() {
        String status = stanza("wanted", "install ok installed")
                + stanza("held", "hold ok installed")
                + stanza("removed", "deinstall ok config-files")
                + stanza("half", "install reinstreq half-installed")
                + stanza("unpacked", "install ok unpacked");

        assertThat(DpkgStatus.installed(status))
                .containsExactly(Map.entry("wanted", "1-wanted"), Map.entry("held", "1-held"));
    }
}
