package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.function.Consumer;
import tools.jackson.databind.json.JsonMapper;

/**
 * HTTP client that sends the API key. It shares no code with Ash, so tests see the actual wire
 * format.
 */
public final class Api implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;
    private final String key;

    Api(String base, String key) {
        this.base = base;
        this.key = key;
    }

    public String base() {
        return base;
    }

    public String key() {
        return key;
    }

    public ApiResponse get(String path) {
        return send("GET", path, null);
    }

    public ApiResponse delete(String path) {
        return send("DELETE", path, null);
    }

    public ApiResponse post(String path, Object body) {
        return send("POST", path, body);
    }

    /** Sends a POST with a JSON content type and an empty body, as some clients do. */
    public ApiResponse postNothing(String path) {
        return exchange("POST", path, "", request -> {});
    }

    /** Sends a POST with an idempotency key. */
    public ApiResponse postOnce(String idempotencyKey, String path, Object body) {
        return exchange(
                "POST", path, json(body), r -> r.setHeader("Idempotency-Key", idempotencyKey));
    }

    public ApiResponse patch(String path, Object body) {
        return send("PATCH", path, body);
    }

    private ApiResponse send(String method, String path, Object body) {
        return body == null
                ? exchange(method, path, null, request -> {})
                : exchange(method, path, json(body), request -> {});
    }

    /** Sends a body unchanged, even if malformed; {@code change} may replace headers. */
    public ApiResponse exchange(
            String method, String path, String body, Consumer<HttpRequest.Builder> change) {
        var publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        var request = request(method, path, publisher, body != null);
        change.accept(request);
        return exchange(request);
    }

    public ApiResponse exchangeBytes(String method, String path, byte[] body) {
        return exchange(request(method, path, BodyPublishers.ofByteArray(body), true));
    }

    private ApiResponse exchange(HttpRequest.Builder request) {
        try {
            var response = client.send(request.build(), BodyHandlers.ofByteArray());
            return new ApiResponse(response.statusCode(), response.headers(), response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Sends a POST and opens its event stream; returns once the response headers have arrived. */
    public FrameReader stream(String path, Object body) {
        return frames(open(request("POST", path, BodyPublishers.ofString(json(body)), true)));
    }

    /** Opens an event stream with a Last-Event-ID header, as a reconnecting browser does. */
    FrameReader follow(String path, long lastEventId) {
        return frames(
                open(
                        request("GET", path, BodyPublishers.noBody(), false)
                                .header("Last-Event-ID", Long.toString(lastEventId))));
    }

    /** Sends a GET and opens its event stream. */
    public FrameReader follow(String path) {
        return frames(open(request("GET", path, BodyPublishers.noBody(), false)));
    }

    /**
     * Sends a POST with an idempotency key and returns the unread response; the caller closes its
     * body.
     */
    public HttpResponse<InputStream> openOnce(String idempotencyKey, String path, Object body) {
        return open(
                request("POST", path, BodyPublishers.ofString(json(body)), true)
                        .header("Idempotency-Key", idempotencyKey));
    }

    private static FrameReader frames(HttpResponse<InputStream> response) {
        assertThat(response.statusCode())
                .as(() -> "status of: " + text(response.body()))
                .isEqualTo(200);
        return new FrameReader(response.body(), response.headers());
    }

    private HttpResponse<InputStream> open(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private HttpRequest.Builder request(
            String method, String path, HttpRequest.BodyPublisher body, boolean hasBody) {
        var request =
                HttpRequest.newBuilder(URI.create(base + path))
                        .timeout(Duration.ofSeconds(60))
                        .header("Authorization", "Bearer " + key)
                        .method(method, body);
        return hasBody ? request.header("Content-Type", "application/json") : request;
    }

    static String json(Object body) {
        return body instanceof String text ? text : MAPPER.writeValueAsString(body);
    }

    private static String text(InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
