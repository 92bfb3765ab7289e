package dev.ash.server.http;

import java.util.Optional;

/** The HTTP methods of endpoints. */
public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE;

    /** Maps HEAD to GET; the connection omits the body. */
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
