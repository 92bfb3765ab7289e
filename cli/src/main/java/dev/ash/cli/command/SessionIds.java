package dev.ash.cli.command;

import dev.ash.protocol.rest.Session;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.SessionFilter;
import java.util.stream.Collectors;

/** Resolves the first characters of a session id, where exactly one session has them. */
public final class SessionIds {
    private static final int SHORTEST = 4;
    private static final String PREFIX = "[0-9a-f-]{1,35}";
    private static final int SHOWN = 5;

    private SessionIds() {}

    /** A text that cannot be a prefix is returned as it is; the server rejects it. */
    public static String resolve(AshClient client, String text) {
        if (!text.matches(PREFIX)) {
            return text;
        }
        if (text.length() < SHORTEST) {
            throw new Failure(
                    ExitCode.USAGE,
                    "\"%s\" is too short for a session id. Give at least the first %d characters; `ash session list` shows the ids."
                            .formatted(text, SHORTEST));
        }
        var page = client.sessions().list(SessionFilter.idPrefix(text));
        // An older server ignores the filter.
        var found = page.sessions().stream().filter(each -> each.id().startsWith(text)).toList();
        return switch (found.size()) {
            case 0 ->
                    throw new Failure(
                            ExitCode.NOT_FOUND,
                            "There is no session whose id begins with \"%s\". `ash session list` shows the sessions."
                                    .formatted(text));
            case 1 -> found.getFirst().id();
            default ->
                    throw new Failure(
                            ExitCode.USAGE,
                            "%d session ids begin with \"%s\". Give more characters: %s%s"
                                    .formatted(
                                            found.size(),
                                            text,
                                            found.stream()
                                                    .limit(SHOWN)
                                                    .map(Session::id)
                                                    .collect(Collectors.joining(", ")),
                                            found.size() > SHOWN ? ", …" : ""));
        };
    }
}
