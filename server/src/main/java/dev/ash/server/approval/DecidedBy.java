package dev.ash.server.approval;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Who decided: the server's own words, and those that a client may give itself. */
public final class DecidedBy {
    /** The tool passes in this session. */
    static final String RULE = "rule";

    static final String EXPIRY = "expiry";

    /** The engine stopped waiting. */
    static final String ENGINE = "engine";

    /** The session ended, or its turn was interrupted. */
    static final String SESSION = "session";

    /** The run that asked is over. */
    static final String PAIR = "pair";

    private static final String API = "api";
    private static final Set<String> OURS = Set.of(RULE, EXPIRY, ENGINE, SESSION, PAIR);
    private static final Pattern SOURCE = Pattern.compile("[a-z0-9-]{1,32}");

    /** As a client may call itself, by its header. */
    public static String source(Optional<String> header) {
        return header.filter(name -> SOURCE.matcher(name).matches() && !OURS.contains(name))
                .orElse(API);
    }

    private DecidedBy() {}
}
