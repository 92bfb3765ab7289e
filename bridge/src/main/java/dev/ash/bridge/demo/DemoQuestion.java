package dev.ash.bridge.demo;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import java.util.concurrent.CompletableFuture;

/** An open question of a turn; ends with a decision, an interrupt or its deferral. */
final class DemoQuestion {
    sealed interface Outcome {}

    record Decided(Approve decision) implements Outcome {}

    enum End implements Outcome {
        STOPPED,
        DEFERRED
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

    /** Returns false if the question has already ended. */
    boolean defer() {
        return outcome.complete(End.DEFERRED);
    }
}
