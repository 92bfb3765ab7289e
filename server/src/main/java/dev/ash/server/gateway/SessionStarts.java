package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.device.Device;
import dev.ash.server.repository.GitFailedException;
import dev.ash.server.repository.Repositories;
import dev.ash.server.session.SessionDoor;
import org.jspecify.annotations.Nullable;

/** Sessions as devices begin them: in a folder of the host if they name one, and always asking. */
final class SessionStarts {
    private final SessionDoor sessions;
    private final Repositories repositories;

    SessionStarts(SessionDoor sessions, Repositories repositories) {
        this.sessions = sessions;
        this.repositories = repositories;
    }

    Session start(Device device, JsonObject fields) throws MalformedJsonException {
        var request =
                new SessionApi.CreateSession(
                        fields.requireString("agent"),
                        null,
                        null,
                        fields.string("model").orElse(null),
                        fields.string("system_prompt").orElse(null),
                        "ask",
                        null,
                        null,
                        null,
                        null,
                        null,
                        null);
        return sessions.start(
                device.tenant(), request.in(fields.string("working_directory").orElse(null)));
    }

    /** One that runs is joined as it is. */
    Session resume(Device device, SessionId id) {
        var session = sessions.find(device.tenant(), id);
        return session.status().equals("active") ? session : sessions.resume(device.tenant(), id);
    }

    /** Null where the folder is no repository. */
    @Nullable String branch(Device device, SessionId id) {
        try {
            return repositories.branch(device.tenant(), id).orElse(null);
        } catch (GitFailedException e) {
            return null;
        }
    }
}
