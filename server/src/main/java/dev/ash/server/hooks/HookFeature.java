package dev.ash.server.hooks;

import dev.ash.server.approval.Approvals;
import dev.ash.server.event.EventLog;
import dev.ash.server.http.Endpoint;
import dev.ash.server.store.Housekeeping.Task;
import dev.ash.server.store.Storage;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Assembles terminal sessions: hooks, the hook token, and the endpoints. */
public final class HookFeature implements AutoCloseable {
    private final Hooks hooks;
    private final HookToken token;
    private final HookRoutes routes;

    /** {@code ownToken} replaces the token that is stored in the data directory. */
    public HookFeature(
            Storage storage,
            EventLog log,
            Approvals approvals,
            HookTimeouts timeouts,
            Optional<String> ownToken)
            throws IOException {
        this.hooks =
                new Hooks(storage.database(), log.events(), approvals, storage.clock(), timeouts);
        this.token =
                HookToken.open(
                        storage.resolve("hook-token"), ownToken, storage.random(), storage.clock());
        this.routes = new HookRoutes(hooks, token, log.views());
    }

    public Hooks hooks() {
        return hooks;
    }

    public HookToken token() {
        return token;
    }

    public List<Endpoint> endpoints() {
        return routes.endpoints();
    }

    /** Returns the endpoint for hook events, which the gateway serves too. */
    public Endpoint eventEndpoint() {
        return routes.eventEndpoint();
    }

    public List<Task> tasks() {
        return List.of(new Task("end silent terminal sessions", hooks::endSilent));
    }

    /** Cancels stale questions. Call this before the server accepts requests. */
    public void recover() {
        hooks.recover();
    }

    @Override
    public void close() {
        hooks.close();
    }
}
