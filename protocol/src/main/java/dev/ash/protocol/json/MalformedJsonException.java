package dev.ash.protocol.json;

import java.io.IOException;
import tools.jackson.core.JacksonException;

/** Thrown when input is not valid JSON or does not have the expected structure. */
public final class MalformedJsonException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedJsonException(String message) {
        super(message);
    }

    MalformedJsonException(JacksonException cause) {
        super(cause.getOriginalMessage(), cause);
    }
}
