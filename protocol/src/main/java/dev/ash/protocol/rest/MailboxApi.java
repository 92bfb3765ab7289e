package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Requests and answers of {@code /api/mailboxes}. */
public interface MailboxApi {
    /** {@code role} is {@code peer} (if absent), {@code worker} or {@code reviewer}. */
    record Peer(
            String name,
            @FieldSchema(values = {"peer", "worker", "reviewer"}) @Nullable String role) {}

    /**
     * {@code repository} is a folder on the server's host; {@code run} a number or name, made if
     * new; a new number if it is absent.
     */
    record OpenMailbox(String repository, @Nullable String run, List<Peer> peers) {}

    /** Where a peer's MCP client connects, and the token that says who it is. */
    record Door(
            String name,
            @FieldSchema(values = {"peer", "worker", "reviewer"}) String role,
            String url,
            String token) {}

    record Mailbox(String repoId, String run, String folder, List<Door> peers) {}

    record MailboxAnswer(Mailbox mailbox) {}
}
