package dev.ash.protocol.bridge;

import static dev.ash.protocol.bridge.BridgeProtocol.decodeCommand;
import static dev.ash.protocol.bridge.BridgeProtocol.decodeEvent;
import static dev.ash.protocol.bridge.BridgeProtocol.encode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.json.TextArbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BridgeProtocolTest {
    @Property
    void roundTripsEveryCommand(@ForAll("commands") BridgeCommand command)
            throws MalformedJsonException {
        var line = encode(command);

        assertThat(line.toBytes()).doesNotContain('\n', '\r');
        assertThat(decodeCommand(line)).isEqualTo(command);
    }

    @Property
    void roundTripsEveryEvent(@ForAll("frames") EventFrame frame) throws MalformedJsonException {
        var line = encode(frame);

        assertThat(line.toBytes()).doesNotContain('\n', '\r');
        assertThat(decodeEvent(line)).isEqualTo(frame);
    }

    @Property
    void preservesBytesOfEngineMessages(@ForAll("objects") String message)
            throws MalformedJsonException {
        var sent = EventFrame.of(new BridgeEvent.Message(RawJson.of(message)));

        var received = (BridgeEvent.Message) decodeEvent(encode(sent)).event();

        assertThat(received.data()).hasToString(message);
    }

    @Property
    void ignoresUnknownFields(@ForAll("json") String value) throws MalformedJsonException {
        var done = RawJson.of("{\"new\":%s,\"ev\":\"done\",\"x\":%s}".formatted(value, value));
        var stop = RawJson.of("{\"new\":%s,\"cmd\":\"shutdown\"}".formatted(value));

        assertThat(decodeEvent(done)).isEqualTo(EventFrame.of(new BridgeEvent.Done("")));
        assertThat(decodeCommand(stop)).isEqualTo(new BridgeCommand.Shutdown());
    }

    @Test
    void decodesCommandsOfPlainProtocol() throws MalformedJsonException {
        assertThat(
                        decodeCommand(
                                RawJson.of(
                                        "{\"cmd\":\"query\",\"prompt\":\"hi\",\"sessionId\":\"s\"}")))
                .isEqualTo(
                        new BridgeCommand.Query(RawJson.string("hi"), "s", null, TurnOptions.NONE));
        assertThat(
                        decodeCommand(
                                RawJson.of(
                                        "{ \"includePartialMessages\" : true, \"sessionId\" : \"s\","
                                                + " \"prompt\" : \"hi\", \"cmd\" : \"query\" }\r")))
                .isEqualTo(
                        new BridgeCommand.Query(
                                RawJson.string("hi"),
                                "s",
                                null,
                                new TurnOptions(true, null, null, null, null, null, null)));
        assertThat(decodeCommand(RawJson.of("{\"cmd\":\"resume\",\"sessionId\":\"s\"}")))
                .isEqualTo(new BridgeCommand.Resume("s"));
        assertThat(decodeCommand(RawJson.of("{\"cmd\":\"interrupt\"}")))
                .isEqualTo(new BridgeCommand.Interrupt(null));
        assertThat(decodeCommand(RawJson.of("{\"cmd\":\"shutdown\"}")))
                .isEqualTo(new BridgeCommand.Shutdown());
    }

    @Test
    void decodesEventsOfPlainProtocol() throws MalformedJsonException {
        assertThat(decodeEvent(RawJson.of("{\"ev\":\"ready\"}")))
                .isEqualTo(EventFrame.of(new BridgeEvent.Ready(null, null, null)));
        assertThat(decodeEvent(RawJson.of("{\"ev\":\"message\",\"data\":{\"type\":\"result\"}}")))
                .isEqualTo(
                        EventFrame.of(
                                new BridgeEvent.Message(RawJson.of("{\"type\":\"result\"}"))));
        assertThat(decodeEvent(RawJson.of("{\"ev\":\"error\",\"error\":\"no\"}")))
                .isEqualTo(EventFrame.of(new BridgeEvent.Failed("no")));
        assertThat(decodeEvent(RawJson.of("{\"ev\":\"done\",\"sessionId\":\"s\"}")))
                .isEqualTo(EventFrame.of(new BridgeEvent.Done("s")));
    }

    @Test
    void acceptsEveryValueAsData() throws MalformedJsonException {
        for (var value : new String[] {"null", "1", "\"x\"", "[]", "false"}) {
            var line = RawJson.of("{\"ev\":\"message\",\"data\":%s}".formatted(value));

            assertThat(decodeEvent(line))
                    .isEqualTo(EventFrame.of(new BridgeEvent.Message(RawJson.of(value))));
            assertThat(encode(decodeEvent(line))).isEqualTo(line);
        }
        assertThatThrownBy(() -> decodeEvent(RawJson.of("{\"ev\":\"message\"}")))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessageContaining("data");
    }

    @Test
    void encodesPlainProtocolWithoutExtensions() {
        var query = new BridgeCommand.Query(RawJson.string("hi"), "s", null, TurnOptions.NONE);

        assertThat(encode(query))
                .hasToString("{\"cmd\":\"query\",\"prompt\":\"hi\",\"sessionId\":\"s\"}");
        assertThat(encode(EventFrame.of(new BridgeEvent.Ready(null, null, null))))
                .hasToString("{\"ev\":\"ready\"}");
        assertThat(encode(EventFrame.of(new BridgeEvent.Done("s"))))
                .hasToString("{\"ev\":\"done\",\"sessionId\":\"s\"}");
    }

    @Test
    void decodesUnknownKindsWithTheirName() throws MalformedJsonException {
        assertThat(decodeCommand(RawJson.of("{\"cmd\":\"dance\",\"n\":\"x\"}")))
                .isEqualTo(new BridgeCommand.Unknown("dance"));
        assertThat(decodeEvent(RawJson.of("{\"ev\":\"applause\",\"n\":3,\"turnId\":\"t\"}")))
                .isEqualTo(new EventFrame(3, "t", new BridgeEvent.Unknown("applause")));
    }

    @Test
    void lineBreaksBetweenTokensCannotForgeFrames() throws MalformedJsonException {
        var line =
                RawJson.of("{\"ev\":\"message\",\"data\":{\"a\":1,\r\revent: x\rdata: {}\r}}")
                        .toString();
        assertThatThrownBy(() -> decodeEvent(RawJson.of(line)))
                .isInstanceOf(MalformedJsonException.class);

        var spaced = RawJson.of("{\"ev\":\"message\",\"data\":{\r\"a\":\r1\r}\r}");
        assertThat(decodeEvent(spaced).event())
                .isEqualTo(new BridgeEvent.Message(RawJson.of("{ \"a\": 1 }")));
    }

    @Test
    void encodesMultiLinePromptsOnOneLine() {
        var blocks = RawJson.of("[\n  {\"type\": \"text\",\n   \"text\": \"a\\nb\"}\n]");
        var query = new BridgeCommand.Query(blocks, "s", "t", TurnOptions.NONE);

        assertThat(encode(query).toString())
                .doesNotContain("\n")
                .contains("{\"type\": \"text\",    \"text\": \"a\\nb\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "7",
                "null",
                "hello",
                "{\"cmd\":7}",
                "{\"cmd\":null}",
                "{\"cmd\":\"query\",\"sessionId\":\"s\"}",
                "{\"cmd\":\"query\",\"prompt\":null,\"sessionId\":\"s\"}",
                "{\"cmd\":\"query\",\"prompt\":\"hi\"}",
                "{\"cmd\":\"query\",\"prompt\":\"hi\",\"sessionId\":\"s\",\"maxTurns\":2147483648}",
                "{\"cmd\":\"query\",\"prompt\":\"hi\",\"sessionId\":\"s\",\"maxBudgetUsd\":1e999}",
                "{\"cmd\":\"query\",\"prompt\":\"hi\",\"sessionId\":\"s\",\"maxBudgetUsd\":\"x\"}",
                "{\"cmd\":\"resume\"}",
                "{\"cmd\":\"exec\",\"id\":\"1\"}",
                "{\"cmd\":\"exec\",\"id\":\"1\",\"command\":\"ls\",\"timeout\":\"soon\"}",
                "{\"cmd\":\"steer\",\"id\":\"1\",\"turnId\":\"t\"}",
                "{\"cmd\":\"steer\",\"id\":\"1\",\"prompt\":\"p\"}",
                "{\"cmd\":\"configure\",\"sessionId\":\"s\",\"env\":{\"A\":1}}",
                "{\"cmd\":\"configure\",\"sessionId\":\"s\",\"betas\":[null]}"
            })
    void rejectsMalformedCommands(String line) {
        assertThatThrownBy(() -> decodeCommand(RawJson.of(line)))
                .isInstanceOf(MalformedJsonException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "\"ready\"",
                "Listening on /tmp/ash.sock",
                "{\"ev\":true}",
                "{\"ev\":\"message\"}",
                "{\"ev\":\"error\"}",
                "{\"ev\":\"error\",\"error\":{}}",
                "{\"ev\":\"done\",\"n\":1.5}",
                "{\"ev\":\"done\",\"n\":99999999999999999999}",
                "{\"ev\":\"exec_result\",\"id\":\"1\",\"exitCode\":4294967296}",
                "{\"ev\":\"done\"}{\"ev\":\"done\"}"
            })
    void rejectsMalformedEvents(String line) {
        assertThatThrownBy(() -> decodeEvent(RawJson.of(line)))
                .isInstanceOf(MalformedJsonException.class);
    }

    @Provide
    Arbitrary<BridgeCommand> commands() {
        return BridgeMessageArbitraries.commands();
    }

    @Provide
    Arbitrary<EventFrame> frames() {
        return BridgeMessageArbitraries.frames();
    }

    @Provide
    Arbitrary<String> json() {
        return TextArbitraries.json();
    }

    @Provide
    Arbitrary<String> objects() {
        return TextArbitraries.object();
    }
}
