package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The path of a request as decoded segments. Each is decoded exactly once, after the cut. */
final class RequestPath {
    /** One slash at the end is no segment of its own: {@code /health/} is {@code /health}. */
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
                throw ApiException.invalid("path", "must not hold a NUL character");
            }
            return text;
        } catch (CharacterCodingException _) {
            throw ApiException.invalid("path", "must be UTF-8 where it is percent-encoded");
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
