package dev.ash.server.session;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;

/** A prompt on its way to become a turn, and what is to be stored with it. */
record NewTurn(
        TurnId id,
        BridgeCommand.Query query,
        NewEvent prompt,
        boolean mayWait,
        SessionEvents.Also also) {}
