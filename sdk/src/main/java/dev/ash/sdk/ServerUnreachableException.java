package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** No connection was made, so the server has not seen the request. */
public final class ServerUnreachableException extends AshException {
    private static final long serialVersionUID = 1L;

    ServerUnreachableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
