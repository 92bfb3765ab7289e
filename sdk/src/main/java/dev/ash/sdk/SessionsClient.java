package dev.ash.sdk;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.FileContent;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Client for the {@code /api/sessions} endpoints. */
public final class SessionsClient {
    private final RestClient rest;

    SessionsClient(RestClient rest) {
        this.rest = rest;
    }

    /** Creates a session of a deployed agent and waits until it is active. */
    public Session create(String agent) {
        return create(SessionApi.CreateSession.of(agent));
    }

    public Session create(SessionApi.CreateSession request) {
        return create(request, newIdempotencyKey());
    }

    /**
     * Creates a session with the caller's idempotency key: repeated calls with the same key, also
     * after a restart of the caller, create one session.
     */
    public Session create(SessionApi.CreateSession request, String idempotencyKey) {
        var target = ApiPath.of("/api/sessions");
        return rest.postIdempotent(
                        target, request, idempotencyKey, SessionApi.SessionResponse.class)
                .session();
    }

    /**
     * Copies the session with its files and its conversation, up to the end of turn {@code turnId}
     * or, if null, completely.
     */
    public Session fork(String id, @Nullable String turnId) {
        var request = new SessionApi.ForkSession(turnId);
        return rest.post(session(id).segment("fork"), request, SessionApi.SessionResponse.class)
                .session();
    }

    /** Returns one page of sessions, newest first, and the total count. */
    public SessionApi.Sessions list(SessionFilter filter) {
        var target =
                ApiPath.of("/api/sessions")
                        .query("agent", filter.agent())
                        .query("status", filter.status())
                        .query("limit", filter.limit())
                        .query("offset", filter.offset())
                        .query("idPrefix", filter.idPrefix());
        return rest.get(target, SessionApi.Sessions.class);
    }

    public Session get(String id) {
        return rest.get(session(id), SessionApi.SessionResponse.class).session();
    }

    /** Ends the session permanently. Idempotent. */
    public Session end(String id) {
        return rest.delete(session(id), SessionApi.SessionResponse.class).session();
    }

    /**
     * Ends the session if necessary and removes all its data, including the log. Returns its final
     * state.
     */
    public Session purge(String id) {
        var target = session(id).query("purge", true);
        return rest.delete(target, SessionApi.SessionResponse.class).session();
    }

    public Session pause(String id) {
        return act(id, "pause");
    }

    public Session stop(String id) {
        return act(id, "stop");
    }

    public Session resume(String id) {
        return act(id, "resume");
    }

    public Session updateConfig(String id, SessionApi.UpdateConfig changes) {
        return rest.patch(session(id).segment("config"), changes, SessionApi.SessionResponse.class)
                .session();
    }

    /** Interrupts the running turn; returns false if there was none. */
    public boolean interrupt(String id) {
        return rest.post(session(id).segment("interrupt"), null, SessionApi.Interrupted.class)
                .interrupted();
    }

    /** Adds a message to the running turn, if its engine accepts one. */
    public SessionApi.Steered steer(String id, String text) {
        return steer(id, new SessionApi.Steer(RawJson.string(text)));
    }

    public SessionApi.Steered steer(String id, SessionApi.Steer message) {
        return rest.post(session(id).segment("steer"), message, SessionApi.Steered.class);
    }

    /** Starts a turn and streams its events until {@code Done}. */
    public EventStream send(String id, String prompt) {
        return send(id, SessionApi.SendMessage.text(prompt, false));
    }

    public EventStream send(String id, SessionApi.SendMessage message) {
        return send(id, message, newIdempotencyKey());
    }

    /**
     * Starts a turn with the caller's idempotency key, as {@link #create(SessionApi.CreateSession,
     * String)} does. The stream reconnects: before the first event of the turn it repeats the
     * prompt with the same key, which joins the first request; after it, it resumes the session's
     * stream after the last event. A session runs one turn at a time, so the next {@code done}
     * belongs to this turn.
     */
    public EventStream send(String id, SessionApi.SendMessage message, String idempotencyKey) {
        var key = RestClient.idempotencyHeader(idempotencyKey);
        return reconnecting(
                last ->
                        last > 0
                                ? openStream(id, last)
                                : rest.frames(
                                        "POST", session(id).segment("messages"), message, key),
                0,
                ReconnectingFrameSource.EndCondition.AT_DONE);
    }

    /**
     * Streams past events after number {@code after} (0 for all), then live events, on one
     * connection.
     */
    public EventStream stream(String id, long after) {
        return new EventStream(openStream(id, after));
    }

    /** Like {@link #stream}, but ends when no turn is open. */
    public EventStream streamUntilIdle(String id, long after) {
        var target = session(id).segment("stream").query("after", after).query("until", "idle");
        return new EventStream(rest.frames("GET", target, null, Map.of()));
    }

    /** Like {@link #stream}, but reconnects. Ends only when closed. */
    public EventStream follow(String id, long after) {
        return reconnecting(
                last -> openStream(id, last), after, ReconnectingFrameSource.EndCondition.NEVER);
    }

