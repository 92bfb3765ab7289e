package dev.ash.server.egress.model.request;

import java.util.List;
import java.util.TreeSet;

/**
 * The tools that model providers run themselves. The names are those of {@code ASH_PROVIDER_TOOLS}
 * and {@code network.providerTools}; each format's table maps its own types to them.
 */
public final class ProviderTools {
    public static final String WEB_SEARCH = "web_search";
    static final String WEB_FETCH = "web_fetch";
    static final String CODE_EXECUTION = "code_execution";
    static final String TOOL_SEARCH = "tool_search";
    static final String IMAGE_GENERATION = "image_generation";
    static final String ADVISOR = "advisor";

    private static final List<String> KNOWN =
            List.of(WEB_SEARCH, WEB_FETCH, CODE_EXECUTION, TOOL_SEARCH, IMAGE_GENERATION, ADVISOR);

    /**
     * Returns the names in a fixed order and without duplicates.
     *
     * @throws IllegalArgumentException if a name is unknown; the message follows the name of a
     *     setting
     */
    public static List<String> validate(Iterable<String> names) {
        var checked = new TreeSet<String>();
        for (var name : names) {
            if (!KNOWN.contains(name)) {
                throw new IllegalArgumentException(
                        "contains an unknown provider tool \"%s\"; expected one of %s"
                                .formatted(
                                        RequestRejectedException.printable(name),
                                        String.join(", ", KNOWN)));
            }
            checked.add(name);
        }
        return List.copyOf(checked);
    }

    private ProviderTools() {}
}
