package dev.ash.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Requests to the API whose duration is not critical. {@link ApiConnection} has less overhead. */
final class ApiClient implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;
    private final String key;

    ApiClient(int port, String key) {
        this.port = port;
        this.key = key;
    }

    String send(String method, String path, String body) throws IOException, InterruptedException {
        var response =
                client.send(request(method, path, body), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            throw new IOException(method + " " + path + ": " + response.body());
        }
        return response.body();
    }

    /** Opens the response stream and closes it after the first byte. */
    void begin(String path, String body) throws IOException, InterruptedException {
        var request = request("POST", path, body);
        var response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (var stream = response.body()) {
            if (response.statusCode() >= 300) {
                throw new IOException(path + ": " + new String(stream.readAllBytes(), UTF_8));
            }
            stream.read();
        }
    }

    ResponseLines stream(String path, String body) throws IOException, InterruptedException {
        var request = request("POST", path, body);
        long begin = System.nanoTime();
        var response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        return new ResponseLines(
                begin, new BufferedReader(new InputStreamReader(response.body(), UTF_8)));
    }

    private HttpRequest request(String method, String path, String body) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", "Bearer " + key)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
