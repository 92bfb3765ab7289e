package dev.ash.server.egress.http;

import java.io.IOException;

/**
 * Thrown for malformed HTTP or TLS, and for HTTP that two parsers could read differently. The
 * message is a noun phrase that names the defect, such as "an invalid Content-Length".
 */
public final class BadMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    public BadMessageException(String defect) {
        this(defect, 400);
    }

    BadMessageException(String defect, int status) {
        super(defect);
        this.status = status;
    }

    int status() {
        return status;
    }
}
