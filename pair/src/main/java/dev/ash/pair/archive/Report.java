package dev.ash.pair.archive;

import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.Round;
import dev.ash.pair.verdict.Ledger;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats the report of a run in Markdown: {@code report.md}. */
public final class Report {
    public static final String FILE = "report.md";

    public static String of(Manifest.AshRun run) {
        var setup = run.setup();
        var spec = setup.spec();
        var progress = run.progress();
        return """
        # Run %d: %s

        %s

        | | |
        |---|---|
        | task | %s |
        | worker | %s |
        | reviewer | %s |
        | branch | %s |
        | commits | %s |
        | proof | %s |
        | rounds | %d of at most %d |
        | time | %s |
        | tokens | %,d in, %,d out |
        | cost | %s |

        ## Rounds

        | round | commit | proof | verdict | |
        |---|---|---|---|---|
        %s

        ## Findings

        %s

        ## Changes

        ```
        %s
        ```
        """
                .formatted(
                        setup.id(),
                        outcome(progress),
                        progress.reason().isEmpty()
                                ? "The run is still in progress."
                                : progress.reason() + ".",
                        cell(spec.task()),
                        assignment(run.worker()),
                        assignment(run.reviewer()),
                        branch(run),
                        commits(setup.base(), progress.head()),
                        spec.proof() == null ? "none" : "`" + cell(spec.proof()) + "`",
                        progress.round(),
                        spec.budget().rounds(),
                        time(Duration.ofMillis(progress.spentMillis())),
                        progress.usage().inputTokens(),
                        progress.usage().outputTokens(),
                        String.format(Locale.ROOT, "$%.4f", progress.usage().costUsd()),
                        progress.rounds().stream()
                                .map(Report::row)
                                .collect(Collectors.joining("\n")),
                        findings(progress.ledger()),
                        progress.stat().isBlank() ? "none" : progress.stat().strip());
    }

    private static String outcome(Progress progress) {
        var outcome = progress.outcome();
        return outcome == null ? progress.step().wire() : outcome.wire();
    }

    private static String row(Round round) {
        return "| %d | %s | %s | %s | %s |"
                .formatted(
                        round.number(),
                        round.commit() == null ? "" : "`" + shortened(round.commit()) + "`",
                        round.proof() == null
                                ? ""
                                : round.proof() == 0 ? "green" : "red (" + round.proof() + ")",
                        round.verdict() == null ? "" : round.verdict(),
                        cell(round.note()));
    }

    private static String findings(Ledger ledger) {
        return ledger.all().isEmpty()
                ? "None."
                : ledger.all().stream().map(Report::finding).collect(Collectors.joining("\n"));
    }

    private static String finding(Ledger.Entry entry) {
        return "- %s %s, since round %d: **%s**%s"
                .formatted(
                        entry.id(),
                        entry.finding().inOneLine(),
                        entry.round(),
                        entry.status().wire(),
                        entry.reason().isBlank() ? "" : " (" + entry.reason() + ")");
    }

    /** Runs without commits and review-only runs have no branch. */
    private static String branch(Manifest.AshRun run) {
        var progress = run.progress();
        boolean exists =
                run.worker() != null
                        && progress.head() != null
                        && !progress.head().equals(run.setup().base());
        return exists
                ? "`%s`"
                        .formatted(
                                Optional.ofNullable(progress.branch()).orElse(run.setup().branch()))
                : "none";
    }

    private static String commits(String base, @Nullable String head) {
        return head == null || head.equals(base)
                ? "none"
                : shortened(base) + ".." + shortened(head);
    }

    private static String assignment(@Nullable PeerAssignment assignment) {
        return assignment == null
                ? "none"
                : assignment.agent()
                        + (assignment.session() == null
                                ? ""
                                : ", session `" + assignment.session() + "`");
    }

    private static String shortened(String commit) {
        return commit.length() <= 10 ? commit : commit.substring(0, 10);
    }

    private static String time(Duration time) {
        return "%d min %d s".formatted(time.toMinutes(), time.toSecondsPart());
    }

    /** Escapes text for a table cell. */
    private static String cell(String text) {
        return text.strip().replace("|", "\\|").replaceAll("\\s*\\R\\s*", " ");
    }

    private Report() {}
}
