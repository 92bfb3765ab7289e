package dev.ash.pair.verdict;

import dev.ash.pair.Plural;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Derives one verdict from a reviewer's turn. Verdicts submitted by tool take precedence; without
 * any, the last line of the reply counts. A missing, mixed or contradictory verdict is a FAIL, so
 * that work is never approved by accident.
 */
public final class VerdictReader {
    /**
     * Merges the verdicts that were submitted by tool for the commit under review, or, if there are
     * none, parses the last line of the reply.
     */
    public static Verdict read(List<Verdict> submitted, String text) {
        return submitted.isEmpty() ? parseText(text) : rejectContradiction(merge(submitted));
    }

    private static Verdict merge(List<Verdict> submitted) {
        if (submitted.size() == 1) {
            return submitted.getFirst();
        }
        var findings = new ArrayList<Finding>();
        submitted.forEach(verdict -> findings.addAll(verdict.findings()));
        var summary =
                submitted.stream()
                        .map(Verdict::summary)
                        .filter(text -> !text.isBlank())
                        .distinct()
                        .collect(Collectors.joining("\n"));
        boolean isPass = submitted.stream().allMatch(Verdict::isPass);
        boolean isMixed = !isPass && submitted.stream().anyMatch(Verdict::isPass);
        return new Verdict(
                isPass,
                isMixed ? "PASS and FAIL were both submitted; FAIL counts.\n" + summary : summary,
                findings);
    }

    private static Verdict rejectContradiction(Verdict verdict) {
        var blocking =
                verdict.findings().stream().filter(found -> found.severity().blocks()).toList();
        return verdict.isPass() && !blocking.isEmpty()
                ? new Verdict(
                        false,
                        "PASS was submitted with %s; FAIL counts.\n%s"
                                .formatted(
                                        Plural.of(blocking.size(), "blocking finding"),
                                        verdict.summary()),
                        verdict.findings())
                : verdict;
    }

    private static Verdict parseText(String text) {
        var lines = text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
        var signals = lines.stream().filter(VerdictReader::isSignal).distinct().toList();
        if (lines.isEmpty() || !isSignal(lines.getLast())) {
            return Verdict.fail(
                    "No verdict: expected a call of submit_verdict, or a last line that is only"
                            + " PASS or FAIL."
                            + (text.isBlank() ? "" : "\n" + text.strip()));
        }
        var summary = String.join("\n", lines.subList(0, lines.size() - 1));
        if (signals.size() > 1) {
            return Verdict.fail("PASS and FAIL were both submitted; FAIL counts.\n" + summary);
        }
        return new Verdict(signals.getFirst().equals("PASS"), summary, List.of());
    }

    private static boolean isSignal(String line) {
        return line.equals("PASS") || line.equals("FAIL");
    }

    private VerdictReader() {}
}
