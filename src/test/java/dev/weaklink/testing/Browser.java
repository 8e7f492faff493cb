package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chromium without a window, driven over the Chrome DevTools Protocol: keys and clicks go the way
 * they go for people. What a page logs, throws and asks for is kept.
 */
public final class Browser implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");
  private static final String LISTENING = "DevTools listening on ws://";
  private static final int SECONDS = 60;
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Map<String, Integer> KEY_CODES =
      Map.ofEntries(
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

  private final Process process;
  private final WebSocket socket;
  private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
  private final BlockingQueue<JsonNode> loads = new LinkedBlockingQueue<>();
  private final List<String> complaints = new ArrayList<>();
  private final List<String> requests = new ArrayList<>();
  private int sent;

  /** Starts one with a profile of its own; skips the running JUnit test if there is none. */
  public static Browser startOrSkip(Path profile) throws IOException {
    List<String> found =
        NAMES.stream().filter(name -> ExternalTool.find(name).isPresent()).limit(1).toList();
    assumeTrue(!found.isEmpty(), "chromium is not installed");
    return new Browser(found.get(0), profile);
  }

  private Browser(String program, Path profile) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command(program, profile)).redirectErrorStream(true);
    builder.environment().put("TMPDIR", Files.createDirectories(profile).toString());
    process = builder.start();
    HttpClient http = HttpClient.newHttpClient();
    try {
      String address = address(process.inputReader(StandardCharsets.UTF_8));
      HttpRequest open =
          HttpRequest.newBuilder(URI.create("http://" + address + "/json/new?about:blank"))
              .PUT(HttpRequest.BodyPublishers.noBody())
              .build();
      JsonNode page = MAPPER.readTree(http.send(open, BodyHandlers.ofString()).body());
      URI pageSocket = URI.create(page.get("webSocketDebuggerUrl").asText());
      socket = http.newWebSocketBuilder().buildAsync(pageSocket, new Listener()).join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while starting " + program, e);
    }
    for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
      call(domain + ".enable", Map.of());
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
    loads.clear();
    call("Page.navigate", Map.of("url", file.toUri().toString()));
    take(loads);
  }

  /** What an expression is, or what a promise comes to, as JSON. */
  public JsonNode evaluate(String expression) throws IOException {
    JsonNode result =
        call(
            "Runtime.evaluate",
            Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
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
      call("Input.dispatchKeyEvent", event.put("type", "keyDown"));
      event.remove("text");
      call("Input.dispatchKeyEvent", event.put("type", "keyUp"));
    }
    frame();
  }

  /** Types into what has the focus. */
  public void type(String text) throws IOException {
    call("Input.insertText", Map.of("text", text));
    frame();
  }

  /** Clicks into the middle of the element, which is scrolled into view. */
  public void click(String selector) throws IOException {
    JsonNode place =
        evaluate(
            "(() => { const e = document.querySelector("
                + MAPPER.writeValueAsString(selector)
                + "); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                + " return [r.x + r.width / 2, r.y + r.height / 2]; })()");
    for (String type : List.of("mousePressed", "mouseReleased")) {
      call(
          "Input.dispatchMouseEvent",
          Map.of(
              "type",
              type,
              "x",
              place.get(0),
              "y",
              place.get(1),
              "button",
              "left",
              "clickCount",
              1));
    }
    frame();
  }

  /** Waits until what was done is on the screen. */
  private void frame() throws IOException {
    evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))");
  }

  /** The size of what is looked at, in CSS pixels. */
  public void window(int width, int height) throws IOException {
    call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** What media queries say. */
  public void media(String media, String scheme) throws IOException {
    List<Map<String, String>> features =
        List.of(Map.of("name", "prefers-color-scheme", "value", scheme));
    call("Emulation.setEmulatedMedia", Map.of("media", media, "features", features));
  }

  /** What is in the window, as PNG. */
  public byte[] screenshot() throws IOException {
    return bytes(call("Page.captureScreenshot", Map.of("format", "png")));
  }

  /** The page on paper, A4. */
  public byte[] pdf() throws IOException {
    return bytes(
        call(
            "Page.printToPDF",
            Map.of("printBackground", true, "paperWidth", 8.27, "paperHeight", 11.69)));
  }

  /** Errors and refusals the pages have logged. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  /** The addresses the pages have asked for. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  private static byte[] bytes(JsonNode answer) {
    return Base64.getDecoder().decode(answer.get("data").asText());
  }

  private JsonNode call(String method, Object parameters) throws IOException {
    int id = ++sent;
    ObjectNode message = MAPPER.createObjectNode().put("id", id).put("method", method);
    message.set("params", MAPPER.valueToTree(parameters));
    socket.sendText(message.toString(), true).join();
    JsonNode answer = take(answers);
    assertThat(answer.get("id").asInt()).isEqualTo(id);
    assertThat(answer.get("error")).as("%s", method).isNull();
    return answer.get("result");
  }

  private static JsonNode take(BlockingQueue<JsonNode> queue) throws IOException {
    try {
      JsonNode message = queue.poll(SECONDS, TimeUnit.SECONDS);
      assertThat(message).as("the browser's answer").isNotNull();
      return message;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for the browser", e);
    }
  }

  private void receive(JsonNode message) {
    JsonNode parameters = message.path("params");
    switch (message.path("method").asText()) {
      case "" -> answers.add(message);
      case "Page.loadEventFired" -> loads.add(message);
      case "Runtime.exceptionThrown", "Log.entryAdded" -> complaints.add(parameters.toString());
      case "Network.requestWillBeSent" ->
          requests.add(parameters.path("request").path("url").asText());
      default -> {
        // nothing a test asks about
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.abort();
    process.destroy();
    try {
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the browser ends", e);
    }
  }

  /** Puts messages together, which may come in pieces. */
  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence piece, boolean last) {
      text.append(piece);
      if (last) {
        try {
          receive(MAPPER.readTree(text.toString()));
        } catch (IOException e) {
          complaints.add("no JSON: " + e.getMessage());
        }
        text.setLength(0);
      }
      from.request(1);
      return null;
    }
  }
}
