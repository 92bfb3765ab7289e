package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.PairApi.Finding;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.protocol.rest.PairApi.Round;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats pair runs for the terminal. */
final class PairText {
    private static final int NOTE_LENGTH = 100;

    private PairText() {}

    /** Returns the peers with their roles. */
    static String peers(Pair pair) {
        var words = new ArrayList<String>();
        if (pair.worker() != null) {
            words.add(Printable.line(pair.worker().name()) + " works");
        }
        if (pair.reviewer() != null) {
            words.add(Printable.line(pair.reviewer().name()) + " reviews");
        }
        return String.join(", ", words);
    }

    /** Returns the recipients of a message without a target. */
    static String recipients(Pair pair) {
        if (pair.worker() != null && pair.reviewer() != null) {
            return "both peers";
        }
        var only = pair.worker() == null ? pair.reviewer() : pair.worker();
        return only == null ? "no peer" : Printable.line(only.name());
    }

    /** Returns whether the run is not active but can be resumed. */
    static boolean isResumable(Pair pair) {
        boolean isOfAsh = !pair.base().isEmpty(); // the public tool records no commits
        boolean isInactive = pair.state().equals("over") || pair.state().equals("interrupted");
        return isOfAsh && isInactive && !"completed".equals(pair.outcome());
    }

    private static String resumeAdvice(Pair pair) {
        var option =
                switch (String.valueOf(pair.outcome())) {
                    case "max_rounds" -> " --max-rounds N";
                    case "timeout" -> " --timeout TIME";
                    case "budget_exhausted" -> " --max-tokens N or --max-cost USD";
                    default -> "";
                };
        return "ash pair resume " + pair.id() + option;
    }

    static String state(Pair pair) {
        return pair.outcome() == null ? pair.state() : pair.outcome();
    }

    /** Returns the results of the run and the next steps. */
    static String summary(Host host, Pair pair) {
        var lines = new ArrayList<String>();
        var reason = pair.reason().isBlank() ? "" : ": " + Printable.line(pair.reason());
        lines.add("Run %d %s%s".formatted(pair.run(), state(pair), reason));
        if (pair.question() != null) {
            lines.add("");
            lines.add(Printable.text(pair.question().strip()));
            lines.add(answerAdvice(pair));
        }
        add(lines, rounds(pair));
        add(lines, findings(pair.findings()));
        add(lines, stat(host, pair));
        add(lines, figures(pair).lines().toList());
        return String.join("\n", lines);
    }

    static String answerAdvice(Pair pair) {
        return "Waiting for your answer: ash pair answer %s go_on|accept|reject [TEXT]"
                .formatted(pair.id());
    }

    private static void add(List<String> lines, List<String> block) {
        if (!block.isEmpty()) {
            lines.add("");
            lines.addAll(block);
        }
    }

    private static List<String> rounds(Pair pair) {
        if (pair.rounds().isEmpty()) {
            return List.of();
        }
        var table = new Table().row("ROUND", "COMMIT", "PROOF", "VERDICT", "");
        for (var round : pair.rounds()) {
            table.row(
                    round.number(),
                    commit(round.commit()),
                    proof(round),
                    round.verdict() == null ? "" : round.verdict(),
                    Printable.abbreviate(round.note(), NOTE_LENGTH));
        }
        return table.toString().lines().toList();
    }

    private static String proof(Round round) {
        if (round.proof() == null) {
            return "";
        }
        return round.proof() == 0 ? "green" : "red (%d)".formatted(round.proof());
    }

    private static List<String> findings(List<Finding> findings) {
        return findings.stream()
                .map(
                        finding ->
                                "%s: %s%s"
                                        .formatted(
                                                finding(finding),
                                                finding.fate(),
                                                finding.reason().isBlank()
                                                        ? ""
                                                        : " ("
                                                                + Printable.abbreviate(
                                                                        finding.reason(),
                                                                        NOTE_LENGTH)
                                                                + ")"))
                .toList();
    }

    /** {@code F1 major src/A.java:3 No check of the length}. */
    static String finding(Finding finding) {
        var location = finding.file() == null ? "" : finding.file() + " ";
        if (finding.file() != null && finding.line() != null) {
            location = "%s:%d ".formatted(finding.file(), finding.line());
        }
        return Printable.abbreviate(
                "%s %s %s%s".formatted(finding.id(), finding.severity(), location, finding.title()),
                2 * NOTE_LENGTH);
    }

    /** Returns the diff summary of the local repository; empty if it is on another machine. */
    private static List<String> stat(Host host, Pair pair) {
        if (!hasCommits(pair)) {
            return List.of();
        }
        var command =
                List.of(
                        "git",
                        "-C",
                        pair.repository(),
                        "diff",
                        "--stat=100",
                        "--no-ext-diff",
                        pair.base(),
                        String.valueOf(pair.head()));
        var result = Programs.run(host, command);
        return result.exitCode() == 0
                ? result.output().lines().map(line -> " " + Printable.line(line.strip())).toList()
                : List.of();
    }

    static boolean hasCommits(Pair pair) {
        return pair.head() != null && !pair.head().equals(pair.base());
    }

    private static String figures(Pair pair) {
        var table = new Table();
        if (hasCommits(pair) && pair.worker() != null) {
            table.row("branch", pair.branch() + ", merge it with: git merge " + pair.branch());
        }
        table.row("rounds", "%d of at most %d".formatted(pair.round(), pair.maxRounds()));
        table.row(
                "tokens",
                String.format(
                        Locale.ROOT, "%,d in, %,d out", pair.inputTokens(), pair.outputTokens()));
        table.row("cost", String.format(Locale.ROOT, "$%.4f", pair.costUsd()));
        table.row("time", TimeSpan.format(pair.spentMs()));
        if (pair.outcome() != null) {
            table.row("report", Path.of(pair.folder(), "report.md"));
        }
        if (isResumable(pair)) {
            table.row("resume", resumeAdvice(pair));
        }
        return table.toString();
    }

    static String commit(@Nullable String commit) {
        return commit == null ? "" : commit.substring(0, Math.min(10, commit.length()));
    }
}
