package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ManPagesTest {
    private static final Path DIRECTORY = Path.of("man");
    private static final String RENEW = "renew-man";

    /** The page that is written by hand. */
    private static final String GLOSSARY = "weaklink.7";

    /** Compares the pages with the files. With the property, writes the files instead. */
    @Test
    void pagesMatchTheCommands() throws IOException {
        for (Map.Entry<String, String> page : ManPages.all().entrySet()) {
            Path file = DIRECTORY.resolve(page.getKey());
            if (System.getProperty(RENEW) != null) {
                Files.createDirectories(DIRECTORY);
                Files.writeString(file, page.getValue());
            }
            assertThat(file)
                    .as("stale; renew it: mvn test -Dtest=ManPagesTest -D" + RENEW)
                    .content()
                    .isEqualTo(page.getValue());
        }
    }

    @Test
    void keepsNoPageOfARemovedCommand() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals(GLOSSARY))
                    .toList();
            assertThat(ManPages.all()).containsOnlyKeys(names);
        }
    }

    @Test
    void writesTheUsualSectionsOfEveryPage() {
        ManPages.all().forEach((name, page) -> {
            assertThat(page).as(name).contains(".SH NAME\n", ".SH DESCRIPTION\n", ".SH SEE ALSO\n");
            if (name.endsWith(".1")) {
                assertThat(page)
                        .as(name)
                        .contains(".SH SYNOPSIS\n", ".SH OPTIONS\n", ".SH EXIT STATUS\n", ".SH EXAMPLES\n");
            }
        });
    }

    @Test
    void escapesTextLinesThatLookLikeRoffRequests() {
        assertThat(new Roff().text(".ko files").text("'quoted' \\n -x").toString())
                .isEqualTo("\\&.ko files\n\\&'quoted' \\en \\-x\n");
    }
}
