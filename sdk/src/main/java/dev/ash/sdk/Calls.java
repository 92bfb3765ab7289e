package dev.ash.sdk;

import dev.ash.protocol.Limits;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Sends requests and turns answers into records, streams, bytes or exceptions. */
final class Calls {
    /** Heartbeats come every 15 s, so a stream that is quiet for this long is dead. */
    private static final Duration STREAM_SILENCE = Limits.HEARTBEAT.multipliedBy(4);

    private static final int MAX_ANSWER_BYTES = Limits.MAX_UPLOAD_BODY_BYTES;

    private final HttpTransport transport;
    private final String base;
    private final Duration timeout;

    Calls(HttpTransport transport, String base, Duration timeout) {
        this.transport = transport;
        this.base = base;
        this.timeout = timeout;
    }

    <T> T get(Target target, Class<T> type) {
        return call("GET", target, null, timeout, type);
    }

    <T> T post(Target target, @Nullable Object body, Class<T> type) {
        return call("POST", target, body, timeout, type);
    }

    <T> T post(Target target, Object body, Duration atMost, Class<T> type) {
        return call("POST", target, body, atMost, type);
    }

    <T> T patch(Target target, Object body, Class<T> type) {
        return call("PATCH", target, body, timeout, type);
    }

    <T> T delete(Target target, Class<T> type) {
        return call("DELETE", target, null, timeout, type);
    }

    byte[] bytes(Target target) {
        try (var answer = open("GET", target, null, "*/*", timeout, null)) {
            return body(answer, target);
        }
    }

    EventStream stream(String method, Target target, @Nullable Object body, long after) {
        var lastEventId = after > 0 ? Long.toString(after) : null;
        var answer = open(method, target, body, "text/event-stream", STREAM_SILENCE, lastEventId);
        var type = answer.headers().getOrDefault("content-type", "");
        if (!type.startsWith("text/event-stream")) {
            answer.close();
            throw notAsh(answer, "an event stream", null);
        }
        return new EventStream(answer.body(), answer);
    }

    private <T> T call(
            String method, Target target, @Nullable Object body, Duration silence, Class<T> type) {
        try (var answer = open(method, target, body, "application/json", silence, null)) {
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
            @Nullable String lastEventId) {
        var json = body == null ? null : Json.write(body);
        var call = new HttpCall(method, base + target, json, accept, silence, lastEventId);
        var answer = transport.exchange(call);
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
