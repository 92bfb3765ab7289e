package dev.ash.pair.verdict;

import java.util.List;

/**
 * A reviewer's decision about a commit or a plan.
 *
 * @param isPass whether it approves; false unless the approval is unambiguous
 * @param summary the reviewer's summary, or the reason why its reply was not a valid verdict
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
