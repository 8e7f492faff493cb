package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the program and the kernel hooks, which read the same file, know the same keys and words. */
class SiteSettingsTest {
    private static final Path DIST = Path.of("src/main/dist");

    @TempDir
    Path directory;

    @Test
    void acceptsEveryLineOfTheShippedFile() throws Exception {
        String shipped = Files.readString(DIST.resolve("etc/weaklink/weaklink.conf"));
        String lines = shipped.replaceAll("(?m)^#(?=[a-z-]+ = )", "");
        Path file = Files.writeString(directory.resolve("conf"), lines);
        Map<String, String> environment = Map.of(SiteSettings.VARIABLE, file.toString());
        assertThat(SiteSettings.read(Root.of(directory), environment).install()).isTrue();
        assertThat(lines.lines().filter(line -> line.contains(" = "))).anyMatch(line -> line.startsWith("gate = "));
    }

    @Test
    void acceptsTheWordsThatTheHooksAccept() throws IOException {
        String hook = Files.readString(DIST.resolve("kernel-hook"));
        String reading = hook.substring(hook.indexOf("read_config()"), hook.indexOf("ignored()"));
        SortedMap<String, TreeSet<String>> taken = new TreeMap<>();
        Matcher pattern =
                Pattern.compile("\\b([a-z][a-z-]*)=([a-z]+)(?= \\||\\))").matcher(reading);
        while (pattern.find()) {
            taken.computeIfAbsent(pattern.group(1), key -> new TreeSet<>()).add(pattern.group(2));
        }
        SortedMap<String, TreeSet<String>> known = new TreeMap<>();
        for (String key : List.of("gate", "hold", "hooks", "hooks-initramfs", "rebuild")) {
            known.put(key, new TreeSet<>(SiteSettings.KEYS.getOrDefault(key, List.of())));
        }
        assertThat(taken).isEqualTo(known);
    }
}
