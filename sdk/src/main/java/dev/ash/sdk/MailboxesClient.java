package dev.ash.sdk;

import dev.ash.protocol.rest.MailboxApi;

/** Client for the {@code /api/mailboxes} endpoint: mailboxes for engines outside Ash. */
public final class MailboxesClient {
    private final RestClient rest;

    MailboxesClient(RestClient rest) {
        this.rest = rest;
    }

    /** Opens the mailbox of a run and returns an MCP URL and a token for each peer. */
    public MailboxApi.Mailbox open(MailboxApi.OpenMailbox request) {
        return rest.post(ApiPath.of("/api/mailboxes"), request, MailboxApi.MailboxResponse.class)
                .mailbox();
    }
}
