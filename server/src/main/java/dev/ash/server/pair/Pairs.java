package dev.ash.server.pair;

import dev.ash.pair.archive.Manifest;
import dev.ash.pair.archive.RunFiles;
import dev.ash.pair.archive.RunLock;
import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.archive.Transcript;
import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.run.RunDirectories;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.PairApi;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.store.KeyedLocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The runs of all pairs: those that this server drives, and those that are only files. */
public final class Pairs implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.pair");

    private final PairLookup lookup;
    private final PairCreation creation;
    private final PeerSessions peers;
    private final Clock clock;
    private final Map<String, PairRun> driven = new ConcurrentHashMap<>();
    private final KeyedLocks<String> requests = new KeyedLocks<>();
    private volatile boolean closing;

    Pairs(RunDirectories directories, PeerSessions peers, Clock clock) {
        this.lookup = new PairLookup(directories);
        this.creation = new PairCreation(directories, lookup, peers, clock);
        this.peers = peers;
        this.clock = clock;
    }

    /** A retry with the same key gets the same pair. */
    PairApi.Pair create(TenantId tenant, PairApi.CreatePair request, Optional<IdempotencyKey> key)
            throws InterruptedException {
        requireOpen();
        if (key.isEmpty()) {
            return drive(creation.create(tenant, request, null));
        }
        var asked = new RunSetup.Request(key.get().key(), key.get().bodyHash());
        return requests.holding(
                tenant.value() + " " + asked.key(),
                () -> {
                    try {
                        var earlier = creation.find(tenant, asked);
                        return earlier.isPresent()
                                ? view(earlier.get())
                                : drive(creation.create(tenant, request, asked));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new ApiException(
                                ErrorCode.SHUTTING_DOWN, "The server is shutting down");
                    }
                });
    }

    private PairApi.Pair view(PairCreation.Created pair) {
        return PairView.of(pair.directory(), pair.run(), isDriven(PairId.of(pair.directory())));
    }

    private PairApi.Pair drive(PairCreation.Created pair) {
        try {
            return drive(pair.directory(), pair.run());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private PairApi.Pair drive(RunDirectory directory, Manifest.AshRun run) throws IOException {
        var lock =
                RunLock.tryAcquire(directory.path())
                        .orElseThrow(
                                () ->
                                        new ApiException(
                                                ErrorCode.SESSION_BUSY,
                                                "Another process drives this run already"));
        var id = PairId.of(directory);
        var file = new RunFiles(directory.path(), run, clock);
        var started = new PairRun(directory, file, lock, peers, () -> driven.remove(id));
        driven.put(id, started);
        started.start();
        return PairView.of(directory, run, true);
    }

    List<PairApi.Pair> list(TenantId tenant) {
        var found = new ArrayList<PairApi.Pair>();
        for (var directory : lookup.all()) {
            PairLookup.manifest(tenant, directory)
                    .ifPresent(manifest -> found.add(view(directory, manifest)));
        }
        return found;
    }

    PairApi.Pair find(TenantId tenant, String id) {
        var directory = directory(tenant, id);
        return view(directory, PairLookup.manifest(directory));
    }

    private PairApi.Pair view(RunDirectory directory, Manifest manifest) {
        var run = manifest.ashRun();
        return run == null
                ? PairView.of(directory, manifest)
                : PairView.of(directory, run, driven.containsKey(PairId.of(directory)));
    }

    RunDirectory directory(TenantId tenant, String id) {
        return lookup.directory(tenant, id);
    }

    /** The one that this server drives; {@code action} is what the caller wants to do to it. */
    PairRun running(TenantId tenant, String id, String action) {
        var directory = directory(tenant, id);
        return Optional.ofNullable(driven.get(id))
                .orElseThrow(
                        () -> RunPreconditions.notRunning(PairLookup.manifest(directory), action));
    }

    Transcript transcript(TenantId tenant, String id) {
        var directory = directory(tenant, id);
        var run = driven.get(id);
        return run == null
                ? new Transcript(directory.path(), directory.runId(), clock)
                : run.file().transcript();
    }

    boolean isDriven(String id) {
        return driven.containsKey(id);
    }

    /** Goes on with a run that ended or was left, with more of what it ran out of. */
    PairApi.Pair resume(TenantId tenant, String id, PairApi.Resume request) {
        requireOpen();
        var directory = directory(tenant, id);
        var run = PairLookup.manifest(directory).ashRun();
        if (run == null) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "Another tool made this run; it can be shown, but not gone on with");
        }
        if (driven.containsKey(id)) {
            return PairView.of(directory, run, true);
        }
        if (run.progress().outcome() == Outcome.COMPLETED) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "Run %d is completed, so there is nothing to resume; start a new run"
                            .formatted(run.setup().id()));
        }
        var setup = extended(run.setup(), request);
        RunPreconditions.requireBudget(setup.spec().budget(), run.progress());
        run.progress().reopen();
        var more = new Manifest.AshRun(setup, run.worker(), run.reviewer(), false, run.progress());
        try {
            return drive(directory, more);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RunSetup extended(RunSetup setup, PairApi.Resume request) {
        var old = setup.spec().budget();
        return setup.with(
                new Budget(
                        PairRequest.rounds(request.maxRounds(), old.rounds()),
                        PairRequest.time("timeout", request.timeout(), old.time()),
                        old.turn(),
                        Optional.ofNullable(
                                        IsolationRules.positive("maxTokens", request.maxTokens()))
                                .orElse(old.tokens()),
                        Optional.ofNullable(
                                        IsolationRules.positive("maxCostUsd", request.maxCostUsd()))
                                .orElse(old.costUsd()),
                        old.stalemateRounds()));
    }

    /** Removes the clones of a run that does not run, unless they hold more than was fetched. */
    PairApi.Cleaned clean(TenantId tenant, String id) throws InterruptedException {
        var directory = directory(tenant, id);
        var run = PairLookup.manifest(directory).ashRun();
        if (run == null) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "Another tool made this run; it has no clones here");
        }
        if (driven.containsKey(id)) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY, "The pair runs; stop it, or wait for its end");
        }
        var kept = peers.leave(new RunFiles(directory.path(), run, clock));
        if (kept.isEmpty()) {
            peers.forget(id);
        }
        return new PairApi.Cleaned(kept.isEmpty(), kept.orElse("The clones of the run are gone"));
    }

    /** Goes on with every run that a server before this one was driving when it ended. */
    public void recover() {
        for (var directory : lookup.all()) {
            var run = Manifest.read(directory.path()).map(Manifest::ashRun).orElse(null);
            if (run != null) {
                peers.titles().seated(run.setup(), run.worker(), run.reviewer());
            }
            if (run != null && run.progress().outcome() == null) {
                try {
                    drive(directory, run);
                } catch (ApiException | IOException e) {
                    LOG.log(System.Logger.Level.INFO, "pair {0}: {1}", PairId.of(directory), e);
                }
            }
        }
    }

    private void requireOpen() {
        if (closing) {
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down");
        }
    }

    /** Leaves every run where it is. */
    @Override
    public void close() {
        closing = true;
        for (var run : List.copyOf(driven.values())) {
            try {
                run.leave();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
