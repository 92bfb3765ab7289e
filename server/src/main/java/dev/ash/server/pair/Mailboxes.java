package dev.ash.server.pair;

import dev.ash.pair.PeerName;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mcp.LoopContext;
import dev.ash.pair.mcp.McpEndpoint;
import dev.ash.pair.mcp.PairTools;
import dev.ash.pair.mcp.Role;
import dev.ash.pair.mcp.ToolUser;
import dev.ash.pair.run.RunDirectories;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Mailboxes over HTTP, for engines that run outside Ash. Peers authenticate with tokens that are
 * derived from the server's key and the peer's name, so no tokens are stored.
 */
public final class Mailboxes implements AutoCloseable {
    private static final int MAX_OPEN = 256;

    private final RunDirectories directories;
    private final Function<String, List<String>> derive;
    private final int maxOpen;
    private final Map<String, OpenMailbox> open = new LinkedHashMap<>(16, 0.75f, true);

    private record OpenMailbox(Mailbox mailbox, McpEndpoint endpoint) {}

    /**
     * {@code derive} returns the valid secrets of this server for a purpose, the current one first.
     */
    public Mailboxes(RunDirectories directories, Function<String, List<String>> derive) {
        this(directories, derive, MAX_OPEN);
    }

    Mailboxes(RunDirectories directories, Function<String, List<String>> derive, int maxOpen) {
        this.directories = directories;
        this.derive = derive;
        this.maxOpen = maxOpen;
    }

    RunDirectories directories() {
        return directories;
    }

    String token(String repoId, String run, PeerName peer) {
        return tokens(repoId, run, peer).getFirst();
    }

    private List<String> tokens(String repoId, String run, PeerName peer) {
        return derive.apply("pair peer " + repoId + "\n" + run + "\n" + peer).stream()
                .map(secret -> "ashpeer_" + secret)
                .toList();
    }

    public static String encode(byte[] secret) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    /** Returns the MCP endpoint of a peer; rejects callers without its token. */
    McpEndpoint endpoint(String repoId, String run, String name, Optional<String> authorization)
            throws IOException {
        var peer = new PeerName(name);
        var presented = bytes(authorization.orElse(""));
        if (tokens(repoId, run, peer).stream()
                .noneMatch(token -> MessageDigest.isEqual(bytes("Bearer " + token), presented))) {
            throw new ApiException(
                    ErrorCode.UNAUTHORIZED,
                    "Invalid token for this peer; get it with POST /api/mailboxes");
        }
        var directory = directories.at(repoId, run).orElseThrow(Mailboxes::notFound);
        return open(directory, peer).endpoint();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static ApiException notFound() {
        return new ApiException(ErrorCode.PAIR_NOT_FOUND, "Mailbox not found");
    }

    private synchronized OpenMailbox open(RunDirectory directory, PeerName peer)
            throws IOException {
        var key = directory.path() + "\n" + peer;
        var known = open.get(key);
        if (known != null) {
            return known;
        }
        var peers = MailboxMembers.read(directory.path()).orElseThrow(Mailboxes::notFound).peers();
        var role = Optional.ofNullable(peers.get(peer)).orElseThrow(Mailboxes::notFound);
        var mailbox = Mailbox.open(directory.path(), directory.runId());
        var user = ToolUser.of(peer, peers.keySet(), role);
        var tools = new PairTools(mailbox, user, LoopContext.NONE);
        var opened = new OpenMailbox(mailbox, new McpEndpoint(tools));
        open.put(key, opened);
        if (open.size() > maxOpen) {
            // Evict the least recently used mailbox; the peer's next call reopens it.
            var eldest = open.entrySet().iterator();
            close(eldest.next().getValue());
            eldest.remove();
        }
        return opened;
    }

    /**
     * Admits peers to the mailbox of a run. Closes its open endpoints, which are reopened with the
     * new list of peers.
     */
    synchronized MailboxMembers admit(
            RunDirectory directory, TenantId tenant, Map<PeerName, Role> added) throws IOException {
        var known =
                MailboxMembers.read(directory.path()).orElse(new MailboxMembers(tenant, Map.of()));
        if (!known.tenant().equals(tenant)) {
            throw notFound();
        }
        var members = known.with(added);
        members.save(directory.path());
        var prefix = directory.path() + "\n";
        for (var key : open.keySet().stream().filter(k -> k.startsWith(prefix)).toList()) {
            close(Objects.requireNonNull(open.remove(key)));
        }
        return members;
    }

    private static void close(OpenMailbox one) throws IOException {
        one.endpoint().close();
        one.mailbox().close();
    }

    @Override
    public synchronized void close() {
        for (var one : open.values()) {
            try {
                close(one);
            } catch (IOException e) {
                // Nothing remains to be written.
            }
        }
        open.clear();
    }
}
