package dev.ash.pair.verdict;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Makes one verdict of all that a reviewer said in a turn. What it gave by a tool counts; its text
 * does only where no tool was used, and then its last line alone. Whatever is missing, mixed or
 * contradicts itself is a FAIL: work is never approved by accident.
 */
public final class VerdictReader {
    /**
     * One verdict of all that were given by tools about the commit under review, in their order, or
     * else of the last that the reviewer said.
     */
    public static Verdict read(List<Verdict> given, String text) {
        return given.isEmpty() ? ofText(text) : consistent(merged(given));
    }

    private static Verdict merged(List<Verdict> given) {
        if (given.size() == 1) {
            return given.getFirst();
        }
        var findings = new ArrayList<Finding>();
        given.forEach(verdict -> findings.addAll(verdict.findings()));
        var summary =
                given.stream()
                        .map(Verdict::summary)
                        .filter(words -> !words.isBlank())
                        .distinct()
                        .collect(Collectors.joining("\n"));
        boolean isPass = given.stream().allMatch(Verdict::isPass);
        boolean isMixed = !isPass && given.stream().anyMatch(Verdict::isPass);
        return new Verdict(
                isPass,
                isMixed ? "PASS and FAIL were both given; FAIL counts.\n" + summary : summary,
                findings);
    }

    private static Verdict consistent(Verdict verdict) {
        var against =
                verdict.findings().stream().filter(found -> found.severity().blocks()).toList();
        return verdict.isPass() && !against.isEmpty()
                ? new Verdict(
                        false,
                        "PASS was given together with %s; FAIL counts.\n%s"
                                .formatted(
                                        against.size() == 1
                                                ? "1 finding that blocks"
                                                : against.size() + " findings that block",
                                        verdict.summary()),
                        verdict.findings())
                : verdict;
    }

    private static Verdict ofText(String text) {
        var lines = text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
        var signals = lines.stream().filter(VerdictReader::isSignal).distinct().toList();
        if (lines.isEmpty() || !isSignal(lines.getLast())) {
            return Verdict.fail(
                    "No verdict was given: neither by submit_verdict nor as a last line that is PASS"
                            + " or FAIL and nothing else."
                            + (text.isBlank() ? "" : "\n" + text.strip()));
        }
        var words = String.join("\n", lines.subList(0, lines.size() - 1));
        if (signals.size() > 1) {
            return Verdict.fail("PASS and FAIL were both given; FAIL counts.\n" + words);
        }
        return new Verdict(signals.getFirst().equals("PASS"), words, List.of());
    }

    private static boolean isSignal(String line) {
        return line.equals("PASS") || line.equals("FAIL");
    }

    private VerdictReader() {}
}
