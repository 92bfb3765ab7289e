package dev.ash.cli.command;

import dev.ash.protocol.rest.Session;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.SessionFilter;
import java.util.stream.Collectors;

/** Resolves the first characters of a session id to the id. */
public final class SessionIds {
    private static final int MIN_PREFIX_LENGTH = 4;
    private static final String PREFIX = "[0-9a-f-]{1,35}";
    private static final int SHOWN = 5;

    private SessionIds() {}

    /** Returns a text that cannot be a prefix unchanged, for the server to reject. */
    public static String resolve(AshClient client, String text) {
        if (!text.matches(PREFIX)) {
            return text;
        }
        if (text.length() < MIN_PREFIX_LENGTH) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "Session id \"%s\" is too short. Specify at least the first %d characters; `ash session list` shows the ids."
                            .formatted(text, MIN_PREFIX_LENGTH));
        }
        var page = client.sessions().list(SessionFilter.idPrefix(text));
        // An older server ignores the filter.
        var found = page.sessions().stream().filter(each -> each.id().startsWith(text)).toList();
        return switch (found.size()) {
            case 0 ->
                    throw new CommandException(
                            ExitCode.NOT_FOUND,
                            "No session id starts with \"%s\". `ash session list` lists the sessions."
                                    .formatted(text));
            case 1 -> found.getFirst().id();
            default ->
                    throw new CommandException(
                            ExitCode.USAGE,
                            "%d session ids start with \"%s\". Specify more characters: %s%s"
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
