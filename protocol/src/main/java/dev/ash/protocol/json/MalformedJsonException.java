package dev.ash.protocol.json;

import java.io.IOException;
import tools.jackson.core.JacksonException;

/** Text that is not the JSON that was expected. */
public final class MalformedJsonException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedJsonException(String message) {
        super(message);
    }

    MalformedJsonException(JacksonException cause) {
        super(cause.getOriginalMessage(), cause);
    }
}
