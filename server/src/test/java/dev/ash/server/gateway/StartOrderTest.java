package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartOrderTest {
    private final List<String> sent = new ArrayList<>();
    private final StartOrder order = new StartOrder(frame -> sent.add(frame.type()));

    private static GatewayFrame frame(String type) {
        return GatewayFrame.of(type, JsonWriter.object());
    }

    @Test
    void sendsStartedFramesImmediatelyWhileNoneIsBeingStarted() {
        order.send(frame("a"));

        assertThat(sent).containsExactly("a");
    }

    @Test
    void defersStartedFramesUntilAllAnswersWereSent() {
        order.begin();
        order.begin();
        order.send(frame("a"));
        order.end();
        order.send(frame("b"));
        assertThat(sent).isEmpty();

        order.end();
        order.send(frame("c"));

        assertThat(sent).containsExactly("a", "b", "c");
    }
}
