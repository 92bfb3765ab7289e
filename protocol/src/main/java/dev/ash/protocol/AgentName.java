package dev.ash.protocol;

import java.util.regex.Pattern;

/** The name of a deployed agent. */
public record AgentName(String value) {
    private static final Pattern SHAPE = Pattern.compile("[a-zA-Z0-9_-]{1,255}");

    public AgentName {
        if (!SHAPE.matcher(value).matches()) {
            throw ApiException.invalid(
                    "name", "must be 1 to 255 characters: letters, digits, _ and -");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
