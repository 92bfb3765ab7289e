package dev.ash.pair.verdict;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tracks all findings of a run and their status. The worker answers findings, and the reviewer's
 * next verdict decides: a finding that it raises again is open regardless of the answer, any other
 * is resolved as the worker answered. Not thread-safe.
 */
public final class Ledger {
    /** The worker's answer to a finding, on its own line: {@code F3: rejected: reason}. */
    private static final Pattern ANSWER =
            Pattern.compile(
                    "[-*]?\\s*(F[0-9]{1,6}):\\s*(fixed|rejected|deferred)\\s*(?:[:,–-]\\s*(.*))?",
                    Pattern.CASE_INSENSITIVE);

    /**
     * A finding and its status.
     *
     * @param round the round in which it was first raised
     * @param answer the worker's latest answer; null if there is none
     * @param disputes how often the reviewer raised it again after the worker had rejected it
     */
    public record Entry(
            String id,
            Finding finding,
            int round,
            FindingStatus status,
            @Nullable FindingStatus answer,
            String reason,
            int disputes) {
        Entry withAnswer(FindingStatus newAnswer, String newReason) {
            return new Entry(id, finding, round, status, newAnswer, newReason, disputes);
        }

        Entry reopened(Finding again) {
            boolean disputed = answer == FindingStatus.REJECTED;
            var latest =
                    new Finding(
                            id,
                            again.severity(),
                            again.file(),
                            again.line(),
                            again.title(),
                            again.detail() == null ? finding.detail() : again.detail());
            return new Entry(
                    id,
                    latest,
                    round,
                    FindingStatus.OPEN,
                    null,
                    reason,
                    disputes + (disputed ? 1 : 0));
        }

        Entry resolved() {
            return new Entry(
                    id,
                    finding,
                    round,
                    answer == null ? FindingStatus.FIXED : answer,
                    answer,
                    reason,
                    disputes);
        }

        Entry withoutDisputes() {
            return new Entry(id, finding, round, status, answer, reason, 0);
        }

        Entry withStatus(FindingStatus newStatus) {
            return new Entry(id, finding, round, newStatus, answer, reason, disputes);
        }
    }

    private final List<Entry> entries = new ArrayList<>();

    public Ledger() {}

    public Ledger(List<Entry> entries) {
        this.entries.addAll(entries);
    }

    public List<Entry> all() {
        return List.copyOf(entries);
    }

    public List<Entry> open() {
        return entries.stream().filter(entry -> entry.status() == FindingStatus.OPEN).toList();
    }

    /** Parses the worker's answers from its final message and records them. */
    public void recordAnswers(String text) {
        for (var line : text.lines().toList()) {
            var matcher = ANSWER.matcher(line.strip());
            if (matcher.matches()) {
                var answer = FindingStatus.of(matcher.group(2));
                var reason = matcher.group(3) == null ? "" : matcher.group(3).strip();
                replace(
                        matcher.group(1).toUpperCase(Locale.ROOT),
                        entry ->
                                entry.status() == FindingStatus.OPEN
                                        ? entry.withAnswer(answer, reason)
                                        : entry);
            }
        }
    }

    /** Applies a verdict: findings that it raises become open, all others are resolved. */
    public void applyVerdict(Verdict verdict, int round) {
        var raised = new ArrayList<String>();
        for (var finding : verdict.findings()) {
            var known = find(finding);
            if (known.isPresent()) {
                replace(known.get().id(), entry -> entry.reopened(finding));
                raised.add(known.get().id());
            } else {
                var id = "F" + (entries.size() + 1);
                entries.add(new Entry(id, finding, round, FindingStatus.OPEN, null, "", 0));
                raised.add(id);
            }
        }
        // A FAIL without findings does not resolve open findings.
        if (verdict.isPass() || !verdict.findings().isEmpty()) {
            entries.replaceAll(
                    entry ->
                            entry.status() == FindingStatus.OPEN && !raised.contains(entry.id())
                                    ? entry.resolved()
                                    : entry);
        }
        if (verdict.isPass()) { // findings of a PASS do not block the approval
            entries.replaceAll(
                    entry ->
                            entry.status() == FindingStatus.OPEN
                                    ? entry.withStatus(FindingStatus.DEFERRED)
                                    : entry);
        }
    }

    /** Resets the dispute counts after the user has decided a disagreement. */
    public void resetDisputes() {
        entries.replaceAll(Entry::withoutDisputes);
    }

    /** Marks all open findings as rejected, after the user has accepted the work. */
    public void rejectOpen(String reason) {
        entries.replaceAll(
                entry ->
                        entry.status() == FindingStatus.OPEN
                                ? entry.withAnswer(FindingStatus.REJECTED, reason)
                                        .withStatus(FindingStatus.REJECTED)
                                : entry);
    }

    /** Returns the ids of the open findings, used to detect rounds without progress. */
    public Set<String> openIds() {
        return open().stream().map(Entry::id).collect(Collectors.toCollection(TreeSet::new));
    }

    private Optional<Entry> find(Finding finding) {
        var named =
                entries.stream()
                        .filter(entry -> entry.id().equalsIgnoreCase(finding.id()))
                        .findFirst();
        return named.or(
                () ->
                        entries.stream()
                                .filter(entry -> entry.finding().key().equals(finding.key()))
                                .findFirst());
    }

    private void replace(String id, UnaryOperator<Entry> change) {
        entries.replaceAll(entry -> entry.id().equals(id) ? change.apply(entry) : entry);
    }
}
