package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/**
 * The TLS handshake failed: the certificate was rejected or the port does not support TLS. No
 * request was sent; retrying does not help.
 */
public final class UntrustedServerException extends AshException {
    private static final long serialVersionUID = 1L;

    UntrustedServerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
