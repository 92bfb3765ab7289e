package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/mailboxes}. */
public interface MailboxApi {
    /** {@code role} is {@code peer} (default), {@code worker} or {@code reviewer}. */
    record Peer(
            String name,
            @FieldSchema(values = {"peer", "worker", "reviewer"}) @Nullable String role) {}

    /**
     * Opens a mailbox. {@code repository} is a directory on the server's host; {@code run} is a
     * number or name, created if new; a new number if absent.
     */
    record OpenMailbox(String repository, @Nullable String run, List<Peer> peers) {}

    /** The URL for a peer's MCP client, and the token that authenticates the peer. */
    record PeerConnection(
            String name,
            @FieldSchema(values = {"peer", "worker", "reviewer"}) String role,
            String url,
            String token) {}

    record Mailbox(String repoId, String run, String folder, List<PeerConnection> peers) {}

    record MailboxResponse(Mailbox mailbox) {}
}
