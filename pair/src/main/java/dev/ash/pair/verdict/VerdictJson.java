package dev.ash.pair.verdict;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts verdicts to and from the JSON metadata of messages. */
public final class VerdictJson {
    private static final String MEMBER = "verdict";

    /** {@code commit} is the reviewed commit; null for a verdict on a plan. */
    public static RawJson write(Verdict verdict, @Nullable String commit) {
        var json =
                JsonWriter.object()
                        .name(MEMBER)
                        .open('{')
                        .put("verdict", verdict.signal())
                        .put("summary", verdict.summary())
                        .put("commit", commit)
                        .name("findings")
                        .open('[');
        for (var finding : verdict.findings()) {
            json.open('{')
                    .put("id", finding.id())
                    .put("severity", finding.severity().wire())
                    .put("file", finding.file())
                    .put("line", finding.line())
                    .put("title", finding.title())
                    .put("detail", finding.detail())
                    .close('}');
        }
        return json.close(']').close('}').end();
    }

    /** A verdict and the reviewed commit, if the metadata names one. */
    public record CommitVerdict(Verdict verdict, Optional<String> commit) {}

    /** Returns the verdict in the metadata, if any; a malformed one counts as FAIL. */
    public static Optional<CommitVerdict> read(@Nullable RawJson metadata) {
        if (metadata == null) {
            return Optional.empty();
        }
        try {
            var json = JsonObject.parse(metadata).object(MEMBER);
            return json.isEmpty() ? Optional.empty() : Optional.of(read(json.get()));
        } catch (MalformedJsonException e) {
            return Optional.of(
                    new CommitVerdict(
                            Verdict.fail("Malformed verdict: " + e.getMessage()),
                            Optional.empty()));
        }
    }

    private static CommitVerdict read(JsonObject json) throws MalformedJsonException {
        var findings = new ArrayList<Finding>();
        var array = json.raw("findings");
        if (array.isPresent()) {
            for (var element : JsonObject.elements(array.get())) {
                findings.add(finding(JsonObject.parse(element)));
            }
        }
        var signal = json.requireString("verdict");
        if (!signal.equals("PASS") && !signal.equals("FAIL")) {
            throw new MalformedJsonException("expected PASS or FAIL");
        }
        return new CommitVerdict(
                new Verdict(signal.equals("PASS"), json.string("summary").orElse(""), findings),
                json.string("commit"));
    }

    private static Finding finding(JsonObject json) throws MalformedJsonException {
        var line = json.integer("line");
        return new Finding(
                json.string("id").orElse(null),
                Severity.of(json.requireString("severity"))
                        .orElseThrow(() -> new MalformedJsonException("unknown severity")),
                json.string("file").orElse(null),
                line.isPresent() ? (Integer) line.getAsInt() : null,
                json.requireString("title"),
                json.string("detail").orElse(null));
    }

    private VerdictJson() {}
}
