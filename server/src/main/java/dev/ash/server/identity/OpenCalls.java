package dev.ash.server.identity;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The open streams and waits of each caller, which end with its key or token. Thread-safe. */
public final class OpenCalls {
    private final Map<String, Set<Call>> calls = new ConcurrentHashMap<>();

    private record Call(Object identity, Consumer<String> onEnd) {}

    public Authenticator.Registration add(String callerId, Consumer<String> onEnd) {
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

    /** The ids of the callers with an open stream or wait. */
    public Set<String> callers() {
        return Set.copyOf(calls.keySet());
    }

    public void end(String callerId, String reason) {
        calls.getOrDefault(callerId, Set.of()).forEach(call -> call.onEnd().accept(reason));
    }
}
