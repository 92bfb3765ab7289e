package dev.ash.server.session.live;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;

/**
 * A new turn that is to be stored and sent to the bridge, or queued.
 *
 * @param isLoggedUnchanged whether the prompt in the log is the one that is sent to the bridge
 * @param maxQueued the maximum length of the queue; 0 if this prompt must not be queued
 * @param statements commit together with the turn
 */
public record NewTurn(
        TurnId id,
        BridgeCommand.Query query,
        NewEvent prompt,
        boolean isLoggedUnchanged,
        int maxQueued,
        SessionEvents.Statements statements) {}
