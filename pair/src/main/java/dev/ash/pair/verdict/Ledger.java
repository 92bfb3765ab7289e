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
 * Every finding of a run and what became of it. The worker answers findings, the reviewer rules:
 * one that it raises again is open whatever was answered, one that it does not raise again is
 * settled as the worker said. Used by one thread.
 */
public final class Ledger {
    /** What the worker says of a finding, on a line of its own: {@code F3: rejected: why}. */
    private static final Pattern ANSWER =
            Pattern.compile(
                    "[-*]?\\s*(F[0-9]{1,6}):\\s*(fixed|rejected|deferred)\\s*(?:[:,–-]\\s*(.*))?",
                    Pattern.CASE_INSENSITIVE);

    /**
     * One finding.
     *
     * @param answer what the worker last said became of it; null if it said nothing
     * @param disputes how often it was raised again though the worker had rejected it
     */
    public record Entry(
            String id,
            Finding finding,
            int round,
            FindingStatus fate,
            @Nullable FindingStatus answer,
            String reason,
            int disputes) {
        Entry answered(FindingStatus said, String why) {
            return new Entry(id, finding, round, fate, said, why, disputes);
        }

        Entry raisedAgain(Finding again) {
            boolean disputed = answer == FindingStatus.REJECTED;
            var words =
                    new Finding(
                            id,
                            again.severity(),
                            again.file(),
                            again.line(),
                            again.title(),
                            again.detail() == null ? finding.detail() : again.detail());
            return new Entry(
                    id,
                    words,
                    round,
                    FindingStatus.OPEN,
                    null,
                    reason,
                    disputes + (disputed ? 1 : 0));
        }

        Entry settled() {
            return new Entry(
                    id,
                    finding,
                    round,
                    answer == null ? FindingStatus.FIXED : answer,
                    answer,
                    reason,
                    disputes);
        }

        Entry undisputed() {
            return new Entry(id, finding, round, fate, answer, reason, 0);
        }

        Entry with(FindingStatus other) {
            return new Entry(id, finding, round, other, answer, reason, disputes);
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
        return entries.stream().filter(entry -> entry.fate() == FindingStatus.OPEN).toList();
    }

    /** The worker's answers, from what it said at the end of its turn. */
    public void answer(String text) {
        for (var line : text.lines().toList()) {
            var matcher = ANSWER.matcher(line.strip());
            if (matcher.matches()) {
                var said = FindingStatus.of(matcher.group(2));
                var why = matcher.group(3) == null ? "" : matcher.group(3).strip();
                replace(
                        matcher.group(1).toUpperCase(Locale.ROOT),
                        entry ->
                                entry.fate() == FindingStatus.OPEN
                                        ? entry.answered(said, why)
                                        : entry);
            }
        }
    }

    /** The reviewer's ruling: what it raised is open, the rest is settled. */
    public void rule(Verdict verdict, int round) {
        var raised = new ArrayList<String>();
        for (var finding : verdict.findings()) {
            var known = find(finding);
            if (known.isPresent()) {
                replace(known.get().id(), entry -> entry.raisedAgain(finding));
                raised.add(known.get().id());
            } else {
                var id = "F" + (entries.size() + 1);
                entries.add(new Entry(id, finding, round, FindingStatus.OPEN, null, "", 0));
                raised.add(id);
            }
        }
        // A FAIL without findings rules on nothing: what was open stays so.
        if (verdict.isPass() || !verdict.findings().isEmpty()) {
            entries.replaceAll(
                    entry ->
                            entry.fate() == FindingStatus.OPEN && !raised.contains(entry.id())
                                    ? entry.settled()
                                    : entry);
        }
        if (verdict.isPass()) { // what came with an approval does not block it
            entries.replaceAll(
                    entry ->
                            entry.fate() == FindingStatus.OPEN
                                    ? entry.with(FindingStatus.DEFERRED)
                                    : entry);
        }
    }

    /** The person said how to go on; disagreeing begins anew. */
    public void forgetDisputes() {
        entries.replaceAll(Entry::undisputed);
    }

    /** The person found for the worker. */
    public void dismissOpen(String reason) {
        entries.replaceAll(
                entry ->
                        entry.fate() == FindingStatus.OPEN
                                ? entry.answered(FindingStatus.REJECTED, reason)
                                        .with(FindingStatus.REJECTED)
                                : entry);
    }

    /** Tells rounds apart in which something moved. */
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
