package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/**
 * TLS was not established, because the certificate is not accepted or the port speaks no TLS.
 * Nothing was sent, and there is no point in trying again.
 */
public final class UntrustedServerException extends AshException {
    private static final long serialVersionUID = 1L;

    UntrustedServerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
