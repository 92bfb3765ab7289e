package dev.ash.server.session.turn;

import dev.ash.protocol.TurnId;
import dev.ash.server.store.Transaction;

/** Statements of a caller that commit together with a new turn. May run twice. */
public interface TurnStatements {
    TurnStatements NONE = (_, _, _) -> {};

    void run(Transaction transaction, TurnId turn, long now);
}
