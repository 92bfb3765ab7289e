package dev.ash.server.pair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.pair.PeerName;
import dev.ash.pair.mcp.Role;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunDirectories;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MailboxesTest {
    private static final TenantId TENANT = new TenantId("t1");
    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}}";

    @TempDir private Path directory;
    private RunDirectories directories;
    private Mailboxes mailboxes;
    private RunDirectory run;

    @BeforeEach
    void create() throws IOException {
        directories = new RunDirectories(directory.resolve("base"));
        mailboxes =
                new Mailboxes(directories, purpose -> List.of("secret-" + purpose.hashCode()), 1);
        run = directories.create(Repository.of(Files.createDirectory(directory.resolve("repo"))));
    }

    @AfterEach
    void close() {
        mailboxes.close();
    }

    private int call(String peer) throws IOException {
        var repoId = Repository.of(directory.resolve("repo")).id();
        var token = mailboxes.token(repoId, run.name(), new PeerName(peer));
        return mailboxes
                .endpoint(repoId, run.name(), peer, Optional.of("Bearer " + token))
                .post(null, INITIALIZE.getBytes(UTF_8))
                .status();
    }

    @Test
    void reopensEvictedMailboxes() throws IOException {
        mailboxes.admit(
                run,
                TENANT,
                Map.of(new PeerName("a"), Role.WORKER, new PeerName("b"), Role.REVIEWER));

        for (var peer : new String[] {"a", "b", "a", "b"}) {
            assertThat(call(peer)).isEqualTo(200);
        }
    }

    @Test
    void admitsConcurrentPeers() throws Exception {
        var calls = new ArrayList<Callable<MailboxMembers>>();
        for (int i = 0; i < 12; i++) {
            var peer = new PeerName("peer-" + i);
            calls.add(() -> mailboxes.admit(run, TENANT, Map.of(peer, Role.PEER)));
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(calls)) {
                done.get();
            }
        }

        assertThat(MailboxMembers.read(run.path()).orElseThrow().peers()).hasSize(12);
    }

    @Test
    void rejectsOtherTenants() throws IOException {
        mailboxes.admit(run, TENANT, Map.of(new PeerName("a"), Role.PEER));

        assertThatThrownBy(
                        () ->
                                mailboxes.admit(
                                        run,
                                        new TenantId("t2"),
                                        Map.of(new PeerName("b"), Role.PEER)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("Mailbox not found");
    }
}
