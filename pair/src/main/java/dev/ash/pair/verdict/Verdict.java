package dev.ash.pair.verdict;

import java.util.List;

/**
 * What a reviewer made of the work.
 *
 * @param isPass only if nothing speaks against it
 * @param summary in the reviewer's words, or why its words could not be taken for a verdict
 */
public record Verdict(boolean isPass, String summary, List<Finding> findings) {
    public Verdict {
        findings = List.copyOf(findings);
    }

    public static Verdict fail(String summary) {
        return new Verdict(false, summary, List.of());
    }

    public String signal() {
        return isPass ? "PASS" : "FAIL";
    }
}
