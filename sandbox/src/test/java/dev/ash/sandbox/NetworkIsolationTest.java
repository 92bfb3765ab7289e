package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.exec;
import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The network access of sandboxes. */
class NetworkIsolationTest {
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) {
            bed.close();
        }
    }

    private static String dial(String host, int port) {
        return "timeout 5 bash -c 'echo < /dev/tcp/%s/%d' 2>&1 && echo connected"
                .formatted(host, port);
    }

    @Test
    void isolatesClosedSandboxFromHostNetwork() throws IOException {
        try (var service = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var sandbox = bed.manager("serves").launch(bed.spec())) {
            assertThat(run(sandbox, dial("127.0.0.1", service.getLocalPort())))
                    .contains("Connection refused");
            assertThat(run(sandbox, dial("169.254.169.254", 80)))
                    .contains("Network is unreachable");
            assertThat(run(sandbox, dial("8.8.8.8", 53))).contains("Network is unreachable");
            assertThat(run(sandbox, "tail -n +3 /proc/net/dev | cut -d: -f1")).isEqualTo("lo");
            assertThat(run(sandbox, "tail -n +2 /proc/net/route; cat /etc/resolv.conf")).isEmpty();
            assertThat(exec(sandbox, "getent hosts example.com").exitCode()).isNotZero();
        }
    }

    @Test
    void providesPrivateLoopback() throws IOException {
        try (var sandbox = bed.manager("serves").launch(bed.spec())) {
            assertThat(
                            run(
                                    sandbox,
                                    """
                                    python3 -c "
                                    import socket
                                    a = socket.create_server(('localhost', 3128))
                                    b = socket.create_connection(('localhost', 3128))
                                    print('connected')"
                                    """))
                    .isEqualTo("connected");
        }
    }

    @Test
    void givesOpenSandboxTheHostNetwork() throws IOException {
        bed.network = Network.OPEN;
        var manager = bed.manager("serves");
        try (var service = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var sandbox = manager.launch(bed.spec())) {
            assertThat(manager.isolation(Network.OPEN).network()).isEqualTo("open");
            assertThat(run(sandbox, dial("127.0.0.1", service.getLocalPort())))
                    .isEqualTo("connected");
            assertThat(run(sandbox, "cat /etc/resolv.conf"))
                    .isEqualTo(Files.readString(Path.of("/etc/resolv.conf")).strip());
            assertThat(run(sandbox, "env")).doesNotContain("ASH_EGRESS_SOCKET");
        }
    }

    /** Also after the server listens again, because the directory is mounted, not the socket. */
    @Test
    void exposesEgressSocketReadOnly() throws IOException {
        var manager = bed.manager("serves");
        var spec = bed.spec();
        try (var sandbox = manager.launch(spec)) {
            for (var greeting : new String[] {"first", "second"}) {
                var path = manager.egress(spec.id()).resolve("proxy.sock");
                Files.deleteIfExists(path);
                try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                    listener.bind(UnixDomainSocketAddress.of(path));
                    Files.setPosixFilePermissions(
                            path, PosixFilePermissions.fromString("rw-rw-rw-"));
                    var server = Thread.ofVirtual().start(() -> greet(listener, greeting));
                    assertThat(
                                    run(
                                            sandbox,
                                            """
                                            python3 -c "
                                            import socket, os
                                            s = socket.socket(socket.AF_UNIX)
                                            s.connect(os.environ['ASH_EGRESS_SOCKET'])
                                            print(s.recv(100).decode())"
                                            """))
                            .isEqualTo(greeting);
                    server.interrupt();
                }
            }
            assertThat(run(sandbox, "rm /run/egress/proxy.sock; touch /run/egress/x"))
                    .contains("Read-only file system");
        }
        assertThat(manager.egress(spec.id())).doesNotExist();
    }

    private static void greet(ServerSocketChannel listener, String greeting) {
        try (var peer = listener.accept()) {
            peer.write(
                    java.nio.ByteBuffer.wrap(
                            greeting.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        } catch (IOException e) {
            // The test is over.
        }
    }
}
