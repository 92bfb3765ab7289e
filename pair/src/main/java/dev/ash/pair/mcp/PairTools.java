package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Mailbox;
import java.io.IOException;
import java.time.Duration;

/** The tools of one peer of a run, for any number of connections. */
public final class PairTools {
    private static final int MESSAGES_A_MINUTE = 120;

    private final Mailbox mailbox;
    private final ToolUser user;
    private final SendTool send;
    private final StatusTool status;
    private final VerdictTool verdict;

    /** The mailbox stays its owner's to close. */
    public PairTools(Mailbox mailbox, ToolUser user, LoopContext loop) {
        this.mailbox = mailbox;
        this.user = user;
        var budget =
                new SendRateLimiter(MESSAGES_A_MINUTE, Duration.ofMinutes(1), System::nanoTime);
        this.send = new SendTool(mailbox, user, loop, budget);
        this.status = new StatusTool(mailbox, user);
        this.verdict = new VerdictTool(mailbox, user, loop);
    }

    /** A client that has just come; what its peer has not acknowledged is handed to it again. */
    public McpConnection connect() throws IOException {
        return new McpConnection(this, new Delivery(mailbox, user.peer()));
    }

    Mailbox mailbox() {
        return mailbox;
    }

    ToolUser user() {
        return user;
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
