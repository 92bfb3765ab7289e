package dev.ash.protocol;

/** Texts of others, cut to a length that fits; no character is cut in two. */
public final class Excerpt {
    /** With an ellipsis where something is missing. */
    public static String of(String text, int most) {
        return text.length() <= most ? text : beginning(text, most) + "…";
    }

    /** At most so many {@code char}s from its beginning. */
    public static String beginning(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        boolean splits = most > 0 && Character.isHighSurrogate(text.charAt(most - 1));
        return text.substring(0, splits ? most - 1 : most);
    }

    private Excerpt() {}
}
