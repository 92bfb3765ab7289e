package dev.ash.sdk;

import dev.ash.protocol.rest.MailboxApi;

/** The call of {@code /api/mailboxes}: mailboxes for engines outside Ash. */
public final class MailboxesClient {
    private final Calls calls;

    MailboxesClient(Calls calls) {
        this.calls = calls;
    }

    /** Opens the mailbox of a run, and returns an MCP address and a token for each peer. */
    public MailboxApi.Mailbox open(MailboxApi.OpenMailbox request) {
        return calls.post(Target.of("/api/mailboxes"), request, MailboxApi.MailboxResponse.class)
                .mailbox();
    }
}
