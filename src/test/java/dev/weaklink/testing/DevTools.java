package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A new page of a running browser, driven over the Chrome DevTools Protocol: JSON on a web socket. */
final class DevTools {
    private static final int SECONDS = 60;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<JsonNode> loads = new LinkedBlockingQueue<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final WebSocket socket;
    private int sent;

    /** Opens a page in the browser that listens at this host and port. */
    static DevTools connect(String address) throws IOException {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest open = HttpRequest.newBuilder(URI.create("http://" + address + "/json/new?about:blank"))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        DevTools tools;
        try {
            JsonNode page =
                    MAPPER.readTree(http.send(open, BodyHandlers.ofString()).body());
            tools = new DevTools(
                    http, URI.create(page.get("webSocketDebuggerUrl").asText()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while opening a page", e);
        }
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            tools.call(domain + ".enable", Map.of());
        }
        return tools;
    }

    private DevTools(HttpClient http, URI page) {
        socket = http.newWebSocketBuilder().buildAsync(page, new Listener()).join();
    }

    /** Opens an address, and waits until the page is loaded. */
    void navigate(URI address) throws IOException {
        loads.clear();
        call("Page.navigate", Map.of("url", address.toString()));
        take(loads);
    }

    /** Calls a method of the protocol, and returns its result. */
    JsonNode call(String method, Object parameters) throws IOException {
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
                // tests do not need the other events
            }
        }
    }

    List<String> complaints() {
        return List.copyOf(complaints);
    }

    List<String> requests() {
        return List.copyOf(requests);
    }

    void close() {
        socket.abort();
    }

    /** Joins the pieces of a message. */
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
