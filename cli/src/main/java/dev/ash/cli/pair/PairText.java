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

/** Runs of pairs in words. */
final class PairText {
    private static final int NOTE = 100;

    private PairText() {}

    /** Who does what. */
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

    /** Whom a message without a target reaches. */
    static String everybody(Pair pair) {
        if (pair.worker() != null && pair.reviewer() != null) {
            return "both peers";
        }
        var only = pair.worker() == null ? pair.reviewer() : pair.worker();
        return only == null ? "nobody" : Printable.line(only.name());
    }

    /** Whether nothing drives it now, but a server could. */
    static boolean isResumable(Pair pair) {
        boolean ours = !pair.base().isEmpty(); // the public tool keeps no commits
        boolean waits = pair.state().equals("over") || pair.state().equals("interrupted");
        return ours && waits && !"completed".equals(pair.outcome());
    }

    private static String resumeAdvice(Pair pair) {
        var more =
                switch (String.valueOf(pair.outcome())) {
                    case "max_rounds" -> " --max-rounds N";
                    case "timeout" -> " --timeout TIME";
                    case "budget_exhausted" -> " --max-tokens N or --max-cost USD";
                    default -> "";
                };
        return "ash pair resume " + pair.id() + more;
    }

    static String state(Pair pair) {
        return pair.outcome() == null ? pair.state() : pair.outcome();
    }

    /** All that came of it, and what to do with it. */
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
        return "It waits for your answer: ash pair answer %s go_on|accept|reject [WORDS]"
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
                    Printable.abbreviated(round.note(), NOTE));
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
                                                                + Printable.abbreviated(
                                                                        finding.reason(), NOTE)
                                                                + ")"))
                .toList();
    }

    /** {@code F1 major src/A.java:3 No check of the length}. */
    static String finding(Finding finding) {
        var place = finding.file() == null ? "" : finding.file() + " ";
        if (finding.file() != null && finding.line() != null) {
            place = "%s:%d ".formatted(finding.file(), finding.line());
        }
        return Printable.abbreviated(
                "%s %s %s%s".formatted(finding.id(), finding.severity(), place, finding.title()),
                2 * NOTE);
    }

    /** As the repository here tells; nothing where it is on another machine. */
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
        var answer = Programs.run(host, command);
        return answer.exitCode() == 0
                ? answer.output().lines().map(line -> " " + Printable.line(line.strip())).toList()
                : List.of();
    }

    static boolean hasCommits(Pair pair) {
        return pair.head() != null && !pair.head().equals(pair.base());
    }

    private static String figures(Pair pair) {
        var table = new Table();
        if (hasCommits(pair) && pair.worker() != null) {
            table.row("branch", pair.branch() + ", to take it: git merge " + pair.branch());
        }
        table.row("rounds", "%d of at most %d".formatted(pair.round(), pair.maxRounds()));
        table.row(
                "tokens",
                String.format(
                        Locale.ROOT, "%,d in, %,d out", pair.inputTokens(), pair.outputTokens()));
        table.row("cost", String.format(Locale.ROOT, "$%.4f", pair.costUsd()));
        table.row("time", Span.words(pair.spentMs()));
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
