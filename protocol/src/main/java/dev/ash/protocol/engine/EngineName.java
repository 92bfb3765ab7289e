package dev.ash.protocol.engine;

import dev.ash.protocol.ApiException;
import java.util.regex.Pattern;

/** The name of an engine in the database, the bridge protocol and {@code ASH_ENGINE}. */
public record EngineName(String value) {
    private static final Pattern SHAPE = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    public EngineName {
        if (!SHAPE.matcher(value).matches()) {
            throw ApiException.invalid(
                    "engine", "must be 1 to 63 characters: lower-case letters, digits and -");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
