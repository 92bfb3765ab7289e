package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.event.SessionEvents;
import java.io.IOException;
import java.time.Duration;

/** Lets a bridge leave in order, before its sandbox is ended. */
final class Farewell {
    private static final Duration TO_LEAVE = Duration.ofSeconds(3);

    /** An engine writes its transcript a moment after it answers; a resume will want it whole. */
    static void of(LiveSession session, Thread reader, SessionEvents events) {
        try {
            events.flush(session.id());
        } catch (ApiException e) {
            // What it has said cannot be stored, also later.
        }
        try {
            session.send(new BridgeCommand.Shutdown());
            reader.join(TO_LEAVE);
        } catch (IOException e) {
            // It has left already.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Farewell() {}
}
