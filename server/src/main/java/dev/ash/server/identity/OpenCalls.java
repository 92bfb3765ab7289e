package dev.ash.server.identity;

import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The open streams, waits and connections of callers of one kind, which end with the caller's
 * credential. Thread-safe.
 */
public final class OpenCalls {
    private static final System.Logger LOG = System.getLogger("ash.identity");
    private static final int PAGE = 500; // ids in one query

    private final UnaryOperator<Set<String>> valid;
    private final String invalid;
    private final Map<String, Set<Call>> calls = new ConcurrentHashMap<>();

    private record Call(Object identity, Consumer<String> onEnd) {}

    /**
     * @param valid those of the given callers' ids whose credential is neither revoked nor expired
     * @param invalid the reason that calls of other callers get
     */
    public OpenCalls(UnaryOperator<Set<String>> valid, String invalid) {
        this.valid = valid;
        this.invalid = invalid;
    }

    Authenticator.Registration add(String callerId, Consumer<String> onEnd) {
        var call = new Call(new Object(), onEnd); // equal to no other call
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

    /** The ids of the callers with an open call. */
    public Set<String> callers() {
        return Set.copyOf(calls.keySet());
    }

    public void end(String callerId, String reason) {
        calls.getOrDefault(callerId, Set.of()).forEach(call -> end(call, reason));
    }

    /** A call that fails to end does not keep others open. */
    private static void end(Call call, String reason) {
        try {
            call.onEnd().accept(reason);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "An open call could not be ended", e);
        }
    }

    boolean isValid(String callerId) {
        return valid.apply(Set.of(callerId)).contains(callerId);
    }

    /** Ends the calls whose credential has expired, or was revoked by another process. */
    void endInvalid() {
        var ids = new ArrayList<>(callers());
        for (int from = 0; from < ids.size(); from += PAGE) {
            var page = Set.copyOf(ids.subList(from, Math.min(from + PAGE, ids.size())));
            var stillValid = valid.apply(page);
            page.stream().filter(id -> !stillValid.contains(id)).forEach(id -> end(id, invalid));
        }
    }
}
