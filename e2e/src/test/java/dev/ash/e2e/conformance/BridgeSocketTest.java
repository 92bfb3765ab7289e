package dev.ash.e2e.conformance;

import static dev.ash.e2e.conformance.DocumentBridgeAgent.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.Processes;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Document 000: the processes and sockets of bridges, with two concurrent sandboxes. */
class BridgeSocketTest {
    private static final int SOCKET = 0140000; // S_IFSOCK

    @RegisterExtension static final AshExtension ash = SharedServers.SEED;

    private static Set<String> portsBefore;
    private static TestSession first;
    private static TestSession second;

    @BeforeAll
    static void start() throws IOException {
        DocumentBridgeAgent.deploy(ash.server(), "document", "");
        portsBefore = listeningPorts();
        first = ash.session("document");
        second = ash.session("document");
    }

    @Test
    @Statement(id = "000-01", says = "The bridge process runs inside each sandbox")
    void runsTheBridgeInThePidNamespaceOfTheSandbox() throws IOException {
        var ours = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();

        for (var session : List.of(first, second)) {
            assertThat(bridges(session)).hasSize(1);
            assertThat(bridges(session).getFirst().pidNamespace()).isNotEmpty().isNotEqualTo(ours);
            assertThat(DocumentBridgeAgent.environment(session))
                    .containsEntry("ASH_SANDBOX_ID", sandboxId(session));
        }
    }

    @Test
    @Statement(
            id = "000-02",
            says = "It communicates with the host server over a Unix domain socket")
    void listensOnAUnixDomainSocket() throws IOException {
        assertThat(DocumentBridgeAgent.starts(first).getFirst().path("socketIsFile").asBoolean())
                .isTrue();
        assertThat(isSocket(socketOnHost(first))).isTrue();
    }

    @Test
    @Statement(id = "000-04", says = "Sandboxes need no port allocation")
    void opensNoPortForASandbox() throws IOException {
        assertThat(listeningPorts()).isEqualTo(portsBefore);
        assertThat(portsBefore).hasSize(1); // the port of the API
    }

    @Test
    @Statement(id = "000-05", says = "No conflicts when running multiple sandboxes")
    void servesTwoSandboxesConcurrently() {
        try (var one = first.send(prompt("HOLD", message("one")));
                var two = second.send(prompt("HOLD", message("two")))) {
            assertThat(one.next("message").data()).isEqualTo("\"one\"");
            assertThat(two.next("message").data()).isEqualTo("\"two\"");
            first.post("interrupt").expect(200);
            second.post("interrupt").expect(200);
            assertThat(Frame.names(one.rest())).endsWith("done");
            assertThat(Frame.names(two.rest())).endsWith("done");
        }
    }

    @Test
    @Statement(id = "000-06", says = "1:1 mapping between socket file and sandbox process")
    void hasOneSocketFileForEachSandbox() throws IOException {
        for (var session : List.of(first, second)) {
            assertThat(DocumentBridgeAgent.starts(session).getFirst().path("sockets"))
                    .hasSize(1)
                    .allMatch(name -> name.asString().equals(socketName(session)));
        }
        assertThat(socketOnHost(first)).isNotEqualTo(socketOnHost(second));
    }

    @Test
    @Statement(id = "000-07", says = "Socket paths include the sandbox ID for easy identification")
    void namesTheSandboxInTheSocketPath() {
        assertThat(socketPath(first)).contains(sandboxId(first).substring(0, 8));
        assertThat(socketPath(second)).contains(sandboxId(second).substring(0, 8));
        assertThat(socketPath(first)).isNotEqualTo(socketPath(second));
    }

    @Test
    @Statement(id = "000-08", says = "Socket path format: /tmp/ash-<short-id>.sock")
    void usesTheDocumentedPathInsideTheSandbox() {
        assertThat(socketPath(first))
                .isEqualTo("/tmp/ash-" + sandboxId(first).substring(0, 8) + ".sock")
                .matches("/tmp/ash-[0-9a-f]{8}\\.sock");
    }

    @Test
    @Statement(
            id = "000-09",
            says = "The socket is in /tmp of the host",
            verdict = Verdict.DIFFERS,
            instead =
                    "each sandbox has its own /tmp below the data directory, so that no other process can reach it",
            see = "docs/adr/0004-socket-in-the-sandboxs-own-tmp.md#decision")
    void keepsTheSocketOutOfTheTmpOfTheHost() throws IOException {
        assertThat(Path.of(socketPath(first))).doesNotExist();
        assertThat(socketOnHost(first)).startsWith(ash.data());
    }

