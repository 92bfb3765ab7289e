package dev.ash.sdk;

import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.FileContent;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The calls below {@code /api/sessions}. */
public final class SessionsClient {
    private final Calls calls;

    SessionsClient(Calls calls) {
        this.calls = calls;
    }

    /** Opens a session of a deployed agent and waits until it is active. */
    public Session create(String agent) {
        return create(SessionApi.CreateSession.of(agent));
    }

    public Session create(SessionApi.CreateSession request) {
        return create(request, newKey());
    }

    /**
     * With a key of the caller's: however often this is called with it, by this program or after
     * its restart, there is one session.
     */
    public Session create(SessionApi.CreateSession request, String idempotencyKey) {
        var target = Target.of("/api/sessions");
        return calls.make(target, request, idempotencyKey, SessionApi.SessionResponse.class)
                .session();
    }

    /**
     * A copy of the session, with its files and its conversation up to the end of turn {@code
     * turnId}, or all of it; the two go their own ways from there.
     */
    public Session fork(String id, @Nullable String turnId) {
        var request = new SessionApi.ForkSession(turnId);
        return calls.post(session(id).segment("fork"), request, SessionApi.SessionResponse.class)
                .session();
    }

    /** One page, newest first, and how many there are in all. */
    public SessionApi.Sessions list(SessionFilter filter) {
        var target =
                Target.of("/api/sessions")
                        .query("agent", filter.agent())
                        .query("status", filter.status())
                        .query("limit", filter.limit())
                        .query("offset", filter.offset())
                        .query("idPrefix", filter.idPrefix());
        return calls.get(target, SessionApi.Sessions.class);
    }

    public Session get(String id) {
        return calls.get(session(id), SessionApi.SessionResponse.class).session();
    }

    /** Ends the session for good; to end it twice is no failure. */
    public Session end(String id) {
        return calls.delete(session(id), SessionApi.SessionResponse.class).session();
    }

    /**
     * Ends the session if it has not ended, and removes everything of it, its log included. Returns
     * it as it was last; from then on there is no such session.
     */
    public Session purge(String id) {
        var target = session(id).query("purge", true);
        return calls.delete(target, SessionApi.SessionResponse.class).session();
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
        return calls.patch(session(id).segment("config"), changes, SessionApi.SessionResponse.class)
                .session();
    }

    /** Breaks off the running turn; false when there was none. */
    public boolean interrupt(String id) {
        return calls.post(session(id).segment("interrupt"), null, SessionApi.Interrupted.class)
                .interrupted();
    }

    /** Starts a turn; its events come as they happen, until {@code Done}. */
    public EventStream send(String id, String prompt) {
        return send(id, SessionApi.SendMessage.text(prompt, false));
    }

    public EventStream send(String id, SessionApi.SendMessage message) {
        return send(id, message, newKey());
    }

    /**
     * With a key of the caller's, as for {@link #create(SessionApi.CreateSession, String)}. The
     * stream outlives its connection: until an event of the turn has come, the prompt is sent again
     * with the same key, so that it joins the first; from then on the session's stream goes on
     * after the last event. A turn being all that happens in a session, the next {@code done} is
     * its own.
     */
    public EventStream send(String id, SessionApi.SendMessage message, String idempotencyKey) {
        var key = Calls.idempotent(idempotencyKey);
        return lasting(
                last ->
                        last > 0
                                ? watch(id, last)
                                : calls.frames(
                                        "POST", session(id).segment("messages"), message, key),
                0,
                LastingFrames.End.AT_DONE);
    }

    /**
     * Watches a session on one connection: what it said after event {@code after} (0 for all), then
     * what it says.
     */
    public EventStream stream(String id, long after) {
        return new EventStream(watch(id, after));
    }

    /** As {@link #stream}, but ends when no turn is open. */
    public EventStream streamUntilIdle(String id, long after) {
        var target = session(id).segment("stream").query("after", after).query("until", "idle");
        return new EventStream(calls.frames("GET", target, null, Map.of()));
    }

    /** As {@link #stream}, but comes back when a connection is lost. Ends only by being closed. */
    public EventStream follow(String id, long after) {
        return lasting(last -> watch(id, last), after, LastingFrames.End.NEVER);
    }

    /** As {@link #follow}, with a {@code Prompt} at the beginning of each turn. */
    public EventStream followWithPrompts(String id, long after) {
        return lasting(
                last ->
                        calls.frames(
                                "GET",
                                streamOf(id, last).query("prompts", true),
                                null,
                                lastEvent(last)),
                after,
                LastingFrames.End.NEVER);
    }

