package dev.ash.server.egress.model.request;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a name or a value that no table knows may refer to. The sender does not choose these names:
 * they are the ones under which a provider fetches or connects, now or in a later version.
 */
final class Names {
    /** A word of a name that begins or ends with one of these names something outside. */
    private static final List<String> OUTSIDE =
            List.of(
                    "url",
                    "uri",
                    "href",
                    "host",
                    "domain",
                    "endpoint",
                    "server",
                    "mcp",
                    "connector",
                    "tool",
                    "plugin",
                    "container",
                    "file",
                    "webhook",
                    "callback",
                    "remote",
                    "proxy",
                    "fetch",
                    "upload",
                    "download",
                    "skill",
                    "environment");

    /** Types of parts that a provider runs or looks up. */
    private static final List<String> ACTIONS =
            List.of("search", "execution", "interpreter", "browser", "computer", "reference");

    private static final Pattern WORDS = Pattern.compile("[^a-z0-9]+");
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
    private static final Pattern PLAIN_NAME = Pattern.compile("[\\x21-\\x7E]{1,100}");

    private static final Pattern REFERENCE =
            Pattern.compile(
                    // A scheme; a host with a top-level domain or an address, port and path after;
                    // an id of something that the provider keeps.
                    "(?is)[a-z][a-z0-9+.-]{1,20}://.*"
                            + "|//.*"
                            + "|(?:[a-z0-9-]{1,63}\\.)+"
                            + "(?:[a-z]{2}|com|org|net|dev|app|info|cloud|internal|local|example)"
                            + "(?::\\d+)?(?:/.*)?"
                            + "|\\d{1,3}(?:\\.\\d{1,3}){3}(?::\\d+)?(?:/.*)?"
                            + "|\\[[0-9a-f:.]+\\].*"
                            + "|(?:file|container|cntr|resp|conv|vs|pmpt|asst|batch|msgbatch)[-_].*");

    static boolean namesSomethingOutside(String name) {
        return hasWord(name, OUTSIDE);
    }

    static boolean typeNamesSomethingOutside(String type) {
        return hasWord(type, OUTSIDE) || hasWord(type, ACTIONS);
    }

    private static boolean hasWord(String name, List<String> marks) {
        var spaced = HUMP.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT);
        return Arrays.stream(WORDS.split(spaced))
                .map(word -> word.endsWith("s") ? word.substring(0, word.length() - 1) : word)
                .anyMatch(
                        word ->
                                marks.stream()
                                        .anyMatch(m -> word.startsWith(m) || endsWith(word, m)));
    }

    /** "profile" and "ghost" end with a mark by chance; "imageurl" and "apihost" do not. */
    private static boolean endsWith(String word, String mark) {
        return word.endsWith(mark) && !word.equals("profile") && !word.equals("ghost");
    }

    static boolean isReference(String value) {
        return REFERENCE.matcher(value).matches() || value.contains("://");
    }

    /** Printable ASCII: other parsers may fold, cut or normalize anything else. */
    static boolean isPlain(String name) {
        return PLAIN_NAME.matcher(name).matches();
    }

    static boolean hasLoneSurrogate(char[] text, int from, int end) {
        for (int i = from; i < end; i++) {
            char c = text[i];
            if (Character.isSurrogate(c)) {
                boolean pair =
                        Character.isHighSurrogate(c)
                                && i + 1 < end
                                && Character.isLowSurrogate(text[i + 1]);
                if (!pair) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    /** For a sentence: short, and of printable characters only. */
    static String printable(String text) {
        var cut = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return cut.replaceAll("[^\\x20-\\x7E]", "?");
    }

    private Names() {}
}
