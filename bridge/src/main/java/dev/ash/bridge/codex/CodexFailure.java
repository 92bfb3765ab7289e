package dev.ash.bridge.codex;

import dev.ash.bridge.engine.LineProcess;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Messages for users about failures of Codex. */
final class CodexFailure {
    private static final Pattern ADDRESS = Pattern.compile(", url: http\\S+.*", Pattern.DOTALL);
    private static final int TOO_MANY = 429;

    /** Returns the message about the exit of the process. */
    static String of(LineProcess.Exit exit, boolean opened) {
        var stderr = exit.stderr().isEmpty() ? "" : ". Stderr: " + exit.stderr();
        return opened
                ? "Codex "
                        + exit.description()
                        + " before the turn completed. The next message restarts it with the same"
                        + " conversation"
                        + stderr
                : "Codex did not start: it " + exit.description() + stderr;
    }

    /** Returns the message for the {@code error} of a turn. */
    static String of(JsonObject error) throws MalformedJsonException {
        var status = status(error);
        if (status.isPresent() && status.getAsLong() == TOO_MANY) {
            return "The model's API rejected the call with status 429: too many requests, or the"
                    + " quota of its key is exhausted. Codex does not retry; send the message again"
                    + " later";
        }
        var details = error.string("additionalDetails");
        var text = details.isPresent() ? details.get() : error.string("message").orElse("");
        var plain = plainText(text);
        return status.isPresent() || !plain.equals(text)
                ? "The model's API rejected the call: " + plain
                : "The turn failed: " + plain;
    }

    /** Returns the status of the response of the model's API, if the error contains one. */
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

    /** Extracts the message from a JSON error of the API; removes the address of the relay. */
    private static String plainText(String text) {
        try {
            var json = JsonObject.parse(RawJson.of(text)).object("error");
            if (json.isPresent()) {
                return json.get().string("message").orElse(text);
            }
        } catch (MalformedJsonException e) {
            // Not JSON: already plain text.
        }
        return ADDRESS.matcher(text).replaceFirst("");
    }

    private CodexFailure() {}
}
