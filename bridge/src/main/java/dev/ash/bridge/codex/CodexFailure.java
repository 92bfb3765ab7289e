package dev.ash.bridge.codex;

import dev.ash.bridge.engine.LineProcess;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Sentences about what went wrong. */
final class CodexFailure {
    private static final Pattern ADDRESS = Pattern.compile(", url: http\\S+.*", Pattern.DOTALL);
    private static final int TOO_MANY = 429;

    /** What the end of the process means to the one who waits for an answer. */
    static String of(LineProcess.Exit exit, boolean opened) {
        var said = exit.said().isEmpty() ? "" : ". It said: " + exit.said();
        return opened
                ? "Codex "
                        + exit.how()
                        + " before the turn was over. The next message reopens it on the same"
                        + " conversation"
                        + said
                : "Codex did not start: it " + exit.how() + said;
    }

    /** Why a turn failed, from its {@code error}. */
    static String of(JsonObject error) throws MalformedJsonException {
        var status = status(error);
        if (status.isPresent() && status.getAsLong() == TOO_MANY) {
            return "The model's API refused the call with status 429: too many requests, or the"
                    + " quota of its key is used up. Codex does not try again; send the message"
                    + " once more later";
        }
        var details = error.string("additionalDetails");
        var said = details.isPresent() ? details.get() : error.string("message").orElse("");
        var plain = plain(said);
        return status.isPresent() || !plain.equals(said)
                ? "The model's API refused the call: " + plain
                : "The turn failed: " + plain;
    }

    /** The status that the model's API answered with, if the error names one. */
    static OptionalLong status(JsonObject error) throws MalformedJsonException {
        var info = error.object("codexErrorInfo");
        if (info.isPresent()) {
            for (var kind : info.get().names()) {
                var detail = info.get().object(kind);
                if (detail.isPresent() && detail.get().number("httpStatusCode").isPresent()) {
                    return detail.get().number("httpStatusCode");
                }
            }
        }
        return OptionalLong.empty();
    }

    /** Some answers come as the whole JSON of the API, others with our own address. */
    private static String plain(String said) {
        try {
            var json = JsonObject.parse(RawJson.of(said)).object("error");
            if (json.isPresent()) {
                return json.get().string("message").orElse(said);
            }
        } catch (MalformedJsonException e) {
            // Not JSON: a sentence already.
        }
        return ADDRESS.matcher(said).replaceFirst("");
    }

    private CodexFailure() {}
}