    public List<SessionApi.Message> messages(String id, long after, @Nullable Integer limit) {
        var target = session(id).segment("messages").query("after", after).query("limit", limit);
        return calls.get(target, SessionApi.Messages.class).messages();
    }

    public List<SessionApi.Event> events(
            String id, long after, @Nullable Integer limit, @Nullable String type) {
        var target =
                session(id)
                        .segment("events")
                        .query("after", after)
                        .query("limit", limit)
                        .query("type", type);
        return calls.get(target, SessionApi.Events.class).events();
    }

    /**
     * The events after number {@code after}; where there are none yet, waits for the first for at
     * most {@code wait}.
     */
    public List<SessionApi.Event> events(String id, long after, Duration wait) {
        var target =
                session(id).segment("events").query("after", after).query("wait", wait.toMillis());
        return calls.get(target, wait.plus(Limits.HEARTBEAT_INTERVAL), SessionApi.Events.class)
                .events();
    }

    /** What the sandbox's processes wrote, from the line after index {@code after} (-1 for all). */
    public SessionApi.Logs logs(String id, long after) {
        return calls.get(session(id).segment("logs").query("after", after), SessionApi.Logs.class);
    }

    /** Runs a shell command in the session's workspace. */
    public SessionApi.ExecResult exec(String id, String command) {
        return exec(id, command, Limits.EXEC_TIMEOUT);
    }

    public SessionApi.ExecResult exec(String id, String command, Duration timeout) {
        return calls.post(
                session(id).segment("exec"),
                new SessionApi.Exec(command, timeout.toMillis()),
                timeout.plus(Limits.EXEC_TIMEOUT), // the command's time, and some for the way
                SessionApi.ExecResult.class);
    }

    public SessionApi.Files files(String id) {
        return calls.get(session(id).segment("files"), SessionApi.Files.class);
    }

    /** The same; {@code includeHidden} false leaves out caches. */
    public SessionApi.Files files(String id, boolean includeHidden) {
        var target = session(id).segment("files").query("includeHidden", includeHidden);
        return calls.get(target, SessionApi.Files.class);
    }

    /** The text of a file. */
    public FileContent readFile(String id, String path) {
        return calls.get(file(id, path).query("format", "json"), FileContent.class);
    }

    /** The bytes of a file, whatever they are. */
    public byte[] downloadFile(String id, String path) {
        return calls.bytes(file(id, path));
    }

    /** Tells for each file whether it was written: one bad path does not fail the others. */
    public List<SessionApi.WrittenFile> writeFiles(String id, SessionApi.WriteFiles files) {
        return calls.post(session(id).segment("files"), files, SessionApi.WrittenFiles.class)
                .files();
    }

    public void deleteFile(String id, String path) {
        calls.delete(file(id, path), SessionApi.DeletedFile.class);
    }

    /** The whole workspace as a tar.gz. */
    public byte[] downloadWorkspace(String id) {
        return calls.bytes(session(id).segment("workspace"));
    }

    /** Unpacks a tar.gz into the workspace. */
    public String uploadWorkspace(String id, byte[] tarGz) {
        var bundle = Base64.getEncoder().encodeToString(tarGz);
        return calls.post(
                        session(id).segment("workspace"),
                        new SessionApi.UploadWorkspace(bundle),
                        SessionApi.Note.class)
                .message();
    }

    private EventStream lasting(LastingFrames.Opening opening, long after, LastingFrames.End end) {
        return new EventStream(new LastingFrames(opening, after, end, calls.retries()));
    }

    private Frames watch(String id, long after) {
        return calls.frames("GET", streamOf(id, after), null, lastEvent(after));
    }

    private static Target streamOf(String id, long after) {
        return session(id).segment("stream").query("after", after > 0 ? after : null);
    }

    private static Map<String, String> lastEvent(long after) {
        return after > 0 ? Map.of("Last-Event-ID", Long.toString(after)) : Map.of();
    }

    static String newKey() {
        return UUID.randomUUID().toString();
    }

    private Session act(String id, String verb) {
        return calls.post(session(id).segment(verb), null, SessionApi.SessionResponse.class)
                .session();
    }

    private static Target session(String id) {
        return Target.of("/api/sessions").segment(id);
    }

    private static Target file(String id, String path) {
        return session(id).segment("files").segments(path);
    }
}
