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
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir private Path folder;
    private final LinkedBlockingQueue<RpcMessage> heard = new LinkedBlockingQueue<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private LineProcess process;
    private RpcPeer peer;

    private void start(RpcPeer.Dialect dialect, String script) throws IOException {
        process =
                LineProcess.spawn(
                        List.of("/bin/sh", "-c", script),
                        folder,
                        Map.of("PATH", System.getenv("PATH")));
        peer =
                new RpcPeer(
                        process,
                        dialect,
                        new RpcPeer.Handler() {
                            @Override
                            public void notification(RpcMessage message) {
                                heard.add(message);
                            }

                            @Override
                            public boolean request(RpcMessage message) {
                                heard.add(message);
                                return message.method().equals("known");
                            }

                            @Override
                            public void ended(LineProcess.Exit exit) {
                                ended.countDown();
                            }
                        });
        process.listen(peer);
    }

    @AfterEach
    void kill() {
        process.kill();
    }

    private RpcMessage next() throws InterruptedException {
        var message = heard.poll(30, TimeUnit.SECONDS);
        assertThat(message).isNotNull();
        return message;
    }

    @Test
    void answersFindTheirCallsWhateverComesBetween() throws Exception {
        start(
                RpcPeer.Dialect.BARE,
                "read a; echo noise; echo '{\"method\":\"news\",\"params\":{\"x\":1}}';"
                        + " echo '{\"id\":99,\"result\":0}'; echo '{\"id\":1,\"result\":{\"ok\":true}}'; read b");

        var result = peer.call("ask", RawJson.of("{\"q\":1}"), LONG);

        assertThat(result).hasToString("{\"ok\":true}");
        assertThat(next().line()).hasToString("{\"method\":\"news\",\"params\":{\"x\":1}}");
    }

    @Test
    void theVersionIsNamedWhereItIsWanted() throws Exception {
        var echo = "read a; printf '{\"id\":1,\"result\":%s}\\n' \"$a\"; read b";
        start(RpcPeer.Dialect.VERSIONED, echo);
        assertThat(peer.call("m", RawJson.EMPTY_OBJECT, LONG))
                .hasToString("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{}}");
        process.kill();

        start(RpcPeer.Dialect.BARE, echo);
        assertThat(peer.call("m", RawJson.EMPTY_OBJECT, LONG))
                .hasToString("{\"id\":1,\"method\":\"m\",\"params\":{}}");
    }

    @Test
    void anErrorIsTheOtherSidesSentence() throws Exception {
        start(
                RpcPeer.Dialect.BARE,
                "read a; echo '{\"id\":1,\"error\":{\"code\":-1,\"message\":\"not today\"}}'; read b");

        var refused = refused();

        assertThat(refused.kind()).isEqualTo(RpcException.Kind.ERROR_RESPONSE);
        assertThat(refused.message()).isEqualTo("not today");
    }

    @Test
    void callsFailAtOnceWhenTheProcessDies() throws Exception {
        start(RpcPeer.Dialect.BARE, "read a; exit 7");

        assertThat(refused().kind()).isEqualTo(RpcException.Kind.DISCONNECTED);
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(refused().kind())
                .as("also those that come later")
                .isEqualTo(RpcException.Kind.DISCONNECTED);
    }

    @Test
    void anAnswerThatDoesNotComeIsNotWaitedForForEver() throws Exception {
        start(RpcPeer.Dialect.BARE, "read a; read b");

        var late =
                catchThrowableOfType(
                        RpcException.class,
                        () -> peer.call("ask", RawJson.NULL, Duration.ofMillis(50)));

        assertThat(late.kind()).isEqualTo(RpcException.Kind.TIMEOUT);
    }

    @Test
    void everyRequestOfTheOtherSideIsAnswered() throws Exception {
        start(
                RpcPeer.Dialect.BARE,
                "echo '{\"id\":\"a\",\"method\":\"unknown\"}'; read a; printf '{\"method\":\"got\",\"params\":%s}\\n' \"$a\";"
                        + " echo '{\"id\":8,\"method\":\"known\"}'; read b;"
                        + " printf '{\"method\":\"got\",\"params\":%s}\\n' \"$b\"; read c");
        next();
        assertThat(next().line().toString()).contains("\"id\":\"a\",\"error\":{\"code\":-32601");
        var known = next();

        peer.answer(known.id(), RawJson.of("{\"yes\":1}"));

        assertThat(next().line().toString()).contains("{\"id\":8,\"result\":{\"yes\":1}}");
    }

    private RpcException refused() {
        return catchThrowableOfType(
                RpcException.class, () -> peer.call("ask", RawJson.EMPTY_OBJECT, LONG));
    }
}
