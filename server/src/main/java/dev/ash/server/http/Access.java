package dev.ash.server.http;

/** Who may call an endpoint. */
public enum Access {
    /** Callers with a valid API key that has the endpoint's scope. */
    KEY,
    /** The same, but only keys of the operator's tenant, {@code default}. */
    OPERATOR,
    /** Everybody. */
    OPEN
}
