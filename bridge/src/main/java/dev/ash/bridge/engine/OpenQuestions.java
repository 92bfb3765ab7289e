package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeEvent.Approval;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The questions that one engine process waits on, by the id of their approval. The monitor guards
 * them; it is not held while reporting.
 */
public final class OpenQuestions<Q extends OpenQuestions.Question> {
    /** What each engine adds is how it wants to be answered. */
    public interface Question {
        /** Null between turns. */
        @Nullable Turn turn();

        Approval approval();
    }

    private final EngineSink sink;
    private final Map<String, Q> open = new LinkedHashMap<>();

    public OpenQuestions(EngineSink sink) {
        this.sink = sink;
    }

    public void ask(Q question) {
        add(question);
        sink.ask(question.turn(), question.approval());
    }

    /** From here on it can be answered; nobody is told of it. */
    public synchronized void add(Q question) {
        open.put(question.approval().id(), question);
    }

    public synchronized boolean contains(String id) {
        return open.containsKey(id);
    }

    /** For the one who answers it; null if nobody waits for that. */
    public synchronized @Nullable Q take(String id) {
        return open.remove(id);
    }

    /** False if somebody took it before. */
    public synchronized boolean take(Q question) {
        return open.remove(question.approval().id(), question);
    }

    /** Empty unless there is exactly one. */
    public synchronized Optional<Q> only() {
        return open.size() == 1 ? open.values().stream().findFirst() : Optional.empty();
    }

    /** Nobody waits for an answer to these any more. */
    public void withdraw(Predicate<Q> which) {
        List<Q> gone;
        synchronized (this) {
            gone = open.values().stream().filter(which).toList();
            open.values().removeAll(gone);
        }
        for (var question : gone) {
            sink.askedNoMore(question.turn(), question.approval().id());
        }
    }

    public void withdrawAll() {
        withdraw(_ -> true);
    }

    /** Nobody is told: what was asked may yet be decided, and asked again. */
    public synchronized List<Q> forgetAll() {
        var all = List.copyOf(open.values());
        open.clear();
        return all;
    }
}
