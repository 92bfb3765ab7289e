package dev.ash.bridge.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ash.bridge.engine.LineProcess;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RpcPeerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final JsonObject NO_PARAMS = noParams();

    private static JsonObject noParams() {
        try {
            return JsonObject.parse(RawJson.EMPTY_OBJECT);
        } catch (MalformedJsonException e) {
            throw new AssertionError(e);
        }
    }

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
    void reportsCodeAndDetailsOfErrorResponse() throws Exception {
        start(
                RpcPeer.Dialect.VERSIONED,
                "read a; echo '{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"Internal error\",\"data\":{\"details\":\"no key\"}}}'; read b");

        var failedCall = failedCall();

        assertThat(failedCall.code()).isEqualTo(-32000);
        assertThat(failedCall.message()).isEqualTo("Internal error: no key");
    }

    /** A call would return in another thread, after messages that follow its result. */
    @Test
    void handlesReplyInOrderWithMessages() throws Exception {
        start(
                RpcPeer.Dialect.BARE,
                "read a; echo '{\"method\":\"before\"}'; echo '{\"id\":1,\"result\":{}}';"
                        + " echo '{\"method\":\"after\"}'; read b; exit 3");
        var failures = new LinkedBlockingQueue<RpcException>();
        var reply =
                new RpcPeer.Reply() {
                    @Override
                    public void onResult(RawJson result, RawJson line) {
                        received.add(new RpcMessage(null, "reply", NO_PARAMS, line));
                    }

                    @Override
                    public void onFailure(RpcException failure, @Nullable RawJson line) {
                        assertThat(line).isNull();
                        failures.add(failure);
                    }
                };

        peer.send("ask", RawJson.EMPTY_OBJECT, reply);
        assertThat(List.of(next().method(), next().method(), next().method()))
                .containsExactly("before", "reply", "after");
        peer.send("ask", RawJson.EMPTY_OBJECT, reply);

        var failure = failures.poll(30, TimeUnit.SECONDS);
        assertThat(failure).isNotNull();
        assertThat(failure.kind()).isEqualTo(RpcException.Kind.DISCONNECTED);
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
