package dev.ash.sdk;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Maps error responses to exceptions. Servers of this API put the message into {@code error}, into
 * {@code message} with the status text in {@code error}, or into both. Proxies send other formats.
 */
final class ErrorResponses {
    private static final int MAX_BYTES = 1024 * 1024;

    private ErrorResponses() {}

    static AshApiException read(HttpResponse response) {
        byte[] body;
        try {
            body = response.readAll(MAX_BYTES);
        } catch (IOException e) {
            return new AshApiException(response.status(), null, describe(response, ""), null);
        }
        try {
            var object = JsonObject.parse(new RawJson(body));
            var message = string(object, "message").or(() -> string(object, "error"));
            return new AshApiException(
                    response.status(),
                    string(object, "code").orElse(null),
                    message.orElseGet(() -> describe(response, "")),
                    string(object, "sessionId").orElse(null));
        } catch (MalformedJsonException e) {
            var text = new String(body, StandardCharsets.UTF_8);
            return new AshApiException(response.status(), null, describe(response, text), null);
        }
    }

    private static Optional<String> string(JsonObject object, String name) {
        try {
            return object.string(name).filter(text -> !text.isBlank());
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private static String describe(HttpResponse response, String text) {
        var words = text.replaceAll("<[^>]*>|\\s+|\\p{Cntrl}", " ").replaceAll(" +", " ").strip();
        var excerpt = Excerpt.of(words, 200);
        var status = (response.status() + " " + response.reason()).strip();
        return excerpt.isEmpty()
                ? "The server responded with " + status + " and no error message."
                : "The server responded with %s, not in the format of Ash: %s"
                        .formatted(status, excerpt);
    }
}
