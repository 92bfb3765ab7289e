package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.AssistantText;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash session messages}. */
@Command(name = "messages", description = "Show the prompts and messages of a session.")
final class SessionMessagesCommand extends SessionCommand {
    @Option(names = "--after", paramLabel = "N", description = "Only messages after this number.")
    long after;

    @Option(names = "--limit", paramLabel = "N", description = "Maximum number of messages.")
    @Nullable Integer limit;

    SessionMessagesCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var messages = sessions().messages(id, after, limit);
        var lines = new ArrayList<String>();
        for (var message : messages) {
            var text = text(message);
            if (!text.isEmpty()) {
                lines.add(
                        "%d %s: %s"
                                .formatted(
                                        message.sequence(), message.role(), Printable.text(text)));
            }
        }
        return lines.isEmpty()
                ? printList(new SessionApi.Messages(messages), "", "No messages.")
                : print(new SessionApi.Messages(messages), String.join("\n", lines));
    }

    /** Returns the text of a prompt or an answer; empty for tool uses and totals. */
    private static String text(SessionApi.Message message) {
        var json = RawJson.of(message.content());
        if (!message.role().equals("user")) {
            return AssistantText.of(json);
        }
        try {
            var content = JsonObject.parse(json).raw("content").orElse(RawJson.NULL);
            return JsonObject.text(content).orElse(content.toString());
        } catch (MalformedJsonException e) {
            return message.content();
        }
    }
}
