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
 * Chromium without a window, driven over the Chrome DevTools Protocol: keys and clicks go the way they go for people.
 * What a page logs, throws and asks for is kept.
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

    /** Starts one with a profile of its own; skips the running JUnit test if there is none. */
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

    /** Host and port, once it says so; all it says afterwards is read and dropped. */
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

    /** Shows a file, and waits until it is loaded. */
    public void open(Path file) throws IOException {
        tools.navigate(file.toUri());
    }

    /** What an expression is, or what a promise comes to, as JSON. */
    public JsonNode evaluate(String expression) throws IOException {
        JsonNode result = tools.call(
                "Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        assertThat(result.get("exceptionDetails")).as("%s", expression).isNull();
        return result.get("result").path("value");
    }

    /** Presses keys one after another: names as in KeyboardEvent.key; "Shift+" and "Ctrl+" before. */
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

    /** Types into what has the focus. */
    public void type(String text) throws IOException {
        tools.call("Input.insertText", Map.of("text", text));
        frame();
    }

    /** Clicks into the middle of the element, which is scrolled into view. */
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

    /** Waits until what was done is on the screen. */
    private void frame() throws IOException {
        evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
    }

    /** The size of what is looked at, in CSS pixels. */
    public void window(int width, int height) throws IOException {
        tools.call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Lets pages write to the clipboard and read from it. */
    public void allowClipboard() throws IOException {
        tools.call(
                "Browser.grantPermissions",
                Map.of("permissions", List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
    }

    /** What media queries say. */
    public void media(String media, String scheme) throws IOException {
        List<Map<String, String>> features = List.of(Map.of("name", "prefers-color-scheme", "value", scheme));
        tools.call("Emulation.setEmulatedMedia", Map.of("media", media, "features", features));
    }

    /** What is in the window, as PNG. */
    public byte[] screenshot() throws IOException {
        return bytes(tools.call("Page.captureScreenshot", Map.of("format", "png")));
    }

    /** The page on paper, A4. */
    public byte[] pdf() throws IOException {
        return bytes(tools.call(
                "Page.printToPDF", Map.of("printBackground", true, "paperWidth", 8.27, "paperHeight", 11.69)));
    }

    /** Errors and refusals the pages have logged. */
    public List<String> complaints() {
        return tools.complaints();
    }

    /** The addresses the pages have asked for. */
    public List<String> requests() {
        return tools.requests();
    }

    private static byte[] bytes(JsonNode answer) {
        return Base64.getDecoder().decode(answer.get("data").asText());
    }

    /**
     * Ends the browser with the processes it has started, and deletes the profile: they die one by one, and those that
     * are left still write into it.
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

    /** Deletes what is there; whether nothing has come or gone meanwhile. */
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
