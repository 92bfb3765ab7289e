package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Mailbox;
import java.io.IOException;
import java.time.Duration;

/** The MCP tools of a peer, shared by its connections. */
public final class PairTools {
    private static final int MESSAGES_PER_MINUTE = 120;

    private final Mailbox mailbox;
    private final ToolUser user;
    private final SendTool send;
    private final StatusTool status;
    private final VerdictTool verdict;

    /** Does not close the mailbox. */
    public PairTools(Mailbox mailbox, ToolUser user, LoopContext loop) {
        this.mailbox = mailbox;
        this.user = user;
        var rateLimiter =
                new SendRateLimiter(MESSAGES_PER_MINUTE, Duration.ofMinutes(1), System::nanoTime);
        this.send = new SendTool(mailbox, user, loop, rateLimiter);
        this.status = new StatusTool(mailbox, user);
        this.verdict = new VerdictTool(mailbox, user, loop);
    }

    /**
     * Opens a connection for a new client, which receives all unacknowledged messages of the peer.
     */
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
