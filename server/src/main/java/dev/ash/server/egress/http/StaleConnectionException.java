package dev.ash.server.egress.http;

/** Thrown if a host closed a kept connection before it responded: the request can be repeated. */
public final class StaleConnectionException extends ProxyException {
    private static final long serialVersionUID = 1L;

    StaleConnectionException() {
        super(502, "Ash: the host closed the connection before it responded; try again");
    }
}
