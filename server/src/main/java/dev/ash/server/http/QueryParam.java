package dev.ash.server.http;

import java.util.List;

/**
 * A query parameter as the documentation shows it; {@code type} is a JSON schema type, and {@code
 * values} are all that it can have, or empty.
 */
public record QueryParam(String name, String type, String description, List<String> values) {
    public QueryParam {
        values = List.copyOf(values);
    }
}
