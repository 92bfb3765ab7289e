package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeCommand;
import java.io.IOException;

/** A live bridge that asks and waits. */
public interface Asker {
    SessionId session();

    /** Which launch of a bridge this is; the same as in the places of its events. */
    String bridgeId();

    /** May block; called on a thread of the session's own, one answer at a time. */
    void answer(BridgeCommand.Approve answer) throws IOException;
}
