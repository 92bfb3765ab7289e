package dev.ash.server.http;

import java.util.Optional;

/** The HTTP methods that endpoints answer. */
public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE;

    /** HEAD is GET without the body, which the connection leaves out by itself. */
    static Optional<Method> of(String name) {
        if (name.equals("HEAD")) {
            return Optional.of(GET);
        }
        for (var method : values()) {
            if (method.name().equals(name)) {
                return Optional.of(method);
            }
        }
        return Optional.empty();
    }
}
