package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A headless Chromium, driven over the Chrome DevTools Protocol. Keys and clicks take the same path as those of a
 * person. The browser records the messages, errors and requests of pages.
 */
public final class Browser implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final String LISTENING = "DevTools listening on ws://";
    private static final int SECONDS = 60;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Map<String, Integer> KEY_CODES = Map.ofEntries(
            Map.entry("Tab", 9),
            Map.entry("Enter", 13),
            Map.entry("Escape", 27),
            Map.entry("PageUp", 33),
            Map.entry("PageDown", 34),
            Map.entry("End", 35),
            Map.entry("Home", 36),
            Map.entry("ArrowLeft", 37),
            Map.entry("ArrowUp", 38),
            Map.entry("ArrowRight", 39),
            Map.entry("ArrowDown", 40));

    private final Path profile;
    private final Process process;
    private final DevTools tools;

    /** Starts a browser with its own profile; skips the running JUnit test if no browser is installed. */
    public static Browser startOrSkip(Path profile) throws IOException {
        List<String> found = NAMES.stream()
                .filter(name -> ExternalTool.find(name).isPresent())
                .limit(1)
                .toList();
        assumeTrue(!found.isEmpty(), "chromium is not installed");
        return new Browser(found.get(0), profile);
    }

    private Browser(String program, Path profile) throws IOException {
        this.profile = profile;
        ProcessBuilder builder = new ProcessBuilder(command(program, profile)).redirectErrorStream(true);
        builder.environment().put("TMPDIR", Files.createDirectories(profile).toString());
        process = builder.start();
        try {
            tools = DevTools.connect(address(process.inputReader(StandardCharsets.UTF_8)));
        } catch (IOException | RuntimeException | Error e) {
            process.destroy();
            throw e;
        }
    }

    private static List<String> command(String program, Path profile) {
        return Stream.concat(
                        Stream.of(program, "--headless=new", "--remote-debugging-port=0", "--hide-scrollbars"),
                        Stream.of(
                                "--no-sandbox", // root may not use it
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--user-data-dir=" + profile))
                .toList();
    }

    /** Returns host and port once the browser prints them, and discards all later output. */
    private static String address(BufferedReader output) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(LISTENING)) {
                Thread reader = new Thread(() -> output.lines().forEach(ignored -> {}));
                reader.setDaemon(true);
                reader.start();
                return line.substring(LISTENING.length(), line.indexOf('/', LISTENING.length()));
            }
        }
        throw new IOException("the browser ended before it listened");
    }

    /** Opens a file, and waits until it is loaded. */
    public void open(Path file) throws IOException {
        tools.navigate(file.toUri());
    }

    /** Returns the value of an expression as JSON; waits for the result if the value is a promise. */
    public JsonNode evaluate(String expression) throws IOException {
        JsonNode result = tools.call(
                "Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        assertThat(result.get("exceptionDetails")).as("%s", expression).isNull();
        return result.get("result").path("value");
    }

    /**
     * Presses keys one after the other.
     *
     * @param keys names as in KeyboardEvent.key, optionally with the prefix "Shift+" or "Ctrl+"
     */
    public void press(String... keys) throws IOException {
        for (String key : keys) {
            String name = key.substring(key.indexOf('+') + 1);
            int modifiers = key.startsWith("Ctrl+") ? 2 : key.startsWith("Shift+") ? 8 : 0;
            ObjectNode event = MAPPER.createObjectNode();
            event.put("key", name).put("code", name).put("modifiers", modifiers);
            int code = KEY_CODES.containsKey(name) ? KEY_CODES.get(name) : name.charAt(0);
            event.put("windowsVirtualKeyCode", code);
            if (name.equals("Enter") || name.length() == 1) {
                event.put("text", name.length() == 1 ? name : "\r");
            }
            tools.call("Input.dispatchKeyEvent", event.put("type", "keyDown"));
            event.remove("text");
            tools.call("Input.dispatchKeyEvent", event.put("type", "keyUp"));
        }
        frame();
    }

    /** Types into the focused element. */
    public void type(String text) throws IOException {
        tools.call("Input.insertText", Map.of("text", text));
        frame();
    }

    /** Scrolls the element into view and clicks its middle. */
    public void click(String selector) throws IOException {
        JsonNode place = evaluate("(() => { const e = document.querySelector("
                + MAPPER.writeValueAsString(selector)
                + "); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                + " return [r.x + r.width / 2, r.y + r.height / 2]; })()");
        for (String type : List.of("mousePressed", "mouseReleased")) {
            tools.call(
                    "Input.dispatchMouseEvent",
                    Map.of("type", type, "x", place.get(0), "y", place.get(1), "button", "left", "clickCount", 1));
        }
        frame();
    }

    /** Waits until the page is painted again. */
    private void frame() throws IOException {
        evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
    }

    /** Sets the size of the viewport in CSS pixels. */
    public void window(int width, int height) throws IOException {
        tools.call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Permits pages to write to the clipboard and to read from it. */
    public void allowClipboard() throws IOException {
        tools.call(
                "Browser.grantPermissions",
                Map.of("permissions", List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
    }

    /** Sets the media type and the color scheme that media queries see. */
    public void media(String media, String scheme) throws IOException {
        List<Map<String, String>> features = List.of(Map.of("name", "prefers-color-scheme", "value", scheme));
        tools.call("Emulation.setEmulatedMedia", Map.of("media", media, "features", features));
    }

    /** Returns a screenshot of the viewport as PNG. */
    public byte[] screenshot() throws IOException {
        return bytes(tools.call("Page.captureScreenshot", Map.of("format", "png")));
    }

    /** Returns the page as an A4 PDF. */
    public byte[] pdf() throws IOException {
        return bytes(tools.call(
                "Page.printToPDF", Map.of("printBackground", true, "paperWidth", 8.27, "paperHeight", 11.69)));
    }

    /** Returns the errors that pages have logged. */
    public List<String> complaints() {
        return tools.complaints();
    }

    /** Returns the addresses that pages have requested. */
    public List<String> requests() {
        return tools.requests();
    }

    private static byte[] bytes(JsonNode answer) {
        return Base64.getDecoder().decode(answer.get("data").asText());
    }

    /**
     * Ends the browser and its child processes, and deletes the profile. The processes end one by one and may still
     * write into the profile, so the deletion is repeated.
     */
    @Override
    public void close() throws IOException {
        tools.close();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (!deleted(profile)) {
                if (System.nanoTime() > deadline) {
                    throw new IOException("the browser still writes into " + profile);
                }
                Thread.sleep(50);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the browser ends", e);
        }
    }

    /** Deletes the directory; returns false if a file appeared or disappeared meanwhile. */
    private static boolean deleted(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
            return true;
        } catch (DirectoryNotEmptyException | NoSuchFileException | UncheckedIOException e) {
            return Files.notExists(directory);
        }
    }
}
