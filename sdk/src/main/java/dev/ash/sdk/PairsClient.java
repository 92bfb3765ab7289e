package dev.ash.sdk;

import dev.ash.protocol.rest.PairApi;
import dev.ash.protocol.rest.PairApi.Pair;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The calls below {@code /api/pairs}: one agent works on a repository, another reviews, until it is
 * right.
 */
public final class PairsClient {
    private final Calls calls;

    PairsClient(Calls calls) {
        this.calls = calls;
    }

    /** Starts a pair and does not wait for it. */
    public Pair create(PairApi.CreatePair request) {
        return create(request, SessionsClient.newKey());
    }

    /**
     * With a key of the caller's: however often this is called with it, by this program or after
     * its restart, there is one pair.
     */
    public Pair create(PairApi.CreatePair request, String idempotencyKey) {
        return calls.make(
                        Target.of("/api/pairs"),
                        request,
                        idempotencyKey,
                        PairApi.PairResponse.class)
                .pair();
    }

    public List<Pair> list() {
        return calls.get(Target.of("/api/pairs"), PairApi.Pairs.class).pairs();
    }

    public Pair get(String id) {
        return calls.get(pair(id), PairApi.PairResponse.class).pair();
    }

    /** What happened until now, after event {@code after} (0 for all); see {@link PairEvent#of}. */
    public EventStream events(String id, long after) {
        return new EventStream(watch(id, after, false));
    }

    /** What happened after event {@code after}, then what happens, on one connection. */
    public EventStream stream(String id, long after) {
        return new EventStream(watch(id, after, true));
    }

    /** As {@link #stream}, but comes back when a connection is lost. Ends when the pair is over. */
    public EventStream follow(String id, long after) {
        return new EventStream(
                new LastingFrames(
                        last -> watch(id, last, true),
                        after,
                        frame -> frame == null && isOver(id),
                        calls.retries()));
    }

    /** A server that shuts down ends its streams, too, and its pairs go on with the next one. */
    private boolean isOver(String id) {
        try {
            return get(id).state().equals("over");
        } catch (ServerUnreachableException | ConnectionLostException e) {
            return false;
        }
    }

    /** What is in the mailbox after message {@code after} (0 for all), a page at a time. */
    public List<PairApi.Message> messages(String id, long after) {
        var target = pair(id).segment("messages").query("after", after);
        return calls.get(target, PairApi.Messages.class).messages();
    }

    /** Says something with a person's authority, to one peer or, where that is null, to both. */
    public PairApi.Message say(String id, String text, @Nullable String to) {
        var request = new PairApi.Say(text, to);
        return calls.post(pair(id).segment("messages"), request, PairApi.Message.class);
    }

    /** What came of it, in Markdown. */
    public String report(String id) {
        return calls.get(pair(id).segment("report"), PairApi.Text.class).text();
    }

    /** Decides a disagreement: {@code go_on}, {@code accept} or {@code reject}. */
    public Pair answer(String id, String decision, @Nullable String message) {
        return act(id, "answer", new PairApi.Answer(decision, message));
    }

    /** After the step that it is at. */
    public Pair pause(String id) {
        return act(id, "pause", null);
    }

    /** What it did so far is kept. */
    public Pair stop(String id) {
        return act(id, "stop", null);
    }

    public Pair resume(String id) {
        return resume(id, new PairApi.Resume(null, null, null, null));
    }

    /** With more of what it ran out of. */
    public Pair resume(String id, PairApi.Resume more) {
        return act(id, "resume", more);
    }

    /** Removes its clones, if all that they hold is in the repository; tells what is kept. */
    public PairApi.Cleaned clean(String id) {
        return calls.post(pair(id).segment("clean"), null, PairApi.Cleaned.class);
    }

    private Pair act(String id, String verb, @Nullable Object body) {
        return calls.post(pair(id).segment(verb), body, PairApi.PairResponse.class).pair();
    }

    private Frames watch(String id, long after, boolean follow) {
        var target =
                pair(id).segment("stream")
                        .query("after", after > 0 ? after : null)
                        .query("follow", follow ? null : "false");
        Map<String, String> last =
                after > 0 ? Map.of("Last-Event-ID", Long.toString(after)) : Map.of();
        return calls.frames("GET", target, null, last);
    }

    private static Target pair(String id) {
        return Target.of("/api/pairs").segment(id);
    }
}
