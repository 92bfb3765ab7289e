package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.PairApi;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PairsClientTest {
    private static final String STREAM = "GET /api/pairs/p-1/stream";

    private static String pair(String state) {
        return "{\"pair\":{\"id\":\"p-1\",\"run\":1,\"state\":\"%s\",\"later\":[1]}}"
                .formatted(state);
    }

    private static String event(long id, String type) {
        return "event: pair\ndata: {\"type\":\"%s\",\"iteration\":2,\"agent\":\"demo\",\"content\":\"FAIL\\nno\\ntest\"}\nid: %d"
                .formatted(type, id);
    }

    private static List<String> read(EventStream stream) {
        var seen = new ArrayList<String>();
        for (var frame = stream.nextFrame(); frame != null; frame = stream.nextFrame()) {
            seen.add(PairEvent.of(frame).map(event -> event.type() + event.id()).orElse("?"));
        }
        return seen;
    }

    @Test
    void sendsOneRequestForEachCall() throws IOException {
        try (var server = new FakeServer()) {
            server.on("POST /api/pairs", 201, pair("running"));
            server.on("GET /api/pairs", "{\"pairs\":[{\"id\":\"p-1\",\"run\":1}]}");
            server.on("GET /api/pairs/p-1", pair("running"));
            server.on("GET /api/pairs/p-1/messages", "{\"messages\":[{\"seq\":4}]}");
            server.on("POST /api/pairs/p-1/messages", 201, "{\"seq\":5}");
            server.on("GET /api/pairs/p-1/report", "{\"text\":\"# Run 1\"}");
            for (var verb : List.of("answer", "pause", "stop", "resume")) {
                server.on("POST /api/pairs/p-1/" + verb, pair(verb));
            }
            var pairs = server.client().pairs();

            assertThat(pairs.create(create("do \"it\"")).id()).isEqualTo("p-1");
            assertThat(pairs.list()).singleElement().returns(1, PairApi.Pair::run);
            assertThat(pairs.get("p-1").state()).isEqualTo("running");
            assertThat(pairs.messages("p-1", 3)).singleElement().returns(4L, m -> m.seq());
            assertThat(pairs.say("p-1", "stay small", "demo").seq()).isEqualTo(5);
            assertThat(pairs.report("p-1")).isEqualTo("# Run 1");
            pairs.answer("p-1", "go_on", null);
            pairs.pause("p-1");
            pairs.stop("p-1");
            pairs.resume("p-1");
            pairs.resume("p-1", new PairApi.Resume(9, null, null, null));

            assertThat(server.lines())
                    .containsExactly(
                            "POST /api/pairs {\"repository\":\"/r\",\"task\":\"do \\\"it\\\"\"}",
                            "GET /api/pairs",
                            "GET /api/pairs/p-1",
                            "GET /api/pairs/p-1/messages?after=3",
                            "POST /api/pairs/p-1/messages {\"content\":\"stay small\",\"to\":\"demo\"}",
                            "GET /api/pairs/p-1/report",
                            "POST /api/pairs/p-1/answer {\"decision\":\"go_on\"}",
                            "POST /api/pairs/p-1/pause",
                            "POST /api/pairs/p-1/stop",
                            "POST /api/pairs/p-1/resume {}",
                            "POST /api/pairs/p-1/resume {\"maxRounds\":9}");
        }
    }

    private static PairApi.CreatePair create(String task) {
        return PairApi.CreatePair.builder("/r", task).build();
    }

    @Test
    void resumesAfterTheLastEventUntilThePairIsOver() throws IOException {
        var connections = new AtomicInteger();
        try (var server = new FakeServer()) {
            server.on(
                    STREAM,
                    (_, out) -> {
                        switch (connections.incrementAndGet()) {
                            case 1 -> FakeServer.stream(out, event(1, "start"), event(2, "end"));
                            case 2 -> FakeServer.stream(out, event(2, "end"), event(3, "start"));
                            default -> FakeServer.stream(out, event(4, "end"));
                        }
                    });
            server.on(
                    "GET /api/pairs/p-1",
                    (_, out) ->
                            FakeServer.write(
                                    out,
                                    FakeServer.json(
                                            200,
                                            pair(connections.get() < 3 ? "running" : "over"))));

            try (var events = server.client().pairs().follow("p-1", 0)) {
                assertThat(read(events)).containsExactly("start1", "end2", "start3", "end4");
            }

            assertThat(server.lines()).contains(STREAM, STREAM + "?after=2", STREAM + "?after=3");
            assertThat(
                            server.requests().stream()
                                    .filter(request -> request.line().contains("after=3"))
                                    .findFirst()
                                    .flatMap(request -> request.header("Last-Event-ID")))
                    .contains("3");
        }
    }

    @Test
    void failsIfTheServerDoesNotRestart() throws IOException {
        try (var server = new FakeServer()) {
            server.streams(STREAM, event(1, "start"));
            server.on("GET /api/pairs/p-1", pair("interrupted"));
            var pairs = server.client().with(ReconnectPolicy.of(Duration.ofMillis(200))).pairs();

            try (var events = pairs.follow("p-1", 0)) {
                assertThat(events.nextFrame()).isNotNull();
                assertThatThrownBy(events::nextFrame).isInstanceOf(ConnectionLostException.class);
            }
        }
    }

    @Test
    void readsPastEventsWithoutFollowing() throws IOException {
        try (var server = new FakeServer()) {
            server.streams(STREAM, event(6, "signal"), "event: pair\ndata: null\nid: 7");

            try (var events = server.client().pairs().events("p-1", 5)) {
                var frame = events.nextFrame();
                assertThat(frame).isNotNull();
                assertThat(PairEvent.of(frame))
                        .hasValueSatisfying(
                                event -> {
                                    assertThat(event.round()).isEqualTo(2);
                                    assertThat(event.agent()).isEqualTo("demo");
                                    assertThat(event.firstLine()).isEqualTo("FAIL");
                                    assertThat(event.rest()).isEqualTo("no\ntest");
                                });
                assertThat(read(events)).containsExactly("?");
            }

            assertThat(server.lines()).containsExactly(STREAM + "?after=5&follow=false");
        }
    }

    @Test
    void reportsUnknownPair() throws IOException {
        var body = "{\"error\":\"Pair not found\",\"code\":\"PAIR_NOT_FOUND\"}";
        try (var server = FakeServer.responding(404, body)) {
            assertThatThrownBy(() -> server.client().pairs().get("p-9"))
                    .isInstanceOfSatisfying(
                            AshApiException.class,
                            error -> assertThat(error.is(ErrorCode.PAIR_NOT_FOUND)).isTrue());
        }
    }
}
