package dev.ash.server.pair;

import dev.ash.pair.PeerName;
import dev.ash.pair.mcp.Role;
import dev.ash.pair.run.PrivateFiles;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The peers that may use the mailbox of a run over HTTP, and their roles; stored beside it. */
record MailboxMembers(TenantId tenant, Map<PeerName, Role> peers) {
    private static final String FILE = "peers.json";
    private static final int MAX_PEERS = 16;

    /** Reads the members of a mailbox, if they were saved. */
    static Optional<MailboxMembers> read(Path directory) throws IOException {
        try {
            var json = JsonObject.parse(new RawJson(Files.readAllBytes(directory.resolve(FILE))));
            var peers = new LinkedHashMap<PeerName, Role>();
            for (var peer : json.stringMap("peers").entrySet()) {
                peers.put(new PeerName(peer.getKey()), role(peer.getValue()));
            }
            return Optional.of(
                    new MailboxMembers(new TenantId(json.requireString("tenant")), peers));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Adds or updates peers. */
    MailboxMembers with(Map<PeerName, Role> more) {
        var all = new LinkedHashMap<>(peers);
        all.putAll(more);
        if (all.size() > MAX_PEERS) {
            throw ApiException.invalid(
                    "peers", "must have at most %d entries in total".formatted(MAX_PEERS));
        }
        return new MailboxMembers(tenant, all);
    }

    void save(Path directory) throws IOException {
        var json = JsonWriter.object().put("tenant", tenant.value()).name("peers").open('{');
        peers.forEach((peer, role) -> json.put(peer.value(), wire(role)));
        PrivateFiles.replace(directory.resolve(FILE), json.close('}').end().toBytes());
    }

    static String wire(Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }

    static Role role(@Nullable String wire) {
        for (var role : Role.values()) {
            if (wire(role).equals(wire == null ? "peer" : wire)) {
                return role;
            }
        }
        throw ApiException.invalid("role", "must be peer, worker or reviewer");
    }
}
