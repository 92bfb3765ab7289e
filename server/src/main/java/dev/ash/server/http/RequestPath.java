package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Splits the path of a request into segments, and decodes each of them exactly once. */
final class RequestPath {
    /** Ignores one trailing slash: {@code /health/} equals {@code /health}. */
    static List<String> segments(String rawPath) {
        if (!rawPath.startsWith("/")) {
            throw ApiException.invalid("path", "must start with a slash");
        }
        int end = rawPath.endsWith("/") ? rawPath.length() - 1 : rawPath.length();
        var segments = new ArrayList<String>();
        if (end > 0) {
            for (var segment : rawPath.substring(1, end).split("/", -1)) {
                segments.add(decode(segment));
            }
        }
        return segments;
    }

    private static String decode(String segment) {
        if (segment.indexOf('%') < 0) {
            return segment;
        }
        var bytes = ByteBuffer.allocate(segment.length() * 3);
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            if (c == '%') {
                bytes.put((byte) (digit(segment, i + 1) << 4 | digit(segment, i + 2)));
                i += 2;
            } else {
                bytes.put(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
            }
        }
        try {
            var text = StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
            if (text.indexOf('\0') >= 0) {
                throw ApiException.invalid("path", "must not contain a NUL character");
            }
            return text;
        } catch (CharacterCodingException _) {
            throw ApiException.invalid("path", "must be percent-encoded UTF-8");
        }
    }

    private static int digit(String segment, int index) {
        int digit = index < segment.length() ? Character.digit(segment.charAt(index), 16) : -1;
        if (digit < 0 || segment.charAt(index) > 'f') {
            throw ApiException.invalid("path", "must have two hex digits after each %");
        }
        return digit;
    }

    private RequestPath() {}
}
