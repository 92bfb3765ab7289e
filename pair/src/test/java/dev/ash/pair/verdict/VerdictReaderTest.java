package dev.ash.pair.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictReaderTest {
    private static final Finding BLOCKER =
            new Finding(null, Severity.BLOCKER, "A.java", 3, "It is wrong", null);
    private static final Finding NIT = new Finding(null, Severity.NIT, null, null, "A name", null);

    private static Verdict text(String text) {
        return VerdictReader.read(List.of(), text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PASS", "all well\n\nPASS\n", "fine\n  PASS  \n\n"})
    void passesOnLastLinePass(String text) {
        assertThat(text(text).isPass()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  \n ",
                "PASS looks good",
                "I would PASS this",
                "**PASS**",
                "pass",
                "PASS.",
                "PASS\nbut see below",
                "The password handling FAILS and is not done: do not merge",
                "FAIL\nno, wait\nPASS",
                "PASS\nno, wait\nFAIL",
                "Verdict: PASS",
                "`PASS`",
                "DONE",
                "PASSED"
            })
    void d1_failsOnAnyOtherText(String text) {
        assertThat(text(text).isPass()).isFalse();
    }

    @Property
    void passesOnlyOnExactLastLine(@ForAll String text) {
        var lines = text.strip().lines().map(String::strip).toList();
        boolean exact = !lines.isEmpty() && lines.getLast().equals("PASS");
        assertThat(text(text).isPass() && !exact).isFalse();
    }

    @Test
    void prefersToolVerdictsToText() {
        var fail = new Verdict(false, "no", List.of(BLOCKER));
        assertThat(VerdictReader.read(List.of(fail), "PASS")).isEqualTo(fail);

        var pass = new Verdict(true, "yes", List.of(NIT));
        assertThat(VerdictReader.read(List.of(pass), "FAIL")).isEqualTo(pass);
    }

    @Test
    void mergesPassAndFailToFailWithAllFindings() {
        var both =
                VerdictReader.read(
                        List.of(
                                new Verdict(false, "bad", List.of(BLOCKER)),
                                new Verdict(true, "good", List.of())),
                        "");
        assertThat(both.isPass()).isFalse();
        assertThat(both.findings()).containsExactly(BLOCKER);
        assertThat(both.summary()).contains("bad", "good", "both");
    }

    @Test
    void failsOnPassWithBlockingFinding() {
        var verdict =
                VerdictReader.read(List.of(new Verdict(true, "fine", List.of(BLOCKER))), "PASS");
        assertThat(verdict.isPass()).isFalse();
        assertThat(verdict.summary()).contains("block", "fine");
    }
}
