package dev.ash.server.egress.http;

/**
 * Thrown if a response was not forwarded, because the caller repeats the request. The client has
 * received no part of it.
 */
public final class WithheldResponseException extends ProxyException {
    private static final long serialVersionUID = 1L;

    WithheldResponseException(int status) {
        super(status, "Ash: the host rejected the request temporarily; try again");
    }
}
