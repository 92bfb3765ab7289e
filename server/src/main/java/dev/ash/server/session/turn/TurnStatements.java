package dev.ash.server.session.turn;

import dev.ash.protocol.TurnId;
import dev.ash.server.store.Transaction;

/** What a caller stores together with a new turn; may run twice, as every unit of work. */
public interface TurnStatements {
    TurnStatements NONE = (_, _, _) -> {};

    void run(Transaction transaction, TurnId turn, long now);
}
