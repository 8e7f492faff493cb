package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.testing.Browser;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The base class of tests that open audit pages in a browser. {@code -Dweaklink.screenshots=DIR} keeps screenshots. */
abstract class PageInBrowser {
    static final String SETS_SHOWN = "document.querySelector('#matrix .extent').textContent";

    static final String TOO_WIDE =
            "String(document.documentElement.scrollWidth - document.documentElement.clientWidth)";

    private static final int[] WIDTHS = {1600, 1280, 800, 400};

    private static final String KEPT = "weaklink.screenshots";

    @TempDir
    static Path directory;

    private static @Nullable Browser running;
    private static boolean pictured;
    final Browser browser = Objects.requireNonNull(running);

    @BeforeAll
    static void start() throws IOException {
        running = Browser.startOrSkip(directory.resolve("profile"));
    }

    @AfterAll
    static void end() throws IOException {
        if (running != null) {
            running.close();
        }
    }

    @AfterEach
    void requireNoErrorsAndNoRequests() {
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests()).allMatch(address -> address.startsWith("file:///"));
    }

    Path open(AuditReport report) throws IOException {
        Path file = directory.resolve("page.html");
        try (OutputStream out = Files.newOutputStream(file)) {
            AuditPage.write(report, out);
        }
        browser.window(1280, 900);
        browser.media("screen", "light");
        browser.open(file);
        ready(browser);
        return file;
    }

    /** Waits until the page has unpacked and shown its data. */
    static void ready(Browser browser) throws IOException {
        browser.evaluate("new Promise(done => { const look = () => 'ready' in document.body.dataset"
                + " ? done('') : setTimeout(look, 10); look(); })");
    }

    String text(String expression) throws IOException {
        return browser.evaluate(expression).asText();
    }

    String shown(String selector) throws IOException {
        return text("document.querySelector('" + selector + "').innerText");
    }

    /** Takes screenshots of the first screen and the matrix, in windows from wide to the width of a phone. */
    void lookAtEveryWidth(String name) throws IOException {
        for (int width : WIDTHS) {
            browser.window(width, 1200);
            assertThat(text(TOO_WIDE)).as("too wide at %d", width).isEqualTo("0");
            browser.evaluate("scrollTo(0, 0)");
            picture(name + "-" + width);
            browser.evaluate("document.getElementById('matrix').scrollIntoView()");
            picture(name + "-" + width + "-matrix");
        }
    }

    /** Takes a screenshot. If no screenshots are kept, takes only the first one, to test that it works. */
    void picture(String name) throws IOException {
        if (pictured && System.getProperty(KEPT) == null) {
            return;
        }
        pictured = true;
        byte[] picture = browser.screenshot();
        assertThat(picture).startsWith(0x89, 'P', 'N', 'G');
        keep(name + ".png", picture);
    }

    static void keep(String name, byte[] content) throws IOException {
        String kept = System.getProperty(KEPT);
        if (kept != null) {
            Path place = Files.createDirectories(Path.of(kept));
            Files.write(place.resolve(name), content);
        }
    }
}
