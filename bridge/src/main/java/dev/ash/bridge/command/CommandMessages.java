package dev.ash.bridge.command;

import static dev.ash.bridge.engine.ClaudeMessageFormat.withOriginal;

import dev.ash.bridge.engine.ClaudeMessageFormat;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Sends the output of a program as messages in the format of Claude Code, each with the original
 * text as {@code raw}. The output is text of the model; a long one is sent in several messages.
 */
final class CommandMessages {
    private static final int MAX_CHARS = 1024 * 1024;

    /** The longest white space between words; the rest is dropped. */
    private static final int MAX_SPACE = 4096;

    private final ClaudeMessageFormat format;
    private final boolean sendsPartials;
    private final Consumer<RawJson> out;
    private final long startedAt = System.nanoTime();
    private final AnsiFilter filter = new AnsiFilter();
    private final StringBuilder text = new StringBuilder();
    private String space = ""; // white space after the text, not sent yet
    private String messageId = "";
    private String lastText = "";
    private final AtomicLong count = new AtomicLong();
    private volatile boolean sending;

    /** {@code sendsPartials} also streams the output in deltas. */
    CommandMessages(String sessionId, String model, boolean sendsPartials, Consumer<RawJson> out) {
        this.format = new ClaudeMessageFormat(sessionId, model);
        this.sendsPartials = sendsPartials;
        this.out = out;
    }

    void init(String workspace) {
        send(format.init(workspace, List.of(), false).end());
    }

    /** Returns the number of messages, to detect progress. */
    long count() {
        return count.get();
    }

    /** Returns whether a message is waiting for the server. */
    boolean isSending() {
        return sending;
    }

    private void send(RawJson message) {
        sending = true;
        out.accept(message);
        count.incrementAndGet();
        sending = false;
    }

    synchronized void add(String output) {
        var shown = withoutOuterSpace(filter.filter(output));
        if (shown.isEmpty()) {
            return;
        }
        if (text.isEmpty()) {
            messageId = "msg_" + ClaudeMessageFormat.uuid();
            sendPartial(format.messageStart(messageId));
            sendPartial(format.blockStart(ClaudeMessageFormat.text("")));
        }
        text.append(shown);
        var delta = format.delta("text_delta", "text", RawJson.string(shown));
        sendPartial(withOriginal(delta, RawJson.string(output)));
        if (text.length() > MAX_CHARS) {
            flush();
        }
    }

    /** Holds white space back until other text follows, so that the parts equal the message. */
    private String withoutOuterSpace(String output) {
        var all = text.isEmpty() ? output.stripLeading() : space + output;
        var shown = all.stripTrailing();
        space = all.substring(shown.length(), Math.min(all.length(), shown.length() + MAX_SPACE));
        return shown;
    }

    private void sendPartial(RawJson message) {
        if (sendsPartials) {
            send(message);
        }
    }

    private void flush() {
        if (text.isEmpty()) {
            return;
        }
        lastText = text.toString();
        text.setLength(0);
        var block = ClaudeMessageFormat.text(lastText);
        send(withOriginal(format.assistant(messageId, block), RawJson.string(lastText)));
        sendPartial(format.blockStop());
        sendPartial(format.messageDelta("end_turn"));
        sendPartial(format.messageStop());
    }

    /** Sends the rest of the output and the result; a status other than 0 is a failure. */
    synchronized void result(CommandRun.Outcome outcome, String product) {
        flush();
        boolean ok = !outcome.stopped() && outcome.exitCode() == 0;
        var original = JsonWriter.object().put("exitCode", outcome.exitCode());
        var raw = original.put("stderr", outcome.stderr()).end();
        if (outcome.stopped()) {
            send(withOriginal(format.interrupted(), raw));
        }
        var json = format.result(ok, (System.nanoTime() - startedAt) / 1_000_000, 1);
        var failure = failure(outcome, product);
        json.put("result", ok ? lastText : failure);
        if (ok) {
            json.put("stop_reason", "end_turn").put("terminal_reason", "completed");
        } else {
            json.putNull("stop_reason");
            json.put("terminal_reason", outcome.stopped() ? "aborted_streaming" : "error");
            json.put("errors", List.of(failure));
        }
        json.put("usage", RawJson.of("{\"input_tokens\":0,\"output_tokens\":0}"));
        json.put("modelUsage", RawJson.EMPTY_OBJECT).put("permission_denials", List.of());
        send(withOriginal(json, raw));
    }

    private static String failure(CommandRun.Outcome outcome, String product) {
        if (outcome.stopped()) {
            return "The turn was interrupted";
        }
        int status = outcome.exitCode();
        return product
                + (status > 128
                        ? " was killed by signal " + (status - 128)
                        : " exited with code " + status)
                + (outcome.stderr().isEmpty() ? "" : ". Stderr: " + outcome.stderr());
    }
}
