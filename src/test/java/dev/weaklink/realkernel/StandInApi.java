package dev.weaklink.realkernel;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The part of a Kubernetes API server that {@code kubectl logs --selector} needs: the pods with a label, and the log of
 * each pod.
 */
final class StandInApi implements AutoCloseable {
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final HttpServer server;
    private final String label;
    private final Map<String, String> logs;

    private StandInApi(HttpServer server, String label, Map<String, String> logs) {
        this.server = server;
        this.label = label;
        this.logs = new TreeMap<>(logs);
    }

    /**
     * Starts the server.
     *
     * @param label the label of the pods, such as app=x
     * @param logs the output of each pod, by its name
     */
    static StandInApi start(String label, Map<String, String> logs) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        StandInApi api = new StandInApi(server, label, logs);
        server.createContext("/", api::answer);
        server.start();
        return api;
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String query = exchange.getRequestURI().getQuery();
        String log = path.startsWith(PODS) && path.endsWith("/log") ? log(path) : null;
        String text = switch (path) {
            case "/api" -> "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}";
            case "/apis" -> "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}";
            case "/api/v1" ->
                "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":"
                        + "\"pods\",\"singularName\":\"pod\",\"namespaced\":true,\"kind\":\"Pod\","
                        + "\"verbs\":[\"get\",\"list\"]}]}";
            case PODS -> pods(("labelSelector=" + label).equals(query));
            default -> log;
        };
        byte[] body = (text == null ? "" : text).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", log == null ? "application/json" : "text/plain");
        exchange.sendResponseHeaders(text == null ? 404 : 200, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private String log(String path) {
        return logs.get(path.substring(PODS.length() + 1, path.length() - "/log".length()));
    }

    private String pods(boolean wanted) {
        StringBuilder items = new StringBuilder();
        for (String name : wanted ? logs.keySet() : Map.<String, String>of().keySet()) {
            items.append(items.isEmpty() ? "" : ",");
            items.append("{\"metadata\":{\"namespace\":\"default\",\"name\":\"").append(name);
            items.append("\"},\"spec\":{\"containers\":[{\"name\":\"collect\"}]}}");
        }
        return "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[" + items + "]}";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
