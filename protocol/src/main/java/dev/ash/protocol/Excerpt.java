package dev.ash.protocol;

/** Shortens untrusted text to a maximum length without splitting a surrogate pair. */
public final class Excerpt {
    /** Returns the text, or its first {@code maxChars} characters and an ellipsis. */
    public static String of(String text, int maxChars) {
        return text.length() <= maxChars ? text : prefix(text, maxChars) + "…";
    }

    /** Returns the text, or its first {@code maxChars} characters. */
    public static String prefix(String text, int maxChars) {
        if (text.length() <= maxChars) {
            return text;
        }
        boolean splitsPair = maxChars > 0 && Character.isHighSurrogate(text.charAt(maxChars - 1));
        return text.substring(0, splitsPair ? maxChars - 1 : maxChars);
    }

    private Excerpt() {}
}