    /** Like {@link #follow}, with a {@code Prompt} at the beginning of each turn. */
    public EventStream followWithPrompts(String id, long after) {
        return reconnecting(
                last ->
                        rest.frames(
                                "GET",
                                streamPath(id, last).query("prompts", true),
                                null,
                                lastEventIdHeader(last)),
                after,
                ReconnectingFrameSource.EndCondition.NEVER);
    }

    public List<SessionApi.Message> messages(String id, long after, @Nullable Integer limit) {
        var target = session(id).segment("messages").query("after", after).query("limit", limit);
        return rest.get(target, SessionApi.Messages.class).messages();
    }

    public List<SessionApi.Event> events(
            String id, long after, @Nullable Integer limit, @Nullable String type) {
        var target =
                session(id)
                        .segment("events")
                        .query("after", after)
                        .query("limit", limit)
                        .query("type", type);
        return rest.get(target, SessionApi.Events.class).events();
    }

    /**
     * Returns the events after number {@code after}; if there are none, waits up to {@code wait}
     * for the first.
     */
    public List<SessionApi.Event> events(String id, long after, Duration wait) {
        var target =
                session(id).segment("events").query("after", after).query("wait", wait.toMillis());
        return rest.get(target, wait.plus(Limits.HEARTBEAT_INTERVAL), SessionApi.Events.class)
                .events();
    }

    /** Returns the output of the sandbox's processes after line {@code after} (-1 for all). */
    public SessionApi.Logs logs(String id, long after) {
        return rest.get(session(id).segment("logs").query("after", after), SessionApi.Logs.class);
    }

    /** Runs a shell command in the session's workspace. */
    public SessionApi.ExecResult exec(String id, String command) {
        return exec(id, command, Limits.EXEC_TIMEOUT);
    }

    public SessionApi.ExecResult exec(String id, String command, Duration timeout) {
        return rest.post(
                session(id).segment("exec"),
                new SessionApi.Exec(command, timeout.toMillis()),
                timeout.plus(Limits.EXEC_TIMEOUT), // command timeout plus overhead
                SessionApi.ExecResult.class);
    }

    public SessionApi.Files files(String id) {
        return rest.get(session(id).segment("files"), SessionApi.Files.class);
    }

    /** Lists files; {@code includeHidden} false omits caches. */
    public SessionApi.Files files(String id, boolean includeHidden) {
        var target = session(id).segment("files").query("includeHidden", includeHidden);
        return rest.get(target, SessionApi.Files.class);
    }

    /** Returns the text of a file. */
    public FileContent readFile(String id, String path) {
        return rest.get(file(id, path).query("format", "json"), FileContent.class);
    }

    /** Returns the bytes of a file. */
    public byte[] downloadFile(String id, String path) {
        return rest.bytes(file(id, path));
    }

    /** Writes files and returns a result for each; an invalid path does not affect the others. */
    public List<SessionApi.WrittenFile> writeFiles(String id, SessionApi.WriteFiles files) {
        return rest.post(session(id).segment("files"), files, SessionApi.WrittenFiles.class)
                .files();
    }

    public void deleteFile(String id, String path) {
        rest.delete(file(id, path), SessionApi.DeletedFile.class);
    }

    /** Returns the workspace as a tar.gz. */
    public byte[] downloadWorkspace(String id) {
        return rest.bytes(session(id).segment("workspace"));
    }

    /** Unpacks a tar.gz into the workspace. */
    public String uploadWorkspace(String id, byte[] tarGz) {
        var bundle = Base64.getEncoder().encodeToString(tarGz);
        return rest.post(
                        session(id).segment("workspace"),
                        new SessionApi.UploadWorkspace(bundle),
                        SessionApi.Note.class)
                .message();
    }

    private EventStream reconnecting(
            ReconnectingFrameSource.Connector connector,
            long after,
            ReconnectingFrameSource.EndCondition endCondition) {
        return new EventStream(
                new ReconnectingFrameSource(connector, after, endCondition, rest.retries()));
    }

    private FrameSource openStream(String id, long after) {
        return rest.frames("GET", streamPath(id, after), null, lastEventIdHeader(after));
    }

    private static ApiPath streamPath(String id, long after) {
        return session(id).segment("stream").query("after", after > 0 ? after : null);
    }

    private static Map<String, String> lastEventIdHeader(long after) {
        return after > 0 ? Map.of("Last-Event-ID", Long.toString(after)) : Map.of();
    }

    static String newIdempotencyKey() {
        return UUID.randomUUID().toString();
    }

    private Session act(String id, String verb) {
        return rest.post(session(id).segment(verb), null, SessionApi.SessionResponse.class)
                .session();
    }

    private static ApiPath session(String id) {
        return ApiPath.of("/api/sessions").segment(id);
    }

    private static ApiPath file(String id, String path) {
        return session(id).segment("files").segments(path);
    }
}
