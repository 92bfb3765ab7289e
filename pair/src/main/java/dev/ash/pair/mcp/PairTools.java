package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Mailbox;
import java.io.IOException;
import java.time.Duration;

/** The tools of one peer of a run, for any number of connections. */
public final class PairTools {
    private static final int MESSAGES_A_MINUTE = 120;

    private final Mailbox mailbox;
    private final Seat seat;
    private final SendTool send;
    private final StatusTool status;
    private final VerdictTool verdict;

    /** The mailbox stays its owner's to close. */
    public PairTools(Mailbox mailbox, Seat seat, LoopLink loop) {
        this.mailbox = mailbox;
        this.seat = seat;
        var budget = new SendBudget(MESSAGES_A_MINUTE, Duration.ofMinutes(1), System::nanoTime);
        this.send = new SendTool(mailbox, seat, loop, budget);
        this.status = new StatusTool(mailbox, seat);
        this.verdict = new VerdictTool(mailbox, seat, loop);
    }

    /** A client that has just come; what its peer has not acknowledged is handed to it again. */
    public McpConnection connect() throws IOException {
        return new McpConnection(this, new Delivery(mailbox, seat.peer()));
    }

    Mailbox mailbox() {
        return mailbox;
    }

    Seat seat() {
        return seat;
    }

    SendTool send() {
        return send;
    }

    StatusTool status() {
        return status;
    }

    VerdictTool verdict() {
        return verdict;
    }
}
