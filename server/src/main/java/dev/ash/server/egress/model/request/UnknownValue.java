package dev.ash.server.egress.model.request;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks unknown fields and values. A newer version of an engine may send them, so they pass unless
 * they refer to an external resource.
 */
final class UnknownValue {
    /** Names with a word that starts or ends with one of these denote external resources. */
    private static final List<String> RESOURCES =
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

    /** Words in the types of parts that a provider executes or resolves. */
    private static final List<String> ACTIONS =
            List.of("search", "execution", "interpreter", "browser", "computer", "reference");

    private static final Pattern SEPARATORS = Pattern.compile("[^a-z0-9]+");
    private static final Pattern CAMEL_CASE = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
    private static final Pattern VISIBLE_NAME = Pattern.compile("[\\x21-\\x7E]{1,100}");

    private static final Pattern REFERENCE =
            Pattern.compile(
                    // A URL; a host with a top-level domain or an address, with optional port and
                    // path; an id of an object stored by the provider.
                    "(?is)[a-z][a-z0-9+.-]{1,20}://.*"
                            + "|//.*"
                            + "|(?:[a-z0-9-]{1,63}\\.)+"
                            + "(?:[a-z]{2}|com|org|net|dev|app|info|cloud|internal|local|example)"
                            + "(?::\\d+)?(?:/.*)?"
                            + "|\\d{1,3}(?:\\.\\d{1,3}){3}(?::\\d+)?(?:/.*)?"
                            + "|\\[[0-9a-f:.]+\\].*"
                            + "|(?:file|container|cntr|resp|conv|vs|pmpt|asst|batch|msgbatch)[-_].*");

    /** Fields with free text or data: a URL in a text is not fetched. */
    private static final Set<String> TEXT_FIELDS =
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

    /** Fields whose values may be any JSON. */
    private static final Set<String> FREE_FIELDS =
            Set.of("input", "arguments", "input_schema", "parameters", "schema", "metadata");

    static void checkName(String name, Node value, String path) throws RequestRejectedException {
        if (!isVisible(name)) {
            throw RequestRejectedException.at(
                    path, "the field name must be 1 to 100 visible ASCII characters");
        }
        boolean absent = value instanceof Node.Null || value.equals(Node.FALSE);
        if (denotesExternalResource(name) && !absent) {
            throw RequestRejectedException.at(
                    path,
                    "unknown field whose name denotes a URL, host, file, server or tool; no setting"
                            + " allows it");
        }
    }

    static void check(Node node, String path) throws RequestRejectedException {
        switch (node) {
            case Node.Text text -> {
                RequestCheck.rejectUnpairedSurrogate(text, path);
                if (isReference(text.start())) {
                    throw RequestRejectedException.at(
                            path,
                            "unknown field whose value is a URL, a host or an id at the provider; no"
                                    + " setting allows it");
                }
            }
            case Node.Arr(var elements) -> {
                for (int i = 0; i < elements.size(); i++) {
                    check(elements.get(i), path + "[" + i + "]");
                }
            }
            case Node.Obj(var fields) -> {
                for (var field : fields.entrySet()) {
                    checkField(field.getKey(), field.getValue(), path);
                }
            }
            case Node.Num _, Node.Bool _, Node.Null _ -> {}
        }
    }

    private static void checkField(String name, Node value, String path)
            throws RequestRejectedException {
        var childPath = RequestCheck.childPath(path, name);
        checkName(name, value, childPath);
        if (name.equalsIgnoreCase("type")
                && value instanceof Node.Text(var type, _, _, _)
                && typeDenotesExternalResource(type)) {
            throw RequestRejectedException.at(
                    childPath,
                    "unknown type \"%s\"; no setting allows it"
                            .formatted(RequestRejectedException.printable(type)));
        }
        boolean content = TEXT_FIELDS.contains(name) && value instanceof Node.Text;
        if (!content && !FREE_FIELDS.contains(name)) {
            check(value, childPath);
        }
    }

    static boolean denotesExternalResource(String name) {
        return hasWord(name, RESOURCES);
    }

    static boolean typeDenotesExternalResource(String type) {
        return hasWord(type, RESOURCES) || hasWord(type, ACTIONS);
    }

    private static boolean hasWord(String name, List<String> markers) {
        var spaced = CAMEL_CASE.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT);
        return Arrays.stream(SEPARATORS.split(spaced))
                .map(word -> word.endsWith("s") ? word.substring(0, word.length() - 1) : word)
                .anyMatch(
                        word ->
                                markers.stream()
                                        .anyMatch(m -> word.startsWith(m) || endsWith(word, m)));
    }

    /** Excludes "profile" and "ghost", which end with a marker by coincidence. */
    private static boolean endsWith(String word, String marker) {
        return word.endsWith(marker) && !word.equals("profile") && !word.equals("ghost");
    }

    static boolean isReference(String value) {
        return REFERENCE.matcher(value).matches() || value.contains("://");
    }

    /**
     * Accepts visible ASCII only: other parsers may fold, truncate or normalize other characters.
     */
    static boolean isVisible(String name) {
        return VISIBLE_NAME.matcher(name).matches();
    }

    private UnknownValue() {}
}
