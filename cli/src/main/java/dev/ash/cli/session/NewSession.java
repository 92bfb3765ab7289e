package dev.ash.cli.session;

import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.AshClient;

/** Creates sessions for commands. */
final class NewSession {
    private NewSession() {}

    /** Creates a session; if this leaves a failed session behind, the error message names it. */
    static Session create(AshClient client, SessionApi.CreateSession request) {
        try {
            return client.sessions().create(request);
        } catch (AshApiException e) {
            var id = e.sessionId();
            if (id.isEmpty()) {
                throw e;
            }
            throw new AshApiException(
                    e.status(),
                    e.code().orElse(null),
                    "%s%s The failed session is %s. Retry with: ash session resume %s, or remove it with: ash session end %s"
                            .formatted(
                                    e.getMessage(),
                                    e.getMessage().endsWith(".") ? "" : ".",
                                    id.get(),
                                    id.get(),
                                    id.get()),
                    id.get());
        }
    }
}
