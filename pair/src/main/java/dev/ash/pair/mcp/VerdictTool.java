package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Draft;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mailbox.Message;
import dev.ash.pair.mailbox.MessageType;
import dev.ash.pair.mailbox.Signal;
import dev.ash.pair.verdict.Finding;
import dev.ash.pair.verdict.Severity;
import dev.ash.pair.verdict.Verdict;
import dev.ash.pair.verdict.VerdictJson;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code submit_verdict}: stores a reviewer's verdict on the commit under review as two messages.
 */
final class VerdictTool implements Tool {
    private static final List<String> VERDICTS = List.of("PASS", "FAIL");
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{7,64}");
    private static final List<String> SEVERITIES =
            Arrays.stream(Severity.values()).map(Severity::wire).toList();
    private static final int MAX_FINDINGS = 500;
    private static final Set<String> ARGUMENTS =
            new LinkedHashSet<>(List.of("verdict", "summary", "findings", "commit"));
    private static final Set<String> FINDING =
            new LinkedHashSet<>(List.of("id", "severity", "file", "line", "title", "detail"));

    private final Mailbox mailbox;
    private final ToolUser user;
    private final LoopContext loop;

    VerdictTool(Mailbox mailbox, ToolUser user, LoopContext loop) {
        this.mailbox = mailbox;
        this.user = user;
        this.loop = loop;
    }

    @Override
    public String name() {
        return "submit_verdict";
    }

    @Override
    public String errorPrefix() {
        return "verdict refused: ";
    }

    @Override
    public RawJson definition() {
        return Schemas.verdict(VERDICTS, SEVERITIES);
    }

    @Override
    public ToolResult call(RawJson json, PendingCall call) throws IOException {
        var arguments = Arguments.of(json, ARGUMENTS);
        var verdict = verdict(arguments);
        var commit = commit(arguments.optionalText("commit").orElse(""));
        var sender = user.peer().value();
        var review = Draft.of(MessageType.REVIEW, sender, user.partner(), text(verdict));
        var signal = Draft.signal(Signal.valueOf(verdict.signal()), sender, "", verdict.summary());
        var first = mailbox.append(withVerdict(review, verdict, commit));
        var second = mailbox.append(withVerdict(signal, verdict, commit));
        if (!second.duplicate()) {
            loop.onVerdict(verdict, second.entry());
        }
        var id = second.entry().message().id();
        var result = second.duplicate() ? "duplicate (already submitted)" : "submitted";
        return ToolResult.of(
                "Verdict %s: %s id=%s seq=%d"
                        .formatted(result, verdict.signal(), id, second.entry().seq()),
                JsonWriter.object()
                        .put("verdict", verdict.signal())
                        .put("review_seq", first.entry().seq())
                        .put("signal_seq", second.entry().seq())
                        .put("duplicate", second.duplicate())
                        .end());
    }

    /** An equal verdict on the same commit in the same turn is a duplicate. */
    private Draft withVerdict(Draft draft, Verdict verdict, @Nullable String commit) {
        var metadata = VerdictJson.write(verdict, commit);
        int round = loop.iteration();
        if (commit == null) { // the verdict on a plan
            return draft.withMetadata(metadata).inRound(round, "plan", verdict.signal());
        }
        var draftInRound = draft.withMetadata(metadata).inRound(round, verdict.signal());
        var hash = Message.idOf("verdict", metadata.toString(), "", loop.turnKey());
        return draftInRound.withClientId("verdict-" + draft.type().wire() + "-" + hash);
    }

    private static Verdict verdict(Arguments arguments) {
        var signal = arguments.requiredChoice("verdict", VERDICTS);
        var findings = new ArrayList<Finding>();
        for (var element : arguments.list("findings", MAX_FINDINGS)) {
            findings.add(finding(Arguments.of(element, FINDING)));
        }
        var verdict = new Verdict(signal.equals("PASS"), arguments.nonBlank("summary"), findings);
        if (verdict.isPass() && findings.stream().anyMatch(one -> one.severity().blocks())) {
            throw ApiException.invalid(
                    "verdict",
                    "PASS with a blocker or major finding is contradictory; use FAIL, or lower the severity");
        }
        return verdict;
    }

    private static Finding finding(Arguments arguments) {
        var line = arguments.number("line", 0, Integer.MAX_VALUE);
        return new Finding(
                arguments.filledText("id").orElse(null),
                Severity.of(arguments.requiredChoice("severity", SEVERITIES)).orElseThrow(),
                arguments.filledText("file").orElse(null),
                line.isPresent() && line.getAsLong() > 0 ? (Integer) (int) line.getAsLong() : null,
                arguments.nonBlank("title"),
                arguments.filledText("detail").orElse(null));
    }

    private static String text(Verdict verdict) {
        return verdict.findings().isEmpty()
                ? verdict.summary()
                : verdict.findings().stream()
                        .map(VerdictTool::text)
                        .collect(Collectors.joining("\n", verdict.summary() + "\n\n", ""));
    }

    private static String text(Finding finding) {
        var detail = finding.detail();
        return "- "
                + finding.inOneLine()
                + (detail == null ? "" : "\n  " + detail.replace("\n", "\n  "));
    }

    /** Returns the full hash of the commit under review; the reviewer may abbreviate it. */
    private @Nullable String commit(String given) {
        if (!given.isEmpty() && !COMMIT.matcher(given).matches()) {
            throw ApiException.invalid("commit", "must be a commit hash, 7 to 64 of 0-9 and a-f");
        }
        var expected = loop.commitUnderReview();
        if (expected.isEmpty()) {
            return given.isEmpty() ? null : given;
        }
        if (given.isEmpty() || !expected.get().startsWith(given)) {
            throw ApiException.invalid(
                    "commit",
                    "the commit under review is %s%s; review that commit"
                            .formatted(expected.get(), given.isEmpty() ? "" : ", not " + given));
        }
        return expected.get();
    }
}
