package dev.ash.server.egress.model.request;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks a value that no table knows. A later version of an engine may send it, so it passes unless
 * it names something outside the request.
 */
final class UnknownValue {
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

    /** Free text or data wherever they occur: a URL in a text is not fetched. */
    private static final Set<String> CONTENT =
            Set.of(
                    "text",
                    "content",
                    "thinking",
                    "signature",
                    "data",
                    "description",
                    "title",
                    "summary",
                    "instructions",
                    "encrypted_content");

    /** The same for whole objects. */
    private static final Set<String> FREE =
            Set.of("input", "arguments", "input_schema", "parameters", "schema", "metadata");

    static void checkName(String name, Node value, String path) throws RequestRejectedException {
        if (!isPlain(name)) {
            throw RequestRejectedException.at(
                    path, "the name has characters that no field of this API has");
        }
        boolean absent = value instanceof Node.Null || value.equals(Node.FALSE);
        if (namesSomethingOutside(name) && !absent) {
            throw RequestRejectedException.at(
                    path,
                    "Ash does not know this field, and its name stands for a URL, host, file,"
                            + " server or tool; no setting allows it");
        }
    }

    static void check(Node node, String path) throws RequestRejectedException {
        switch (node) {
            case Node.Text text -> {
                RequestCheck.requireWhole(text, path);
                if (isReference(text.start())) {
                    throw RequestRejectedException.at(
                            path,
                            "Ash does not know this field, and its value is a URL, a host or an id"
                                    + " at the provider; no setting allows it");
                }
            }
            case Node.Arr(var elements) -> {
                for (int i = 0; i < elements.size(); i++) {
                    check(elements.get(i), path + "[" + i + "]");
                }
            }
            case Node.Obj(var fields) -> {
                for (var field : fields.entrySet()) {
                    field(field.getKey(), field.getValue(), path);
                }
            }
            case Node.Num _, Node.Bool _, Node.Null _ -> {}
        }
    }

    private static void field(String name, Node value, String path)
            throws RequestRejectedException {
        var below = RequestCheck.below(path, name);
        checkName(name, value, below);
        if (name.equalsIgnoreCase("type")
                && value instanceof Node.Text(var type, _, _, _)
                && typeNamesSomethingOutside(type)) {
            throw RequestRejectedException.at(
                    below,
                    "\"%s\" is not known to Ash; no setting allows it"
                            .formatted(RequestRejectedException.printable(type)));
        }
        boolean content = CONTENT.contains(name) && value instanceof Node.Text;
        if (!content && !FREE.contains(name)) {
            check(value, below);
        }
    }

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

    private UnknownValue() {}
}
