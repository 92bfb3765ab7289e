package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Draft;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mailbox.Message;
import dev.ash.pair.mailbox.MessageType;
import dev.ash.pair.mailbox.Signal;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** {@code submit_verdict}: what a reviewer says of the commit under review, as two messages. */
final class VerdictTool implements Tool {
    private static final List<String> VERDICTS = List.of("PASS", "FAIL");
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{7,64}");
    private static final int MAX_FINDINGS = 500;
    private static final Set<String> ARGUMENTS =
            new LinkedHashSet<>(List.of("verdict", "summary", "findings", "commit"));
    private static final Set<String> FINDING =
            new LinkedHashSet<>(List.of("severity", "file", "line", "title", "detail"));

    private final Mailbox mailbox;
    private final Seat seat;
    private final LoopLink loop;

    VerdictTool(Mailbox mailbox, Seat seat, LoopLink loop) {
        this.mailbox = mailbox;
        this.seat = seat;
        this.loop = loop;
    }

    @Override
    public String name() {
        return "submit_verdict";
    }

    @Override
    public String failure() {
        return "verdict refused: ";
    }

    @Override
    public RawJson definition() {
        return Schemas.verdict(VERDICTS, Severity.wires());
    }

    @Override
    public ToolResult call(RawJson json, Call call) throws IOException {
        var verdict = verdict(Arguments.of(json, ARGUMENTS));
        var me = seat.peer().value();
        var metadata = verdict.toMetadata();
        var review = Draft.of(MessageType.REVIEW, me, seat.partner(), verdict.text());
        var signal = Draft.signal(verdict.signal(), me, "", verdict.summary());
        var first = mailbox.append(complete(review, metadata, verdict));
        var second = mailbox.append(complete(signal, metadata, verdict));
        if (!second.duplicate()) {
            loop.verdict(verdict, second.entry());
        }
        var text =
                second.duplicate()
                        ? "Verdict duplicate (already submitted): "
                        : "Verdict submitted: ";
        return ToolResult.of(
                text
                        + verdict.signal()
                        + " id="
                        + second.entry().message().id()
                        + " seq="
                        + second.entry().seq(),
                JsonWriter.object()
                        .put("verdict", verdict.signal().name())
                        .put("review_seq", first.entry().seq())
                        .put("signal_seq", second.entry().seq())
                        .put("duplicate", second.duplicate())
                        .end());
    }

    /** The same verdict on the same commit in the same round is a retry. */
    private Draft complete(Draft draft, RawJson metadata, Verdict verdict) {
        int iteration = loop.iteration();
        var whole = draft.withMetadata(metadata).inIteration(iteration);
        if (verdict.commit().isEmpty()) {
            return whole;
        }
        var hash = Message.idOf("verdict", metadata.toString(), "", Integer.toString(iteration));
        return whole.withClientId("verdict-" + draft.type().wire() + "-" + hash);
    }

    private Verdict verdict(Arguments arguments) {
        var signal = Signal.of(arguments.requiredChoice("verdict", VERDICTS)).orElseThrow();
        var findings = new ArrayList<Finding>();
        for (var element : arguments.list("findings", MAX_FINDINGS)) {
            findings.add(finding(Arguments.of(element, FINDING)));
        }
        if (signal == Signal.PASS
                && findings.stream().anyMatch(one -> one.severity() == Severity.CRITICAL)) {
            throw ApiException.invalid(
                    "verdict",
                    "PASS with a critical finding contradicts itself; say FAIL, or lower the severity");
        }
        return new Verdict(
                signal,
                arguments.nonBlank("summary"),
                List.copyOf(findings),
                commit(arguments.optionalText("commit").orElse("")));
    }

    private static Finding finding(Arguments arguments) {
        return new Finding(
                Severity.of(arguments.requiredChoice("severity", Severity.wires())).orElseThrow(),
                arguments.optionalText("file").orElse(""),
                (int) arguments.number("line", 0, Integer.MAX_VALUE).orElse(0),
                arguments.nonBlank("title"),
                arguments.optionalText("detail").orElse(""));
    }

    /** The whole hash of the commit under review, of which the reviewer may give the beginning. */
    private String commit(String given) {
        if (!given.isEmpty() && !COMMIT.matcher(given).matches()) {
            throw ApiException.invalid("commit", "must be a commit's hash, 7 to 64 of 0-9 and a-f");
        }
        var expected = loop.commitUnderReview();
        if (expected.isEmpty()) {
            return given;
        }
        if (given.isEmpty() || !expected.get().startsWith(given)) {
            throw ApiException.invalid(
                    "commit",
                    "the commit under review is %s%s; look at that one and judge it"
                            .formatted(expected.get(), given.isEmpty() ? "" : ", not " + given));
        }
        return expected.get();
    }
}
