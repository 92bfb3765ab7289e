package dev.ash.bridge.exec;

import dev.ash.protocol.Limits;

/**
 * Text truncated so that two of them fit into one line of the bridge protocol. The size is computed
 * after JSON encoding: escapes and multi-byte characters make the text longer.
 */
record WireText(String text, boolean isComplete) {
    private static final int MAX_BYTES = (Limits.MAX_LINE_BYTES - 64 * 1024) / 2;

    static WireText truncate(String text) {
        return truncate(text, MAX_BYTES);
    }

    static WireText truncate(String text, int maxBytes) {
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
