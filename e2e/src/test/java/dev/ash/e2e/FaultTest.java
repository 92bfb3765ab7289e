package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A disk that fills up: new work is refused, nothing is made up, and all goes on afterwards. */
class FaultTest {
    private static final String BIG = "x".repeat(400_000);

    @Test
    void aFullDiskRefusesAgentsAndRecovers() throws Exception {
        try (var folder = TestFolder.create();
                var disk = SmallDisk.mount(folder.path().resolve("disk"), "size=400m,mode=0711");
                var server = AshServer.start(Map.of("ASH_DATA_DIR", disk.path().toString()))) {
            server.deploy("before");
            var ballast = disk.fill();
            var files =
                    List.of(
                            Map.of("path", "CLAUDE.md", "content", AshServer.base64("x")),
                            Map.of("path", "big", "content", AshServer.base64(BIG)));

            server.api()
                    .post("/api/agents", Map.of("name", "big", "files", files))
                    .refused(507, "DISK_FULL", "full");
            server.api().get("/api/agents/big").expect(404);
            Files.delete(ballast);

            server.deploy("after");
            assertThat(Frame.names(server.session("after").ask("hello"))).contains("message");
        }
    }

    @Test
    void aFullDiskEndsRunningTurnsRefusesNewOnesAndRecovers() throws Exception {
        try (var folder = TestFolder.create();
                var disk = SmallDisk.mount(folder.path().resolve("disk"), "size=400m,mode=0711");
                var server = AshServer.start(Map.of("ASH_DATA_DIR", disk.path().toString()))) {
            server.deploy("hello");
            var quiet = server.session("hello");
            quiet.ask("before");
            var busy = server.session("hello");
            var store = new Store(disk.path());

            List<Frame> seen = new ArrayList<>();
            try (var turn = busy.send("demo: messages 1000000")) {
                turn.next("message");
                var ballast = disk.fill();
                turn.rest().forEach(seen::add);

                assertThat(Frame.names(seen)).endsWith("error", "done");
                assertThat(Frame.only("error", seen).getFirst().data()).contains("full");
                refusedUntilFull(server, quiet);
                server.api()
                        .post("/api/sessions", Map.of("agent", "hello"))
                        .refused(507, "DISK_FULL", "full");
                server.api().get("/health").expect(200);
                assertThat(store.frames(busy.id()))
                        .as("what was shown is stored")
                        .containsAll(seen.stream().filter(frame -> frame.id() > 0).toList());
                Files.delete(ballast);
            }

            var queriesOfBusy = prompts(store, busy);
            busy.awaitStatus("error");
            busy.post("resume").expect(200);
            assertThat(Frame.names(busy.ask("after"))).contains("message").doesNotContain("error");
            assertThat(Frame.names(quiet.ask("after"))).contains("message").doesNotContain("error");
            assertThat(Frame.names(server.session("hello").ask("new"))).contains("message");
            assertThat(prompts(store, busy)).as("no turn ran twice").isEqualTo(queriesOfBusy + 1);
            for (var session : List.of(busy, quiet)) {
                assertGapless(store, session);
            }
        }
    }

    /** Some prompts may still fit; each that is answered with a stream must be stored. */
    private static void refusedUntilFull(AshServer server, TestSession session) {
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

    private static long prompts(Store store, TestSession session) {
        return store.log(session.id()).stream().filter(r -> r.type().equals("prompt")).count();
    }

    private static void assertGapless(Store store, TestSession session) {
        var log = store.log(session.id());
        assertThat(log)
                .extracting(Store.Row::seq)
                .isEqualTo(LongStream.rangeClosed(1, log.size()).boxed().toList());
        var turns = log.stream().map(Store.Row::turn).filter(t -> !t.isEmpty()).distinct().toList();
        assertThat(log.stream().filter(row -> row.type().equals("done")).map(Store.Row::turn))
                .as("every turn is over, once")
                .containsExactlyInAnyOrderElementsOf(turns);
    }
}