    @Test
    @Statement(id = "001-09", says = "The pool reaches each bridge over its own Unix socket")
    void reachesBothBridgesOfTheDiagram() {
        assertThat(Frame.names(first.ask(prompt("SAY", event("to the first")))))
                .contains("message");
        assertThat(Frame.names(second.ask(prompt("SAY", event("to the second")))))
                .contains("message");
        assertThat(DocumentBridgeAgent.received(first)).noneMatch(line -> line.contains("second"));
        assertThat(DocumentBridgeAgent.received(second)).noneMatch(line -> line.contains("first"));
    }

    @Test
    @Statement(id = "001-10", says = "The server manages sandboxes locally, in-process")
    void startsBridgesBelowTheProcessOfTheServer() {
        for (var session : List.of(first, second)) {
            var ancestors = ancestors(bridges(session).getFirst().pid());
            assertThat(ancestors).contains(ash.server().process().pid());
        }
    }

    @Test
    @Statement(id = "001-60", says = "One bridge per session")
    void runsOneBridgeForEachSession() {
        assertThat(bridges(first)).hasSize(1);
        assertThat(bridges(second)).hasSize(1);
        assertThat(bridges(first).getFirst().pid()).isNotEqualTo(bridges(second).getFirst().pid());
    }

    @Test
    @Statement(
            id = "001-62",
            says = "The bridge listens on a Unix socket for commands from the server")
    void receivesCommandsOnItsSocket() {
        first.ask(prompt("SAY"));

        assertThat(DocumentBridgeAgent.commands(first, "query")).isNotEmpty();
    }

    private static String event(String text) {
        return "{\"ev\":\"message\",\"data\":\"" + text + "\"}";
    }

    private static String message(String text) {
        return event(text);
    }

    private static List<Processes.Found> bridges(TestSession session) {
        return session.processes().stream()
                .filter(process -> process.command().startsWith("python3 "))
                .filter(process -> process.command().contains("bridge.py"))
                .toList();
    }

    private static List<Long> ancestors(long pid) {
        var found = new java.util.ArrayList<Long>();
        var parent = ProcessHandle.of(pid).flatMap(ProcessHandle::parent);
        while (parent.isPresent()) {
            found.add(parent.get().pid());
            parent = parent.get().parent();
        }
        return found;
    }

    private static String sandboxId(TestSession session) {
        return session.created().path("sandboxId").asString();
    }

    private static String socketName(TestSession session) {
        return "ash-" + sandboxId(session).substring(0, 8) + ".sock";
    }

    private static String socketPath(TestSession session) {
        return DocumentBridgeAgent.environment(session).get("ASH_BRIDGE_SOCKET");
    }

    private static Path socketOnHost(TestSession session) throws IOException {
        var name = socketName(session);
        try (var files = Files.find(ash.data(), 4, (path, _) -> path.endsWith(name))) {
            return files.findFirst().orElseThrow();
        }
    }

    private static boolean isSocket(Path path) throws IOException {
        return ((int) Files.getAttribute(path, "unix:mode") & 0170000) == SOCKET;
    }

    /** Returns the TCP ports on which the server listens, in hexadecimal. */
    private static Set<String> listeningPorts() throws IOException {
        var own = Path.of("/proc", Long.toString(ash.server().process().pid()));
        var inodes = new HashSet<String>();
        try (var descriptors = Files.list(own.resolve("fd"))) {
            for (var descriptor : descriptors.toList()) {
                try {
                    inodes.add(Files.readSymbolicLink(descriptor).toString());
                } catch (IOException e) {
                    continue; // already closed
                }
            }
        }
        var ports = new HashSet<String>();
        for (var table : List.of("net/tcp", "net/tcp6")) {
            for (var line : Files.readAllLines(own.resolve(table))) {
                var fields = line.strip().split("\\s+");
                if (fields.length > 9
                        && fields[3].equals("0A") // listening
                        && inodes.contains("socket:[" + fields[9] + "]")) {
                    ports.add(fields[1].replaceFirst(".*:", ""));
                }
            }
        }
        return ports;
    }
}
