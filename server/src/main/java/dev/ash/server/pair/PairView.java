package dev.ash.server.pair;

import dev.ash.pair.archive.Manifest;
import dev.ash.pair.archive.PeerAssignment;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.Step;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.rest.PairApi;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts runs to their API representation. */
final class PairView {
    /** {@code running}: whether this server is executing the run. */
    static PairApi.Pair of(RunDirectory directory, Manifest.AshRun run, boolean running) {
        var setup = run.setup();
        var spec = setup.spec();
        var progress = run.progress();
        var outcome = Optional.ofNullable(progress.outcome());
        return new PairApi.Pair(
                PairId.of(directory),
                setup.id(),
                setup.repository(),
                spec.task(),
                spec.mode().wire(),
                state(run, running),
                progress.step().wire(),
                outcome.map(Outcome::wire).orElse(null),
                outcome.map(Outcome::exitCode).orElse(null),
                progress.reason(),
                outcome.isEmpty() ? progress.question() : null,
                progress.round(),
                spec.budget().rounds(),
                peer(spec.worker() == null ? "" : spec.worker().value(), run.worker()),
                peer(spec.reviewer() == null ? "" : spec.reviewer().value(), run.reviewer()),
                spec.proof(),
                setup.base(),
                progress.head(),
                Optional.ofNullable(progress.branch()).orElse(setup.branch()),
                progress.usage().inputTokens(),
                progress.usage().outputTokens(),
                progress.usage().costUsd(),
                progress.spentMillis(),
                progress.ledger().all().stream()
                        .map(
                                entry ->
                                        new PairApi.Finding(
                                                entry.id(),
                                                entry.finding().severity().wire(),
                                                entry.finding().file(),
                                                entry.finding().line(),
                                                entry.finding().title(),
                                                entry.finding().detail(),
                                                entry.round(),
                                                entry.status().wire(),
                                                entry.reason()))
                        .toList(),
                progress.rounds().stream()
                        .map(
                                round ->
                                        new PairApi.Round(
                                                round.number(),
                                                round.commit(),
                                                round.proof(),
                                                round.verdict(),
                                                round.note()))
                        .toList(),
                setup.createdAt(),
                directory.path().toString());
    }

    private static String state(Manifest.AshRun run, boolean running) {
        if (!running) {
            return run.progress().outcome() == null ? "interrupted" : "over";
        }
        if (run.paused()) {
            return "paused";
        }
        return run.progress().step() == Step.QUESTION ? "input-required" : "running";
    }

    /** Converts a run of the public tool, from the fields of its manifest. */
    static PairApi.Pair of(RunDirectory directory, Manifest manifest) {
        boolean over = List.of("completed", "failed", "cancelled").contains(manifest.state());
        return new PairApi.Pair(
                PairId.of(directory),
                manifest.id(),
                manifest.repository(),
                manifest.task(),
                "pair",
                over ? "over" : "interrupted",
                manifest.state(),
                over ? manifest.state() : null,
                null,
                manifest.error() == null ? "" : manifest.error(),
                null,
                manifest.rounds(),
                manifest.maxRounds(),
                manifest.worker().isEmpty()
                        ? null
                        : new PairApi.Peer(manifest.worker(), manifest.worker(), null),
                null,
                null,
                "",
                null,
                "",
                0,
                0,
                0,
                0,
                List.of(),
                List.of(),
                manifest.createdAt(),
                directory.path().toString());
    }

    private static PairApi.@Nullable Peer peer(String name, @Nullable PeerAssignment assignment) {
        return assignment == null
                ? null
                : new PairApi.Peer(name, assignment.agent(), assignment.session());
    }

    private PairView() {}
}
