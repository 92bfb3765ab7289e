package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** The connection was lost during a request: the server may or may not have executed it. */
public final class ConnectionLostException extends AshException {
    private static final long serialVersionUID = 1L;

    ConnectionLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
