package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Signal;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a reviewer says of a commit: PASS or FAIL. The commit is empty where none was named. */
public record Verdict(Signal signal, String summary, List<Finding> findings, String commit) {
    /** The summary and the findings, for people. */
    public String text() {
        return findings.isEmpty()
                ? summary
                : summary
                        + "\n\n"
                        + findings.stream().map(Finding::text).collect(Collectors.joining("\n"));
    }

    /** As it travels in the metadata of messages: {@code {"verdict":{…}}}. */
    public RawJson toMetadata() {
        var json = JsonWriter.object().name("verdict").open('{');
        json.put("verdict", signal.name()).put("summary", summary);
        json.name("findings").open('[');
        for (var finding : findings) {
            json.open('{')
                    .put("severity", finding.severity().wire())
                    .put("file", finding.file())
                    .put("line", finding.line())
                    .put("title", finding.title())
                    .put("detail", finding.detail())
                    .close('}');
        }
        return json.close(']').put("commit", commit).close('}').end();
    }

    /** From the metadata of a message. */
    public static Verdict fromMetadata(RawJson metadata) throws MalformedJsonException {
        var json =
                JsonObject.parse(metadata)
                        .object("verdict")
                        .orElseThrow(() -> new MalformedJsonException("no verdict in it"));
        var signal =
                Signal.of(json.requireString("verdict"))
                        .orElseThrow(() -> new MalformedJsonException("no such verdict"));
        var findings = new ArrayList<Finding>();
        for (var element : JsonObject.elements(json.raw("findings").orElse(RawJson.of("[]")))) {
            var finding = JsonObject.parse(element);
            findings.add(
                    new Finding(
                            Severity.of(finding.requireString("severity")).orElse(Severity.HIGH),
                            finding.string("file").orElse(""),
                            finding.integer("line").orElse(0),
                            finding.requireString("title"),
                            finding.string("detail").orElse("")));
        }
        return new Verdict(
                signal,
                json.requireString("summary"),
                List.copyOf(findings),
                json.string("commit").orElse(""));
    }
}
