package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** The connection ended in the middle: the server may have done what was asked. */
public final class ConnectionLostException extends AshException {
    private static final long serialVersionUID = 1L;

    ConnectionLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
