package dev.ash.sdk;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Builds a request path and query, encoding each segment so that it cannot add others. */
final class ApiPath {
    private static final String UNRESERVED = "-._~";

    private final StringBuilder text;
    private char separator = '?';

    private ApiPath(String path) {
        text = new StringBuilder(path);
    }

    static ApiPath of(String path) {
        return new ApiPath(path);
    }

    ApiPath segment(String segment) {
        if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
            throw new IllegalArgumentException("Invalid path segment: \"" + segment + "\"");
        }
        text.append('/').append(encoded(segment));
        return this;
    }

    /** Appends a relative path; its slashes separate segments. */
    ApiPath segments(String path) {
        for (var segment : path.split("/", -1)) {
            segment(segment);
        }
        return this;
    }

    /** Adds a query parameter unless the value is null. */
    ApiPath query(String name, @Nullable Object value) {
        if (value != null) {
            text.append(separator).append(name).append('=');
            text.append(URLEncoder.encode(value.toString(), StandardCharsets.UTF_8));
            separator = '&';
        }
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    private static String encoded(String segment) {
        var encoded = new StringBuilder(segment.length() + 16);
        for (byte b : segment.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (c < 128 && (Character.isLetterOrDigit(c) || UNRESERVED.indexOf(c) >= 0)) {
                encoded.append(c);
            } else {
                encoded.append('%');
                encoded.append(Character.toUpperCase(Character.forDigit(c >> 4, 16)));
                encoded.append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
            }
        }
        return encoded.toString();
    }
}
