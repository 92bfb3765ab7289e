package dev.ash.server.http;

/** Who may call an endpoint: whoever holds an API key, or anybody. */
public enum Access {
    KEY,
    OPEN
}
