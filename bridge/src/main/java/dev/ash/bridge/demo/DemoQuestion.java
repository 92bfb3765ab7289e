package dev.ash.bridge.demo;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import java.util.concurrent.CompletableFuture;

/** A question that a turn waits on until the first of three things happens. */
final class DemoQuestion {
    sealed interface Outcome {}

    record Decided(Approve decision) implements Outcome {}

    enum End implements Outcome {
        STOPPED,
        LAID_ASIDE
    }

    private final DemoCall call;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    DemoQuestion(DemoCall call) {
        this.call = call;
    }

    DemoCall call() {
        return call;
    }

    Outcome await() {
        return outcome.join();
    }

    void decide(Approve decision) {
        if (decision.id().equals(call.id())) {
            outcome.complete(new Decided(decision));
        }
    }

    void stop() {
        outcome.complete(End.STOPPED);
    }

    /** False if something else happened first. */
    boolean layAside() {
        return outcome.complete(End.LAID_ASIDE);
    }
}
