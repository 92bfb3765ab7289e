package dev.ash.sdk;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.HealthResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Sends REST requests and maps responses to records, event streams, bytes or exceptions. */
final class RestClient {
    /** The server sends a heartbeat every 15 s; a stream without one for this long is dead. */
    private static final Duration STREAM_READ_TIMEOUT = Limits.HEARTBEAT_INTERVAL.multipliedBy(4);

    private static final int MAX_RESPONSE_BYTES = Limits.MAX_UPLOAD_BODY_BYTES;

    private final HttpTransport transport;
    private final String basePath;
    private final Duration timeout;
    private final ReconnectPolicy reconnectPolicy;

    /** Set once the server has responded; shared by all clients derived from one client. */
    private final AtomicBoolean serverReached;

    RestClient(
            HttpTransport transport,
            String basePath,
            Duration timeout,
            ReconnectPolicy reconnectPolicy,
            AtomicBoolean serverReached) {
        this.transport = transport;
        this.basePath = basePath;
        this.timeout = timeout;
        this.reconnectPolicy = reconnectPolicy;
        this.serverReached = serverReached;
    }

    Retries retries() {
        return new Retries(reconnectPolicy, serverReached.get());
    }

    <T> T get(ApiPath path, Class<T> type) {
        return get(path, timeout, type);
    }

    <T> T get(ApiPath path, Duration readTimeout, Class<T> type) {
        return call("GET", path, null, readTimeout, Map.of(), type);
    }

    HealthResponse health() {
        var path = ApiPath.of("/health");
        try (var response = open("GET", path, null, "application/json", timeout, Map.of())) {
            var bytes = body(response, path);
            try {
                return HealthReader.read(
                        new RawJson(bytes.length == 0 ? new byte[] {'{', '}'} : bytes));
            } catch (MalformedJsonException e) {
                throw unexpectedResponse(response, "the JSON of HealthResponse", e);
            }
        }
    }

    <T> T post(ApiPath path, @Nullable Object body, Class<T> type) {
        return call("POST", path, body, timeout, Map.of(), type);
    }

    <T> T post(ApiPath path, Object body, Duration readTimeout, Class<T> type) {
        return call("POST", path, body, readTimeout, Map.of(), type);
    }

    /** Sends a POST that may be retried: the server executes it once for each key. */
    <T> T postIdempotent(ApiPath path, Object body, String key, Class<T> type) {
        var headers = idempotencyHeader(key);
        return retries().call(() -> call("POST", path, body, timeout, headers, type));
    }

    /** Returns the header by which the server detects a repeated request. */
    static Map<String, String> idempotencyHeader(String key) {
        if (key.isEmpty() || key.length() > 255 || !key.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "Invalid idempotency key \"%s\": expected 1 to 255 visible ASCII characters."
                            .formatted(key));
        }
        return Map.of("Idempotency-Key", key);
    }

    <T> T patch(ApiPath path, Object body, Class<T> type) {
        return call("PATCH", path, body, timeout, Map.of(), type);
    }

    <T> T delete(ApiPath path, Class<T> type) {
        return call("DELETE", path, null, timeout, Map.of(), type);
    }

    byte[] bytes(ApiPath path) {
        try (var response = open("GET", path, null, "*/*", timeout, Map.of())) {
            return body(response, path);
        }
    }

    /** Opens an event stream on one connection. */
    FrameSource frames(
            String method, ApiPath path, @Nullable Object body, Map<String, String> headers) {
        var response = open(method, path, body, "text/event-stream", STREAM_READ_TIMEOUT, headers);
        var type = response.headers().getOrDefault("content-type", "");
        if (!type.startsWith("text/event-stream")) {
            response.close();
            throw unexpectedResponse(response, "an event stream", null);
        }
        return new ConnectionFrameSource(response.body(), response);
    }

    private <T> T call(
            String method,
            ApiPath path,
            @Nullable Object body,
            Duration readTimeout,
            Map<String, String> headers,
            Class<T> type) {
        try (var response = open(method, path, body, "application/json", readTimeout, headers)) {
            var bytes = body(response, path);
            try {
                return Json.read(bytes.length == 0 ? new byte[] {'{', '}'} : bytes, type);
            } catch (JacksonException e) {
                throw unexpectedResponse(response, "the JSON of " + type.getSimpleName(), e);
            }
        }
    }

    private HttpResponse open(
            String method,
            ApiPath path,
            @Nullable Object body,
            String accept,
            Duration readTimeout,
            Map<String, String> headers) {
        var json = body == null ? null : Json.write(body);
        var request = new HttpRequest(method, basePath + path, json, accept, readTimeout, headers);
        var response = transport.exchange(request);
        serverReached.set(true);
        if (response.succeeded()) {
            return response;
        }
        try (response) {
            throw ErrorResponses.read(response);
        }
    }

    private static byte[] body(HttpResponse response, ApiPath path) {
        try {
            return response.readAll(MAX_RESPONSE_BYTES);
        } catch (IOException e) {
            throw new ConnectionLostException(
                    "The response to %s was incomplete: %s.".formatted(path, e.getMessage()), e);
        }
    }

    private static AshApiException unexpectedResponse(
            HttpResponse response, String expected, @Nullable Throwable cause) {
        return new AshApiException(
                response.status(),
                null,
                "The server responded with status %d but without %s; check that it is an Ash server."
                        .formatted(response.status(), expected),
                null,
                cause);
    }
}
