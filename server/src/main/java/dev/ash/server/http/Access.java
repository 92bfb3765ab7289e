package dev.ash.server.http;

/** The callers that an endpoint admits. */
public enum Access {
    /** Callers with a valid API key that has the endpoint's scope. */
    KEY,
    /** As {@link #KEY}, but only keys of the operator's tenant, {@code default}. */
    OPERATOR,
    /** All callers, without authentication. */
    OPEN
}
