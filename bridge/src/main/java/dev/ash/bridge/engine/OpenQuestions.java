package dev.ash.bridge.engine;

import dev.ash.protocol.bridge.BridgeEvent.Approval;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The open questions of one engine process by the id of their approval. Thread-safe; the lock is
 * not held while reporting to the sink.
 */
public final class OpenQuestions<Q extends OpenQuestions.Question> {
    /** A question; each engine adds the data that its answer needs. */
    public interface Question {
        /** Returns the turn of the question; null between turns. */
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

    /** Adds a question, which can then be answered, without reporting it to the sink. */
    public synchronized void add(Q question) {
        open.put(question.approval().id(), question);
    }

    public synchronized boolean contains(String id) {
        return open.containsKey(id);
    }

    /** Removes a question to answer it; returns null if it is not open. */
    public synchronized @Nullable Q remove(String id) {
        return open.remove(id);
    }

    /** Removes this question; returns false if it was already removed. */
    public synchronized boolean remove(Q question) {
        return open.remove(question.approval().id(), question);
    }

    /** Returns the open question if there is exactly one. */
    public synchronized Optional<Q> single() {
        return open.size() == 1 ? open.values().stream().findFirst() : Optional.empty();
    }

    /** Removes the matching questions and reports that they are no longer open. */
    public void withdraw(Predicate<Q> filter) {
        List<Q> withdrawn;
        synchronized (this) {
            withdrawn = open.values().stream().filter(filter).toList();
            open.values().removeAll(withdrawn);
        }
        for (var question : withdrawn) {
            sink.withdrawQuestion(question.turn(), question.approval().id());
        }
    }

    public void withdrawAll() {
        withdraw(_ -> true);
    }

    /** Removes all questions without a report: they may still be decided, and asked again. */
    public synchronized List<Q> removeAllSilently() {
        var all = List.copyOf(open.values());
        open.clear();
        return all;
    }
}
