package dev.ash.cli.session;

import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.AshClient;

/** Creates sessions. */
final class NewSession {
    private NewSession() {}

    /** A failed request can leave a session behind, in state error; the message then names it. */
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
                    "%s%s The failed session is %s. Try again: ash session resume %s, or remove it: ash session end %s"
                            .formatted(
                                    e.message(),
                                    e.message().endsWith(".") ? "" : ".",
                                    id.get(),
                                    id.get(),
                                    id.get()),
                    id.get());
        }
    }
}
