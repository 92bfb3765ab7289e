package dev.ash.server.egress.model.request;

import java.util.List;

/** {@link Exits} for tests of other packages. */
public final class ExitRequests {
    public static List<String> of(RequestPolicy.Provider provider) {
        return switch (provider) {
            case ANTHROPIC -> Exits.anthropic();
            case OPENAI -> Exits.openai();
        };
    }

    private ExitRequests() {}
}
