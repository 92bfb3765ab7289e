package dev.ash.e2e.isolation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpServer;
import dev.ash.e2e.AshExtension;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs every {@link Attempt} inside a real session; each must fail. */
class EscapeTest {
    private static final String CANARY = "CANARY-of-the-host";

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with("ANTHROPIC_API_KEY", "sk-" + CANARY)
                    .agent("hostile", Map.of("CLAUDE.md", "You are hostile.\n"));

    private static TestSession session;
    private static HttpServer web;
    private static ServerSocketChannel hostSocket;
    private static Process abstractSocket;
    private static Map<String, String> host;

    @BeforeAll
    static void start() throws IOException {

        session = ash.session("hostile");
        // An attempt whose tool is missing would fail for the wrong reason.
        assertThat(
                        session.exec("command -v curl python3 unshare nsenter mount mknod")
                                .path("exitCode")
                                .asInt())
                .isZero();
        var otherSession = ash.session("hostile");
        otherSession.exec("echo CANARY > secret.txt");
        web = HttpServer.create(new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0), 0);
        web.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, CANARY.length());
                    exchange.getResponseBody().write(CANARY.getBytes());
                    exchange.close();
                });
        web.start();
        host = host(otherSession, openAbstractSocket());
    }

    /** Uses Python because Java does not support abstract sockets. */
    private static String openAbstractSocket() throws IOException {
        var name = "ash-e2e-" + UUID.randomUUID();
        var program =
                """
                import socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.bind('\\0' + sys.argv[1])
                s.listen()
                print('ready', flush=True)
                sys.stdin.read()
                """;
        abstractSocket = new ProcessBuilder("python3", "-c", program, name).start();
        assertThat(abstractSocket.inputReader().readLine()).isEqualTo("ready");
        return name;
    }

    private static Map<String, String> host(TestSession otherSession, String abstractName)
            throws IOException {
        var secret = ash.directory().path().resolve("secret.txt");
        Files.writeString(secret, CANARY);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        var socket = ash.directory().path().resolve("host.sock");
        hostSocket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        hostSocket.bind(UnixDomainSocketAddress.of(socket));
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rwxrwxrwx"));
        var table = new HashMap<String, String>();
        table.put("SECRET", secret.toString());
        table.put("DATA", ash.data().toString());
        table.put(
                "OTHER_SESSION", otherSession.sandbox().resolve("workspace/secret.txt").toString());
        table.put("BRIDGE", bridge(otherSession).toString());
        table.put("SERVER", Long.toString(ash.server().process().pid()));
        table.put("PORT", Integer.toString(web.getAddress().getPort()));
        table.put("API", Integer.toString(URI.create(ash.api().base()).getPort()));
        table.put("ADDRESS", address());
        table.put("ABSTRACT", abstractName);
        table.put("SOCKET", socket.toString());
        return table;
    }

    private static Path bridge(TestSession otherSession) {
        var id = otherSession.created().path("sandboxId").asString().substring(0, 8);
        return otherSession.sandbox().resolve("run/ash-" + id + ".sock");
    }

    private static String address() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .map(InetAddress::getHostAddress)
                .filter(text -> !text.contains(":"))
                .findFirst()
                .orElse("127.0.0.1");
    }

    @AfterAll
    static void stop() throws IOException {
        web.stop(0);
        hostSocket.close();
        abstractSocket.destroy();
    }

    @ParameterizedTest
    @MethodSource("dev.ash.e2e.isolation.Attempt#all")
    void fails(Attempt attempt) {
        assumeThat(session.created().at("/isolation/kind").asString()).isEqualTo("bubblewrap");
        var result = session.exec(attempt.with(host));

        assertThat(result.path("stdout").asString())
                .as(attempt.name() + ": " + result)
                .doesNotContain("ESCAPED")
                .doesNotContain(CANARY);
    }

    @ParameterizedTest
    @MethodSource("dev.ash.e2e.isolation.Attempt#harmless")
    void succeedsWithoutIsolation(Attempt attempt) throws IOException, InterruptedException {
        var process = new ProcessBuilder("bash", "-c", attempt.with(host)).start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();

        assertThat(output).as(attempt.name()).contains("ESCAPED");
    }
}
