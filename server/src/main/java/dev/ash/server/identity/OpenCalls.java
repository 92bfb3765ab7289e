package dev.ash.server.identity;

import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The open streams, waits and connections of one kind of caller. Ends them when the caller's
 * credential becomes invalid. Thread-safe.
 */
public final class OpenCalls {
    private static final System.Logger LOG = System.getLogger("ash.identity");
    private static final int PAGE = 500; // ids per query

    private final UnaryOperator<Set<String>> valid;
    private final String invalidReason;
    private final Map<String, Set<Call>> calls = new ConcurrentHashMap<>();

    private record Call(Object identity, Consumer<String> onEnd) {}

    /**
     * @param valid returns the given caller ids whose credential is neither revoked nor expired
     * @param invalidReason the reason for ending calls of other callers
     */
    public OpenCalls(UnaryOperator<Set<String>> valid, String invalidReason) {
        this.valid = valid;
        this.invalidReason = invalidReason;
    }

    Authenticator.Registration add(String callerId, Consumer<String> onEnd) {
        var call = new Call(new Object(), onEnd); // not equal to any other call
        calls.compute(
                callerId,
                (_, open) -> {
                    var all = open == null ? ConcurrentHashMap.<Call>newKeySet() : open;
                    all.add(call);
                    return all;
                });
        return () ->
                calls.computeIfPresent(
                        callerId,
                        (_, open) -> {
                            open.remove(call);
                            return open.isEmpty() ? null : open;
                        });
    }

    /** Returns the ids of callers with open calls. */
    public Set<String> callers() {
        return Set.copyOf(calls.keySet());
    }

    public void end(String callerId, String reason) {
        calls.getOrDefault(callerId, Set.of()).forEach(call -> end(call, reason));
    }

    /** Logs failures, so that the remaining calls are ended too. */
    private static void end(Call call, String reason) {
        try {
            call.onEnd().accept(reason);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "Cannot end an open call", e);
        }
    }

    boolean isValid(String callerId) {
        return valid.apply(Set.of(callerId)).contains(callerId);
    }

    /** Ends the calls whose credential has expired or was revoked by another process. */
    void endInvalid() {
        var ids = new ArrayList<>(callers());
        for (int from = 0; from < ids.size(); from += PAGE) {
            var page = Set.copyOf(ids.subList(from, Math.min(from + PAGE, ids.size())));
            var stillValid = valid.apply(page);
            page.stream()
                    .filter(id -> !stillValid.contains(id))
                    .forEach(id -> end(id, invalidReason));
        }
    }
}
