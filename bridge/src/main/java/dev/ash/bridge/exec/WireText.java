package dev.ash.bridge.exec;

import dev.ash.protocol.Limits;

/**
 * Text cut to what fits into one line of the bridge beside a second text of its kind. Escapes and
 * multi-byte characters make a string longer on the wire than it was on the pipe.
 */
record WireText(String text, boolean whole) {
    private static final int MAX_BYTES = (Limits.MAX_LINE_BYTES - 64 * 1024) / 2;

    static WireText fitting(String text) {
        return fitting(text, MAX_BYTES);
    }

    static WireText fitting(String text, int maxBytes) {
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            bytes += encodedBytes(c);
            if (bytes > maxBytes) {
                int end = Character.isLowSurrogate(c) && i > 0 ? i - 1 : i;
                return new WireText(text.substring(0, end), false);
            }
        }
        return new WireText(text, true);
    }

    private static int encodedBytes(char c) {
        if (c < 0x20) {
            return 6;
        }
        if (c < 0x80) {
            return c == '"' || c == '\\' ? 2 : 1;
        }
        return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
}
