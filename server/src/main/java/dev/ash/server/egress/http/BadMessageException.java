package dev.ash.server.egress.http;

import java.io.IOException;

/** A peer sent what is not HTTP, or not the part of it that two readers must read alike. */
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
