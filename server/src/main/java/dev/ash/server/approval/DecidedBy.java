package dev.ash.server.approval;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The names of deciders: those reserved for the server, and those that clients choose. */
public final class DecidedBy {
    /** The tool is approved for the session. */
    static final String RULE = "rule";

    static final String EXPIRY = "expiry";

    /** The engine stopped waiting. */
    static final String ENGINE = "engine";

    /** The session ended, or its turn was interrupted. */
    static final String SESSION = "session";

    /** The pair run that asked has ended. */
    static final String PAIR = "pair";

    private static final String API = "api";
    private static final Set<String> RESERVED = Set.of(RULE, EXPIRY, ENGINE, SESSION, PAIR);
    private static final Pattern SOURCE = Pattern.compile("[a-z0-9-]{1,32}");

    /** Returns the name in the client's header, or a default if it is invalid or reserved. */
    public static String fromHeader(Optional<String> header) {
        return header.filter(name -> SOURCE.matcher(name).matches() && !RESERVED.contains(name))
                .orElse(API);
    }

    private DecidedBy() {}
}
