package dev.ash.server.egress.http;

import java.io.IOException;

/** A peer sent malformed HTTP, or HTTP that two parsers could read differently. */
public final class BadMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    public BadMessageException(String what) {
        this(what, 400);
    }

    BadMessageException(String what, int status) {
        super(what);
        this.status = status;
    }

    int status() {
        return status;
    }
}
