package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.Optional;

/** What the last message of a turn says about its outcome. */
final class ResultTexts {
    /** Why the turn failed; empty if it succeeded or was interrupted. */
    static Optional<String> failure(JsonObject result) throws MalformedJsonException {
        boolean interrupted = result.string("terminal_reason").orElse("").startsWith("aborted");
        if (!result.isTrue("is_error") || interrupted) {
            return Optional.empty();
        }
        var said = result.string("result").filter(text -> !text.isBlank());
        var errors = said.isPresent() ? said.stream() : result.strings("errors").stream();
        return Optional.of(
                errors.filter(text -> !text.isBlank())
                        .findFirst()
                        .map(text -> ErrorFrames.shortened(text.strip()))
                        .orElse("The agent failed; send the message again to retry"));
    }

    private ResultTexts() {}
}
