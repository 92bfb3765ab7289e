package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** The client could not connect, so the server has not received the request. */
public final class ServerUnreachableException extends AshException {
    private static final long serialVersionUID = 1L;

    ServerUnreachableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
