package dev.ash.e2e;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Frame of an event stream; {@code id} is 0 if the frame has none. */
public record Frame(String event, String data, long id) {
    private static final JsonMapper MAPPER = new JsonMapper();

    public JsonNode json() {
        return MAPPER.readTree(data);
    }

    /** Returns the type of the engine's message, such as {@code assistant}. */
    public String type() {
        return json().path("type").asString("");
    }

    public static List<Frame> only(String event, List<Frame> frames) {
        return frames.stream().filter(frame -> frame.event().equals(event)).toList();
    }

    public static List<String> names(List<Frame> frames) {
        return frames.stream().map(Frame::event).toList();
    }

    /** Returns the text of all assistant messages. */
    public static String said(List<Frame> frames) {
        var text = new StringBuilder();
        for (var frame : only("message", frames)) {
            if (frame.type().equals("assistant")) {
                var content = frame.json().at("/message/content");
                content.forEach(block -> text.append(block.path("text").asString("")));
            }
        }
        return text.toString();
    }
}
