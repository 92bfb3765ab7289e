package dev.ash.bridge;

import java.util.List;

/** Summarizes messages in the format of Claude Code, such as {@code assistant tool_use}. */
final class MessageTypes {
    static List<String> of(List<RawClient.Event> events) {
        return events.stream()
                .filter(event -> event.kind().equals("message"))
                .map(RawClient.Event::message)
                .map(MessageTypes::of)
                .toList();
    }

    private static String of(RawClient.Event message) {
        var content = message.at("message").json().raw("content");
        var isArray = content.isPresent() && content.get().byteAt(0) == '[';
        var blocks =
                isArray ? message.at("message").elements("content") : List.<RawClient.Event>of();
        var block = blocks.isEmpty() ? "" : " " + blocks.getFirst().text("type");
        var event = message.at("event").text("type");
        return message.text("type") + block + (event.isEmpty() ? "" : " " + event);
    }

    /** Returns the first content block of a message. */
    static RawClient.Event block(RawClient.Event event) {
        return event.message().at("message").elements("content").getFirst();
    }

    private MessageTypes() {}
}
