package dev.ash.pair.loop;

import dev.ash.pair.verdict.Finding;
import dev.ash.pair.verdict.FindingStatus;
import dev.ash.pair.verdict.Ledger;
import dev.ash.pair.verdict.Severity;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Converts {@link Progress} to and from the JSON of a manifest. */
public final class ProgressJson {
    public static RawJson write(Progress progress) {
        var json =
                JsonWriter.object()
                        .put("step", progress.step.wire())
                        .put("round", progress.round)
                        .put("turns", progress.turns)
                        .put("failures", progress.failures)
                        .put("claimed_done", progress.claimedDone)
                        .put("head", progress.head)
                        .put("branch", progress.branch)
                        .put("reviewed", progress.reviewed)
                        .put("proven", progress.proven)
                        .put("stat", progress.stat)
                        .put("plan", progress.plan)
                        .put("work_turns", progress.workTurns)
                        .put("judge_turns", progress.judgeTurns)
                        .put("asked_at", progress.turnStartSeq)
                        .put("summary", progress.reviewSummary)
                        .put("worker_words", progress.workerText)
                        .put("feedback", progress.feedback)
                        .put("standing", progress.roundState)
                        .put("still", progress.unchangedRounds)
                        .put("input_tokens", progress.usage.inputTokens())
                        .put("output_tokens", progress.usage.outputTokens())
                        .put("cost_usd", (Number) progress.usage.costUsd())
                        .put("spent_ms", progress.spentMillis)
                        .put("worker_heard", progress.workerReadSeq)
                        .put("judge_heard", progress.judgeReadSeq)
                        .put("question", progress.question)
                        .put("questions", progress.questions)
                        .put(
                                "outcome",
                                Optional.ofNullable(progress.outcome)
                                        .map(Outcome::wire)
                                        .orElse(null))
                        .put("reason", progress.reason);
        var pending = progress.pending;
        if (pending != null) {
            json.name("pending")
                    .open('{')
                    .put("key", pending.key())
                    .put("prompt", pending.prompt())
                    .put("mailbox_seq", pending.mailboxSeq())
                    .close('}');
        }
        json.name("findings").open('[');
        progress.ledger.all().forEach(entry -> write(json, entry));
        json.close(']').name("rounds").open('[');
        for (var round : progress.rounds) {
            json.open('{')
                    .put("number", round.number())
                    .put("commit", round.commit())
                    .put("proof", round.proof())
                    .put("verdict", round.verdict())
                    .put("note", round.note())
                    .close('}');
        }
        return json.close(']').end();
    }

    private static void write(JsonWriter json, Ledger.Entry entry) {
        var finding = entry.finding();
        json.open('{')
                .put("id", entry.id())
                .put("severity", finding.severity().wire())
                .put("file", finding.file())
                .put("line", finding.line())
                .put("title", finding.title())
                .put("detail", finding.detail())
                .put("round", entry.round())
                .put("fate", entry.status().wire())
                .put(
                        "answer",
                        Optional.ofNullable(entry.answer()).map(FindingStatus::wire).orElse(null))
                .put("reason", entry.reason())
                .put("disputes", entry.disputes())
                .close('}');
    }

    public static Progress read(RawJson text) throws MalformedJsonException {
        var json = JsonObject.parse(text);
        var progress = new Progress();
        try {
            progress.step = Step.of(json.requireString("step"));
            progress.outcome = json.string("outcome").map(Outcome::of).orElse(null);
            progress.ledger = new Ledger(entries(json));
        } catch (IllegalArgumentException e) {
            throw new MalformedJsonException(String.valueOf(e.getMessage()));
        }
        progress.round = json.integer("round").orElse(0);
        progress.turns = json.integer("turns").orElse(0);
        progress.failures = json.integer("failures").orElse(0);
        progress.claimedDone = json.isTrue("claimed_done");
        progress.head = json.string("head").orElse(null);
        progress.branch = json.string("branch").orElse(null);
        progress.reviewed = json.string("reviewed").orElse(null);
        progress.proven = json.string("proven").orElse(null);
        progress.stat = json.string("stat").orElse("");
        progress.plan = json.string("plan").orElse("");
        progress.workTurns = json.integer("work_turns").orElse(0);
        progress.judgeTurns = json.integer("judge_turns").orElse(0);
        progress.turnStartSeq = json.number("asked_at").orElse(0);
        progress.reviewSummary = json.string("summary").orElse("");
        progress.workerText = json.string("worker_words").orElse("");
        progress.feedback = json.string("feedback").orElse("");
        progress.roundState = json.string("standing").orElse("");
        progress.unchangedRounds = json.integer("still").orElse(0);
        progress.usage =
                new Usage(
                        json.number("input_tokens").orElse(0),
                        json.number("output_tokens").orElse(0),
                        json.raw("cost_usd")
                                .map(cost -> Double.parseDouble(cost.toString()))
                                .orElse(0.0));
        progress.spentMillis = json.number("spent_ms").orElse(0);
        progress.workerReadSeq = json.number("worker_heard").orElse(0);
        progress.judgeReadSeq = json.number("judge_heard").orElse(0);
        progress.question = json.string("question").orElse(null);
        progress.questions = json.integer("questions").orElse(0);
        progress.reason = json.string("reason").orElse("");
        var pending = json.object("pending");
        if (pending.isPresent()) {
            progress.pending =
                    new PendingTurn(
                            pending.get().requireString("key"),
                            pending.get().requireString("prompt"),
                            pending.get().number("mailbox_seq").orElse(0));
        }
        for (var round : objects(json, "rounds")) {
            progress.rounds.add(
                    new Round(
                            round.integer("number").orElse(0),
                            round.string("commit").orElse(null),
                            boxed(round.integer("proof")),
                            round.string("verdict").orElse(null),
                            round.string("note").orElse("")));
        }
        return progress;
    }

    private static List<Ledger.Entry> entries(JsonObject json) throws MalformedJsonException {
        var entries = new ArrayList<Ledger.Entry>();
        for (var entry : objects(json, "findings")) {
            entries.add(
                    new Ledger.Entry(
                            entry.requireString("id"),
                            new Finding(
                                    entry.requireString("id"),
                                    Severity.of(entry.requireString("severity"))
                                            .orElse(Severity.MAJOR),
                                    entry.string("file").orElse(null),
                                    boxed(entry.integer("line")),
                                    entry.requireString("title"),
                                    entry.string("detail").orElse(null)),
                            entry.integer("round").orElse(0),
                            FindingStatus.of(entry.requireString("fate")),
                            entry.string("answer").map(FindingStatus::of).orElse(null),
                            entry.string("reason").orElse(""),
                            entry.integer("disputes").orElse(0)));
        }
        return entries;
    }

    private static List<JsonObject> objects(JsonObject json, String name)
            throws MalformedJsonException {
        var array = json.raw(name);
        var objects = new ArrayList<JsonObject>();
        if (array.isPresent()) {
            for (var element : JsonObject.elements(array.get())) {
                objects.add(JsonObject.parse(element));
            }
        }
        return objects;
    }

    private static @org.jspecify.annotations.Nullable Integer boxed(OptionalInt number) {
        return number.isPresent() ? (Integer) number.getAsInt() : null;
    }

    private ProgressJson() {}
}
