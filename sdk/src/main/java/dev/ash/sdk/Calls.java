package dev.ash.sdk;

import dev.ash.protocol.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Sends requests and turns answers into records, streams, bytes or exceptions. */
final class Calls {
    /** Heartbeats come every 15 s, so a stream that is quiet for this long is dead. */
    private static final Duration STREAM_SILENCE = Limits.HEARTBEAT_INTERVAL.multipliedBy(4);

    private static final int MAX_ANSWER_BYTES = Limits.MAX_UPLOAD_BODY_BYTES;

    private final HttpTransport transport;
    private final String base;
    private final Duration timeout;
    private final Patience patience;

    /** Whether this server has ever answered: to clients of one origin it is the same. */
    private final AtomicBoolean reached;

    Calls(
            HttpTransport transport,
            String base,
            Duration timeout,
            Patience patience,
            AtomicBoolean reached) {
        this.transport = transport;
        this.base = base;
        this.timeout = timeout;
        this.patience = patience;
        this.reached = reached;
    }

    Retries retries() {
        return new Retries(patience, reached.get());
    }

    <T> T get(Target target, Class<T> type) {
        return get(target, timeout, type);
    }

    <T> T get(Target target, Duration atMost, Class<T> type) {
        return call("GET", target, null, atMost, Map.of(), type);
    }

    <T> T post(Target target, @Nullable Object body, Class<T> type) {
        return call("POST", target, body, timeout, Map.of(), type);
    }

    <T> T post(Target target, Object body, Duration atMost, Class<T> type) {
        return call("POST", target, body, atMost, Map.of(), type);
    }

    /** A call that makes something, once, however often its connection is lost. */
    <T> T make(Target target, Object body, String key, Class<T> type) {
        var headers = idempotent(key);
        return retries().call(() -> call("POST", target, body, timeout, headers, type));
    }

    /** The header by which a server knows a request that it has seen before. */
    static Map<String, String> idempotent(String key) {
        if (key.isEmpty() || key.length() > 255 || !key.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "\"%s\" is no idempotency key. It has 1 to 255 visible ASCII characters."
                            .formatted(key));
        }
        return Map.of("Idempotency-Key", key);
    }

    <T> T patch(Target target, Object body, Class<T> type) {
        return call("PATCH", target, body, timeout, Map.of(), type);
    }

    <T> T delete(Target target, Class<T> type) {
        return call("DELETE", target, null, timeout, Map.of(), type);
    }

    byte[] bytes(Target target) {
        try (var answer = open("GET", target, null, "*/*", timeout, Map.of())) {
            return body(answer, target);
        }
    }

    /** One connection's frames. */
    Frames frames(
            String method, Target target, @Nullable Object body, Map<String, String> headers) {
        var answer = open(method, target, body, "text/event-stream", STREAM_SILENCE, headers);
        var type = answer.headers().getOrDefault("content-type", "");
        if (!type.startsWith("text/event-stream")) {
            answer.close();
            throw notAsh(answer, "an event stream", null);
        }
        return new ConnectionFrames(answer.body(), answer);
    }

    private <T> T call(
            String method,
            Target target,
            @Nullable Object body,
            Duration silence,
            Map<String, String> headers,
            Class<T> type) {
        try (var answer = open(method, target, body, "application/json", silence, headers)) {
            var bytes = body(answer, target);
            try {
                return Json.read(bytes.length == 0 ? new byte[] {'{', '}'} : bytes, type);
            } catch (JacksonException e) {
                throw notAsh(answer, "the JSON of " + type.getSimpleName(), e);
            }
        }
    }

    private HttpAnswer open(
            String method,
            Target target,
            @Nullable Object body,
            String accept,
            Duration silence,
            Map<String, String> headers) {
        var json = body == null ? null : Json.write(body);
        var call = new HttpCall(method, base + target, json, accept, silence, headers);
        var answer = transport.exchange(call);
        reached.set(true);
        if (answer.succeeded()) {
            return answer;
        }
        try (answer) {
            throw ErrorAnswers.read(answer);
        }
    }

    private static byte[] body(HttpAnswer answer, Target target) {
        try {
            return answer.readAll(MAX_ANSWER_BYTES);
        } catch (IOException e) {
            throw new ConnectionLostException(
                    "The answer to %s could not be read to its end: %s."
                            .formatted(target, e.getMessage()),
                    e);
        }
    }

    private static AshApiException notAsh(
            HttpAnswer answer, String expected, @Nullable Throwable cause) {
        return new AshApiException(
                answer.status(),
                null,
                "The server answered %d, but not with %s: is it an Ash server?"
                        .formatted(answer.status(), expected),
                null,
                cause);
    }
}
