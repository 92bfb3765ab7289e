package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Tests a full disk: the server rejects new work, loses no event it has sent, and recovers
 * afterwards.
 */
class FullDiskTest {
    private static final String BIG = "x".repeat(400_000);

    @Test
    void fullDiskRejectsAgentsAndRecovers() throws Exception {
        try (var directory = TestDirectory.create();
                var disk =
                        SmallDisk.mount(directory.path().resolve("disk"), "size=400m,mode=0711");
                var server = AshServer.start(Map.of("ASH_DATA_DIR", disk.path().toString()))) {
            server.deploy("before");
            var filler = disk.fill();
            var files =
                    List.of(
                            Map.of("path", "CLAUDE.md", "content", AshServer.base64("x")),
                            Map.of("path", "big", "content", AshServer.base64(BIG)));

            server.api()
                    .post("/api/agents", Map.of("name", "big", "files", files))
                    .refused(507, "DISK_FULL", "full");
            server.api().get("/api/agents/big").expect(404);
            Files.delete(filler);

            server.deploy("after");
            assertThat(Frame.names(server.session("after").ask("hello"))).contains("message");
        }
    }

    @Test
    void fullDiskFailsRunningTurnsRejectsNewOnesAndRecovers() throws Exception {
        try (var directory = TestDirectory.create();
                var disk =
                        SmallDisk.mount(directory.path().resolve("disk"), "size=400m,mode=0711");
                var server = AshServer.start(Map.of("ASH_DATA_DIR", disk.path().toString()))) {
            server.deploy("hello");
            var idle = server.session("hello");
            idle.ask("before");
            var busy = server.session("hello");
            var store = new Store(disk.path());

            List<Frame> seen = new ArrayList<>();
            try (var turn = busy.send("demo: messages 1000000")) {
                turn.next("message");
                var filler = disk.fill();
                turn.rest().forEach(seen::add);

                assertThat(Frame.names(seen)).endsWith("error", "done");
                assertThat(Frame.only("error", seen).getFirst().data()).contains("full");
                assertPromptsRejectedOnceFull(server, idle);
                server.api()
                        .post("/api/sessions", Map.of("agent", "hello"))
                        .refused(507, "DISK_FULL", "full");
                server.api().get("/health").expect(200);
                assertThat(store.frames(busy.id()))
                        .as("received events are stored")
                        .containsAll(seen.stream().filter(frame -> frame.id() > 0).toList());
                Files.delete(filler);
            }

            busy.awaitStatus("error");
            for (var session : List.of(busy, idle)) {
                session.post("resume").expect(200);
                assertThat(Frame.names(session.ask("after")))
                        .contains("message")
                        .doesNotContain("error");
                assertGapless(store, session);
            }
            assertThat(Frame.names(server.session("hello").ask("new"))).contains("message");
        }
    }

    /** Small writes may still succeed; every prompt that was accepted must be stored. */
    private static void assertPromptsRejectedOnceFull(AshServer server, TestSession session) {
        for (int i = 0; i < 50; i++) {
            var answer =
                    server.api().post(session.path() + "/messages", Map.of("content", i + BIG));
            if (answer.status() != 200) {
                answer.refused(507, "DISK_FULL", "full", "Free some space");
                assertThat(session.messages().toString()).doesNotContain("\"" + i + "xxx");
                return;
            }
        }
        throw new AssertionError("the disk is not full");
    }

    private static void assertGapless(Store store, TestSession session) {
        var log = store.log(session.id());
        assertThat(log)
                .extracting(Store.Row::seq)
                .isEqualTo(LongStream.rangeClosed(1, log.size()).boxed().toList());
        var turns = log.stream().map(Store.Row::turn).filter(t -> !t.isEmpty()).distinct().toList();
        assertThat(log.stream().filter(row -> row.type().equals("done")).map(Store.Row::turn))
                .as("every turn has exactly one done event")
                .containsExactlyInAnyOrderElementsOf(turns);
    }
}
