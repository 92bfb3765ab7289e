package dev.ash.sdk;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Builds the path of a request so that whatever a caller passes stays the one segment it is. */
final class Target {
    private static final String UNRESERVED = "-._~";

    private final StringBuilder text;
    private char separator = '?';

    private Target(String path) {
        text = new StringBuilder(path);
    }

    static Target of(String path) {
        return new Target(path);
    }

    Target segment(String segment) {
        if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
            throw new IllegalArgumentException("not a name: \"" + segment + "\"");
        }
        text.append('/').append(encoded(segment));
        return this;
    }

    /** A relative path; its slashes stay slashes. */
    Target segments(String path) {
        for (var segment : path.split("/", -1)) {
            segment(segment);
        }
        return this;
    }

    /** Adds nothing where the value is null. */
    Target query(String name, @Nullable Object value) {
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
