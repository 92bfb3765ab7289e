package dev.ash.bridge.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ash.bridge.engine.LineProcess;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RpcPeerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir private Path directory;
    private final LinkedBlockingQueue<RpcMessage> received = new LinkedBlockingQueue<>();
    private final CountDownLatch exited = new CountDownLatch(1);
    private LineProcess process;
    private RpcPeer peer;

    private void start(RpcPeer.Dialect dialect, String script) throws IOException {
        process =
                LineProcess.spawn(
                        List.of("/bin/sh", "-c", script),
                        directory,
                        Map.of("PATH", System.getenv("PATH")));
        peer =
                new RpcPeer(
                        process,
                        dialect,
                        new RpcPeer.Handler() {
                            @Override
                            public void onNotification(RpcMessage message) {
                                received.add(message);
                            }

                            @Override
                            public boolean onRequest(RpcMessage message) {
                                received.add(message);
                                return message.method().equals("known");
                            }

                            @Override
                            public void onExit(LineProcess.Exit exit) {
                                exited.countDown();
                            }
                        });
        process.listen(peer);
    }

    @AfterEach
    void kill() {
        process.kill();
    }

    private RpcMessage next() throws InterruptedException {
        var message = received.poll(30, TimeUnit.SECONDS);
        assertThat(message).isNotNull();
        return message;
    }

    @Test
    void matchesResponsesToCalls() throws Exception {
        start(
                RpcPeer.Dialect.BARE,
                "read a; echo noise; echo '{\"method\":\"news\",\"params\":{\"x\":1}}';"
                        + " echo '{\"id\":99,\"result\":0}'; echo '{\"id\":1,\"result\":{\"ok\":true}}'; read b");

        var result = peer.call("ask", RawJson.of("{\"q\":1}"), TIMEOUT);

        assertThat(result).hasToString("{\"ok\":true}");
        assertThat(next().line()).hasToString("{\"method\":\"news\",\"params\":{\"x\":1}}");
    }

    @Test
    void includesVersionInVersionedDialect() throws Exception {
        var echo = "read a; printf '{\"id\":1,\"result\":%s}\\n' \"$a\"; read b";
        start(RpcPeer.Dialect.VERSIONED, echo);
        assertThat(peer.call("m", RawJson.EMPTY_OBJECT, TIMEOUT))
                .hasToString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{}}");
        process.kill();

        start(RpcPeer.Dialect.BARE, echo);
        assertThat(peer.call("m", RawJson.EMPTY_OBJECT, TIMEOUT))
                .hasToString("{\"id\":1,\"method\":\"m\",\"params\":{}}");
    }

    @Test
    void reportsMessageOfErrorResponse() throws Exception {
        start(
                RpcPeer.Dialect.BARE,
                "read a; echo '{\"id\":1,\"error\":{\"code\":-1,\"message\":\"not today\"}}'; read b");

        var failedCall = failedCall();

        assertThat(failedCall.kind()).isEqualTo(RpcException.Kind.ERROR_RESPONSE);
        assertThat(failedCall.message()).isEqualTo("not today");
    }

    @Test
    void callsFailImmediatelyWhenProcessExits() throws Exception {
        start(RpcPeer.Dialect.BARE, "read a; exit 7");

        assertThat(failedCall().kind()).isEqualTo(RpcException.Kind.DISCONNECTED);
        assertThat(exited.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(failedCall().kind()).as("later calls").isEqualTo(RpcException.Kind.DISCONNECTED);
    }

    @Test
    void callTimesOut() throws Exception {
        start(RpcPeer.Dialect.BARE, "read a; read b");

        var failure =
                catchThrowableOfType(
                        RpcException.class,
                        () -> peer.call("ask", RawJson.NULL, Duration.ofMillis(50)));

        assertThat(failure.kind()).isEqualTo(RpcException.Kind.TIMEOUT);
    }

    @Test
    void respondsToEveryRequest() throws Exception {
        start(
                RpcPeer.Dialect.BARE,
                "echo '{\"id\":\"a\",\"method\":\"unknown\"}'; read a; printf '{\"method\":\"got\",\"params\":%s}\\n' \"$a\";"
                        + " echo '{\"id\":8,\"method\":\"known\"}'; read b;"
                        + " printf '{\"method\":\"got\",\"params\":%s}\\n' \"$b\"; read c");
        next();
        assertThat(next().line().toString()).contains("\"id\":\"a\",\"error\":{\"code\":-32601");
        var known = next();

        peer.sendResult(known.id(), RawJson.of("{\"yes\":1}"));

        assertThat(next().line().toString()).contains("{\"id\":8,\"result\":{\"yes\":1}}");
    }

    private RpcException failedCall() {
        return catchThrowableOfType(
                RpcException.class, () -> peer.call("ask", RawJson.EMPTY_OBJECT, TIMEOUT));
    }
}
