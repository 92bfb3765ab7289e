package dev.ash.server.repository;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Decodes paths in the output of git, which are plain or quoted with C escapes. */
final class QuotedPath {
    private static final String ESCAPES = "abtnvfr\"\\";
    private static final String CHARACTERS = "\u0007\b\t\n\u000B\f\r\"\\";

    static String unquote(String text) {
        if (!text.startsWith("\"") || !text.endsWith("\"") || text.length() < 2) {
            return text;
        }
        var bytes = new ByteArrayOutputStream();
        int end = text.length() - 1;
        for (int i = 1; i < end; i++) {
            char c = text.charAt(i);
            int letter = c == '\\' ? ESCAPES.indexOf(text.charAt(i + 1)) : -1;
            if (letter >= 0) {
                bytes.write(CHARACTERS.charAt(letter));
                i++;
            } else if (c == '\\' && i + 3 < end) {
                bytes.write(Integer.parseInt(text.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                int point = text.codePointAt(i);
                bytes.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
                i += Character.charCount(point) - 1;
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private QuotedPath() {}
}
