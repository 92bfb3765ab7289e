package dev.ash.server.session.live;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;

/**
 * A prompt on its way to become a turn, and what is to be stored with it.
 *
 * @param asLogged whether the bridge is given the prompt just as the log has it
 * @param maxQueued how many prompts may wait with it; 0 if this one must not wait
 * @param with what commits together with the turn
 */
public record NewTurn(
        TurnId id,
        BridgeCommand.Query query,
        NewEvent prompt,
        boolean isLoggedUnchanged,
        int maxQueued,
        SessionEvents.Statements statements) {}
