package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Frame;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The events that a device must receive, read from the log of a session by the REST API. */
final class ExpectedEvents {
    private final Map<String, Long> order = new LinkedHashMap<>(); // event number by item
    private final Map<String, StringBuilder> texts = new LinkedHashMap<>();
    private final Map<String, String> results = new LinkedHashMap<>();
    private final String session;
    private int turns;

    private ExpectedEvents(String session) {
        this.session = session;
    }

    static ExpectedEvents of(AshServer server, String session) {
        var expected = new ExpectedEvents(session);
        var path = "/api/sessions/" + session + "/stream?until=idle&after=0";
        try (var frames = server.api().follow(path)) {
            for (var frame = frames.next(); frame != null; frame = frames.next()) {
                if (frame.id() > 0) {
                    expected.add(frame);
                }
            }
        }
        return expected;
    }

    private void add(Frame frame) {
        var data = frame.json();
        switch (frame.event()) {
            case "done" -> turns++;
            case "message" -> message(data, frame.id());
            case "approval_required" ->
                    put("approval " + data.path("toolUseId").asString(), frame.id());
            default -> assertThat(frame.event()).isNotEqualTo("error");
        }
    }

    private void message(JsonNode data, long seq) {
        var content = data.at("/message/content");
        switch (data.path("type").asString()) {
            case "assistant" -> {
                var id = data.at("/message/id").asString();
                put("text " + id, seq);
                var text = texts.computeIfAbsent(id, _ -> new StringBuilder());
                for (var block : content) {
                    text.append(block.path("text").asString(""));
                    if (block.path("type").asString().equals("tool_use")) {
                        put("call " + block.path("id").asString(), seq);
                    }
                }
            }
            case "user" -> {
                for (var block : content) {
                    var call = block.path("tool_use_id").asString();
                    put("result " + call, seq);
                    results.put(call, block.path("content").asString());
                }
            }
            case "result" -> put("end " + session + "/" + seq + ".0", seq);
            default -> {}
        }
    }

    private void put(String what, long seq) {
        order.putIfAbsent(what, seq);
    }

    int turns() {
        return turns;
    }

    Set<String> order() {
        return order.keySet();
    }

    long seq(String what) {
        return order.getOrDefault(what, 0L);
    }

    String text(String id) {
        return texts.getOrDefault(id, new StringBuilder()).toString();
    }

    String result(String call) {
        return results.getOrDefault(call, "");
    }
}
