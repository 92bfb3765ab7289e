package dev.ash.sdk;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Makes an exception of whatever a server refuses with. Servers of this API word it in three ways:
 * {@code error} is the sentence; {@code message} is, and {@code error} only names the status; or
 * both are. Proxies answer in none of them.
 */
final class ErrorAnswers {
    private static final int MAX_BYTES = 1024 * 1024;

    private ErrorAnswers() {}

    static AshApiException read(HttpAnswer answer) {
        byte[] body;
        try {
            body = answer.readAll(MAX_BYTES);
        } catch (IOException e) {
            return new AshApiException(answer.status(), null, foreign(answer, ""), null);
        }
        try {
            var object = JsonObject.parse(new RawJson(body));
            var sentence = sentence(object, "message").or(() -> sentence(object, "error"));
            return new AshApiException(
                    answer.status(),
                    sentence(object, "code").orElse(null),
                    sentence.orElseGet(() -> foreign(answer, "")),
                    sentence(object, "sessionId").orElse(null));
        } catch (MalformedJsonException e) {
            var text = new String(body, StandardCharsets.UTF_8);
            return new AshApiException(answer.status(), null, foreign(answer, text), null);
        }
    }

    private static Optional<String> sentence(JsonObject object, String name) {
        try {
            return object.string(name).filter(text -> !text.isBlank());
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private static String foreign(HttpAnswer answer, String text) {
        var words = text.replaceAll("<[^>]*>|\\s+|\\p{Cntrl}", " ").replaceAll(" +", " ").strip();
        var excerpt = Excerpt.of(words, 200);
        var status = (answer.status() + " " + answer.reason()).strip();
        return excerpt.isEmpty()
                ? "The server answered " + status + " without saying why."
                : "The server answered %s, and not as Ash does: %s".formatted(status, excerpt);
    }
}
