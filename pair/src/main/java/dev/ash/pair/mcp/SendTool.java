package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Draft;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mailbox.MessageType;
import dev.ash.pair.mailbox.Signal;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** {@code send_to_agent}: appends a message to the mailbox. */
final class SendTool implements Tool {
    static final String NAME = "send_to_agent";
    private static final List<String> TYPES =
            Arrays.stream(MessageType.values()).map(MessageType::wire).toList();
    private static final List<String> SIGNALS =
            Arrays.stream(Signal.values()).map(Signal::name).toList();
    private static final Set<String> ARGUMENTS =
            new LinkedHashSet<>(List.of("to", "message_type", "content", "signal", "client_id"));

    /** Prefix of the client ids of the loop. */
    private static final String RESERVED_PREFIX = "ash:";

    private final Mailbox mailbox;
    private final ToolUser user;
    private final LoopContext loop;
    private final SendRateLimiter rateLimiter;

    SendTool(Mailbox mailbox, ToolUser user, LoopContext loop, SendRateLimiter rateLimiter) {
        this.mailbox = mailbox;
        this.user = user;
        this.loop = loop;
        this.rateLimiter = rateLimiter;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String errorPrefix() {
        return "send failed: ";
    }

    @Override
    public RawJson definition() {
        return Schemas.send(user.targets(), TYPES, SIGNALS);
    }

    @Override
    public ToolResult call(RawJson json, PendingCall call) throws IOException {
        var arguments = Arguments.of(json, ARGUMENTS);
        var to = target(arguments.optionalText("to").orElse(""));
        var type = MessageType.of(arguments.requiredChoice("message_type", TYPES)).orElseThrow();
        var signal = arguments.choice("signal", SIGNALS).flatMap(Signal::of).orElse(null);
        var content =
                type == MessageType.SIGNAL
                        ? arguments.optionalText("content").orElse("")
                        : arguments.nonBlank("content");
        var clientId = arguments.filledText("client_id").orElse(null);
        if (clientId != null && clientId.startsWith(RESERVED_PREFIX)) {
            throw ApiException.invalid(
                    "client_id",
                    "must not start with '" + RESERVED_PREFIX + "', which is reserved");
        }
        if (user.role() == Role.WORKER && (signal == Signal.PASS || signal == Signal.FAIL)) {
            throw ApiException.invalid(
                    "signal", "must be DONE for a worker; only reviewers can signal PASS or FAIL");
        }
        var draft =
                new Draft(
                        type,
                        user.peer().value(),
                        to,
                        content,
                        signal,
                        loop.iteration(),
                        null,
                        clientId);
        rateLimiter.acquire();
        var appended = mailbox.append(draft);
        var id = appended.entry().message().id();
        var seq = appended.entry().seq();
        var text =
                appended.duplicate()
                        ? "Message duplicate (already sent): id="
                        : "Message sent: id=";
        return ToolResult.of(
                text + id + " seq=" + seq,
                JsonWriter.object()
                        .put("id", id)
                        .put("seq", seq)
                        .put("duplicate", appended.duplicate())
                        .end());
    }

    private String target(String to) {
        if (to.equals(user.peer().value())) {
            throw ApiException.invalid(
                    "to", "must not be yourself; name another peer, or omit it for all peers");
        }
        if (!user.targets().contains(to)) {
            throw ApiException.invalid(
                    "to",
                    "'%s' is not a peer of this run; expected %s, human or system, or nothing for all peers"
                            .formatted(Arguments.shortened(to), String.join(", ", user.others())));
        }
        return to;
    }
}
