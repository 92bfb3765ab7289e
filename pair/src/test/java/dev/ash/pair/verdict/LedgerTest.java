package dev.ash.pair.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private final Ledger ledger = new Ledger();

    private static Finding finding(String id, String title) {
        return new Finding(id, Severity.MAJOR, "A.java", 1, title, null);
    }

    private void fail(int round, Finding... findings) {
        ledger.applyVerdict(new Verdict(false, "no", List.of(findings)), round);
    }

    private Ledger.Entry entry(int index) {
        return ledger.all().get(index);
    }

    @Test
    void assignsIdsToNewOpenFindings() {
        fail(1, finding(null, "one"), finding(null, "two"));

        assertThat(ledger.open()).extracting(Ledger.Entry::id).containsExactly("F1", "F2");
    }

    @Test
    void resolvesFindingsAsAnsweredUnlessRaisedAgain() {
        fail(1, finding(null, "a"), finding(null, "b"), finding(null, "c"), finding(null, "d"));
        ledger.recordAnswers(
                """
                I did this:
                F1: fixed
                - F2: rejected: it is meant so
                f3: Deferred - another day
                F9: fixed
                F1 was hard
                DONE
                """);
        fail(2, finding(null, "e"));

        assertThat(ledger.all())
                .extracting(Ledger.Entry::status)
                .containsExactly(
                        FindingStatus.FIXED,
                        FindingStatus.REJECTED,
                        FindingStatus.DEFERRED,
                        FindingStatus.FIXED,
                        FindingStatus.OPEN);
        assertThat(entry(1).reason()).isEqualTo("it is meant so");
    }

    @Test
    void reopensFindingsThatAreRaisedAgain() {
        fail(1, finding(null, "Same  thing"));
        ledger.recordAnswers("F1: rejected: no");
        fail(2, finding("F1", "other words"));
        assertThat(entry(0).disputes()).isEqualTo(1);
        ledger.recordAnswers("F1: rejected: still no");
        fail(3, finding(null, "OTHER words"));

        assertThat(ledger.all()).hasSize(1);
        assertThat(entry(0).status()).isEqualTo(FindingStatus.OPEN);
        assertThat(entry(0).disputes()).isEqualTo(2);
        assertThat(entry(0).reason()).isEqualTo("still no");
    }

    @Test
    void keepsFindingsOpenAfterFailWithoutFindings() {
        fail(1, finding(null, "a"));
        fail(2);

        assertThat(ledger.open()).hasSize(1);
    }

    @Test
    void resolvesAllFindingsAndDefersNewOnesOnPass() {
        fail(1, finding(null, "a"));
        ledger.applyVerdict(
                new Verdict(
                        true,
                        "",
                        List.of(new Finding(null, Severity.NIT, null, null, "name", null))),
                2);

        assertThat(ledger.open()).isEmpty();
        assertThat(ledger.all())
                .extracting(Ledger.Entry::status)
                .containsExactly(FindingStatus.FIXED, FindingStatus.DEFERRED);
    }
}
