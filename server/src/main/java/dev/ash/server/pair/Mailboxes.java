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
 * Mailboxes over HTTP, for engines that run outside Ash. A peer shows by its token who it is; the
 * token follows from the server's key and the peer's name, so none is stored.
 */
public final class Mailboxes implements AutoCloseable {
    private static final int MAX_OPEN = 256;

    private final RunDirectories directories;
    private final Function<String, List<String>> derive;
    private final int maxOpen;
    private final Map<String, Open> open = new LinkedHashMap<>(16, 0.75f, true);

    private record Open(Mailbox mailbox, McpEndpoint endpoint) {}

    /**
     * {@code derive} makes the secrets of this server's own that are valid for a purpose, the
     * current one first.
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

    public static String encoded(byte[] secret) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    /** The tools of a peer, for who has its token. */
    McpEndpoint endpoint(String repoId, String run, String name, Optional<String> authorization)
            throws IOException {
        var peer = new PeerName(name);
        var presented = bytes(authorization.orElse(""));
        if (tokens(repoId, run, peer).stream()
                .noneMatch(token -> MessageDigest.isEqual(bytes("Bearer " + token), presented))) {
            throw new ApiException(
                    ErrorCode.UNAUTHORIZED,
                    "This is not the token of that peer; POST /api/mailboxes tells it");
        }
        var directory = directories.at(repoId, run).orElseThrow(Mailboxes::gone);
        return opened(directory, peer).endpoint();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static ApiException gone() {
        return new ApiException(ErrorCode.PAIR_NOT_FOUND, "There is no such mailbox any more");
    }

    private synchronized Open opened(RunDirectory directory, PeerName peer) throws IOException {
        var key = directory.path() + "\n" + peer;
        var known = open.get(key);
        if (known != null) {
            return known;
        }
        var peers = MailboxMembers.read(directory.path()).orElseThrow(Mailboxes::gone).peers();
        var role = Optional.ofNullable(peers.get(peer)).orElseThrow(Mailboxes::gone);
        var mailbox = Mailbox.open(directory.path(), directory.runId());
        var user = ToolUser.of(peer, peers.keySet(), role);
        var tools = new PairTools(mailbox, user, LoopContext.NONE);
        var made = new Open(mailbox, new McpEndpoint(tools));
        open.put(key, made);
        if (open.size() > maxOpen) {
            // Used least lately; it is opened again when its peer calls.
            var eldest = open.entrySet().iterator();
            close(eldest.next().getValue());
            eldest.remove();
        }
        return made;
    }

    /** Lets these use the mailbox of a run, besides those who may; all of them learn of it. */
    synchronized MailboxMembers admit(
            RunDirectory directory, TenantId tenant, Map<PeerName, Role> wanted)
            throws IOException {
        var known =
                MailboxMembers.read(directory.path()).orElse(new MailboxMembers(tenant, Map.of()));
        if (!known.tenant().equals(tenant)) {
            throw gone();
        }
        var members = known.with(wanted);
        members.keep(directory.path());
        var begin = directory.path() + "\n";
        for (var key : open.keySet().stream().filter(k -> k.startsWith(begin)).toList()) {
            close(Objects.requireNonNull(open.remove(key)));
        }
        return members;
    }

    private static void close(Open one) throws IOException {
        one.endpoint().close();
        one.mailbox().close();
    }

    @Override
    public synchronized void close() {
        for (var one : open.values()) {
            try {
                close(one);
            } catch (IOException e) {
                // Nothing is left to be written.
            }
        }
        open.clear();
    }
}
