package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.Optional;

/** Extracts the failure of a turn from the {@code result} message of the engine. */
final class ResultTexts {
    /** Returns why the turn failed; empty if it succeeded or was interrupted. */
    static Optional<String> failure(JsonObject result) throws MalformedJsonException {
        boolean interrupted = result.string("terminal_reason").orElse("").startsWith("aborted");
        if (!result.isTrue("is_error") || interrupted) {
            return Optional.empty();
        }
        var text = result.string("result").filter(value -> !value.isBlank());
        var errors = text.isPresent() ? text.stream() : result.strings("errors").stream();
        return Optional.of(
                errors.filter(error -> !error.isBlank())
                        .findFirst()
                        .map(error -> ErrorFrames.shorten(error.strip()))
                        .orElse("The agent failed; send the message again to retry"));
    }

    private ResultTexts() {}
}
