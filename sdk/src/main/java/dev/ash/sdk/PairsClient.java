package dev.ash.sdk;

import dev.ash.protocol.rest.PairApi;
import dev.ash.protocol.rest.PairApi.Pair;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Client for the {@code /api/pairs} endpoints: one engine works on a repository, one reviews. */
public final class PairsClient {
    private final RestClient rest;

    PairsClient(RestClient rest) {
        this.rest = rest;
    }

    /** Starts a pair run and returns without waiting for it. */
    public Pair create(PairApi.CreatePair request) {
        return create(request, SessionsClient.newIdempotencyKey());
    }

    /**
     * Starts a pair run with the caller's idempotency key: repeated calls with the same key, also
     * after a restart of the caller, start one run.
     */
    public Pair create(PairApi.CreatePair request, String idempotencyKey) {
        return rest.postIdempotent(
                        ApiPath.of("/api/pairs"),
                        request,
                        idempotencyKey,
                        PairApi.PairResponse.class)
                .pair();
    }

    public List<Pair> list() {
        return rest.get(ApiPath.of("/api/pairs"), PairApi.Pairs.class).pairs();
    }

    public Pair get(String id) {
        return rest.get(pair(id), PairApi.PairResponse.class).pair();
    }

    /** Returns past events after number {@code after} (0 for all); see {@link PairEvent#of}. */
    public EventStream events(String id, long after) {
        return new EventStream(openStream(id, after, false));
    }

    /** Streams past events after number {@code after}, then live events, on one connection. */
    public EventStream stream(String id, long after) {
        return new EventStream(openStream(id, after, true));
    }

    /** Like {@link #stream}, but reconnects. Ends when the run is over. */
    public EventStream follow(String id, long after) {
        return new EventStream(
                new ReconnectingFrameSource(
                        last -> openStream(id, last, true),
                        after,
                        frame -> frame == null && isOver(id),
                        rest.retries()));
    }

    /** Checks the state: a server that shuts down also closes streams of runs that will resume. */
    private boolean isOver(String id) {
        try {
            return get(id).state().equals("over");
        } catch (ServerUnreachableException | ConnectionLostException e) {
            return false;
        }
    }

    /** Returns one page of the mailbox's messages after number {@code after} (0 for all). */
    public List<PairApi.Message> messages(String id, long after) {
        var target = pair(id).segment("messages").query("after", after);
        return rest.get(target, PairApi.Messages.class).messages();
    }

    /** Sends a message from the user to one peer, or to both if {@code to} is null. */
    public PairApi.Message say(String id, String text, @Nullable String to) {
        var request = new PairApi.SendPeerMessage(text, to);
        return rest.post(pair(id).segment("messages"), request, PairApi.Message.class);
    }

    /** Returns the report in Markdown. */
    public String report(String id) {
        return rest.get(pair(id).segment("report"), PairApi.Text.class).text();
    }

    /** Decides a disagreement: {@code go_on}, {@code accept} or {@code reject}. */
    public Pair answer(String id, String decision, @Nullable String message) {
        return act(id, "answer", new PairApi.PairDecision(decision, message));
    }

    /** Pauses the run after its current step. */
    public Pair pause(String id) {
        return act(id, "pause", null);
    }

    /** Stops the run and keeps its results. */
    public Pair stop(String id) {
        return act(id, "stop", null);
    }

    public Pair resume(String id) {
        return resume(id, new PairApi.Resume(null, null, null, null));
    }

    /** Resumes the run with higher limits. */
    public Pair resume(String id, PairApi.Resume limits) {
        return act(id, "resume", limits);
    }

    /** Removes the run's clones if the repository has all their commits; returns what is kept. */
    public PairApi.CleanupResult clean(String id) {
        return rest.post(pair(id).segment("clean"), null, PairApi.CleanupResult.class);
    }

    private Pair act(String id, String verb, @Nullable Object body) {
        return rest.post(pair(id).segment(verb), body, PairApi.PairResponse.class).pair();
    }

    private FrameSource openStream(String id, long after, boolean follow) {
        var target =
                pair(id).segment("stream")
                        .query("after", after > 0 ? after : null)
                        .query("follow", follow ? null : "false");
        Map<String, String> headers =
                after > 0 ? Map.of("Last-Event-ID", Long.toString(after)) : Map.of();
        return rest.frames("GET", target, null, headers);
    }

    private static ApiPath pair(String id) {
        return ApiPath.of("/api/pairs").segment(id);
    }
}
