package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests attacks of an agent on its own bridge: they affect only its own session. */
class BridgeAttackTest {
    /** Connects like a server and approves every question. */
    private static final String APPROVE =
            """
            timeout 10 python3 - <<'PROGRAM'
            import json, os, socket
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(5)
            try:
                s.connect(os.environ["ASH_BRIDGE_SOCKET"])
                s.sendall(b'{"cmd":"attach","after":0}\\n')
                for line in s.makefile():
                    event = json.loads(line)
                    if event["ev"] == "approval":
                        s.sendall((json.dumps({"cmd": "approve", "id": event["id"], "allow": True}) + "\\n").encode())
                        print("APPROVED")
            except OSError as e:
                print("refused:", e)
            PROGRAM
            """;

    @RegisterExtension final AshExtension ash = AshExtension.demo().agent("hostile");

    private TestSession asking() {
        return ash.session(Map.of("agent", "hostile", "permissionMode", "ask"));
    }

    @Test
    void rejectsASecondConnection() {
        var session = asking();
        try (var turn = session.send("hello")) {
            turn.next("approval_required");

            var result = session.exec(APPROVE);

            assertThat(result.path("stdout").asString())
                    .as(result.toString())
                    .doesNotContain("APPROVED");
            var question = session.awaitApproval();
            session.decide(question, Map.of("decision", "rejected", "message", "no")).expect(200);
            assertThat(Frame.names(turn.rest())).contains("approval_resolved").endsWith("done");
        }
    }

    /** Connects while no server is running and a question is open. */
    @Test
    void rejectsConnectionsInPlaceOfADeadServer() throws Exception {
        var session = asking();
        try (var turn = session.send("hello")) {
            turn.next("approval_required");
            session.exec(
                    "setsid -f bash -c 'while [ ! -e go ]; do sleep 0.05; done; "
                            + "cat > try.sh; bash try.sh > tried.txt 2>&1; touch tried' <<'SCRIPT'\n"
                            + APPROVE
                            + "SCRIPT\n");
            ash.kill();
        }
        session.signal("go");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Files.exists(session.sandbox().resolve("workspace/tried")));
        ash.startAgain();
        var same = ash.session(session);

        assertThat(same.workspaceFile("tried.txt")).contains("refused").doesNotContain("APPROVED");
        same.approve(same.awaitApproval());
        try (var rest = same.follow(0)) {
            assertThat(Frame.names(rest.rest())).endsWith("done");
        }
    }

    @Test
    void endsASessionWithASuspendedBridge() {
        var session = ash.session("hostile");
        var otherSession = ash.session("hostile");
        var bridge = session.bridgePid();
        session.exec(
                "(while [ ! -e go ]; do sleep 0.05; done; pkill -STOP java) >/dev/null 2>&1 &");
        session.signal("go");
        await().atMost(Duration.ofMinutes(1)).until(() -> isStopped(bridge));

        for (int i = 0; i < 3; i++) {
            assertThat(Frame.names(otherSession.ask("hello"))).endsWith("done");
        }
        session.end().expect(200);

        assertThat(session.processes()).isEmpty();
        assertThat(ash.api().get("/health").at("/orphans").asInt(-1)).isZero();
    }

    private static boolean isStopped(long process) throws IOException {
        var status = Files.readString(Path.of("/proc/" + process + "/status"));
        return status.contains("\nState:\tT");
    }

    @Test
    void resumesASessionAfterItsBridgeWasKilled() {
        var session = ash.session("hostile");

        ash.api().post(session.path() + "/exec", Map.of("command", "pkill -9 java; sleep 30"));

        session.awaitStatus("error");
        assertThat(session.processes()).isEmpty();
        session.post("resume").expect(200);
        assertThat(Frame.names(session.ask("hello"))).endsWith("done");
    }

    /** Replaces the socket by a link to a socket of the host or of another session. */
    @Test
    void sendsNothingToALinkedSocket() throws Exception {
        var hostSocket = ash.directory().path().resolve("host.sock");
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(hostSocket));
            Files.setPosixFilePermissions(
                    hostSocket,
                    java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
            listener.configureBlocking(false);
            var otherSession = ash.session("hostile");
            var toHost = ash.session("hostile");
            var toOtherSession = ash.session("hostile");
            toHost.exec(replaceBy(hostSocket.toString()));
            toOtherSession.exec(replaceBy(socket(otherSession)));

            ash.kill();
            ash.startAgain();

            assertThat(receivedBy(listener)).isEmpty();
            for (var session : List.of(toHost, toOtherSession)) {
                var same = ash.session(session);
                assertThat(same.status()).isNotEqualTo("running");
                assertThat(same.end().status()).isEqualTo(200);
                assertThat(same.processes()).isEmpty();
            }
            var same = ash.session(otherSession);
            assertThat(Frame.names(same.ask("hello"))).endsWith("done");
            assertThat(same.events().toString()).doesNotContain("error");
        }
    }

    private static String replaceBy(String target) {
        return "rm \"$ASH_BRIDGE_SOCKET\" && ln -s '" + target + "' \"$ASH_BRIDGE_SOCKET\"";
    }

    private static String socket(TestSession session) {
        var id = session.created().path("sandboxId").asString().substring(0, 8);
        return session.sandbox().resolve("run/ash-" + id + ".sock").toString();
    }

    private static String receivedBy(ServerSocketChannel listener) throws IOException {
        var received = new StringBuilder();
        for (var caller = listener.accept(); caller != null; caller = listener.accept()) {
            caller.configureBlocking(false);
            var buffer = ByteBuffer.allocate(4096);
            if (caller.read(buffer) > 0) {
                received.append(new String(buffer.array(), 0, buffer.position()));
            }
            caller.close();
        }
        return received.toString();
    }
}
