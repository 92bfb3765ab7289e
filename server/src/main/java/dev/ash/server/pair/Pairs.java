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

/** Manages pair runs: those that this server executes, and those that exist only as files. */
public final class Pairs implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.pair");

    private final PairLookup lookup;
    private final PairCreation creation;
    private final PeerSessions peers;
    private final Clock clock;
    private final Map<String, PairRun> running = new ConcurrentHashMap<>();
    private final KeyedLocks<String> requests = new KeyedLocks<>();
    private volatile boolean closing;

    Pairs(RunDirectories directories, PeerSessions peers, Clock clock) {
        this.lookup = new PairLookup(directories);
        this.creation = new PairCreation(directories, lookup, peers, clock);
        this.peers = peers;
        this.clock = clock;
    }

    /** Creates and starts a pair; a retry with the same key returns the same pair. */
    PairApi.Pair create(TenantId tenant, PairApi.CreatePair request, Optional<IdempotencyKey> key)
            throws InterruptedException {
        requireOpen();
        if (key.isEmpty()) {
            return start(creation.create(tenant, request, null));
        }
        var requestKey = new RunSetup.Request(key.get().key(), key.get().bodyHash());
        return requests.holding(
                tenant.value() + " " + requestKey.key(),
                () -> {
                    try {
                        var earlier = creation.find(tenant, requestKey);
                        return earlier.isPresent()
                                ? view(earlier.get())
                                : start(creation.create(tenant, request, requestKey));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new ApiException(
                                ErrorCode.SHUTTING_DOWN, "The server is shutting down");
                    }
                });
    }

    private PairApi.Pair view(PairCreation.Created pair) {
        return PairView.of(pair.directory(), pair.run(), isRunning(PairId.of(pair.directory())));
    }

    private PairApi.Pair start(PairCreation.Created pair) {
        try {
            return start(pair.directory(), pair.run());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private PairApi.Pair start(RunDirectory directory, Manifest.AshRun run) throws IOException {
        var lock =
                RunLock.tryAcquire(directory.path())
                        .orElseThrow(
                                () ->
                                        new ApiException(
                                                ErrorCode.SESSION_BUSY,
                                                "Another process is already executing this run"));
        var id = PairId.of(directory);
        var files = new RunFiles(directory.path(), run, clock);
        var started = new PairRun(directory, files, lock, peers, () -> running.remove(id));
        running.put(id, started);
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
                : PairView.of(directory, run, running.containsKey(PairId.of(directory)));
    }

    RunDirectory directory(TenantId tenant, String id) {
        return lookup.directory(tenant, id);
    }

    /** Returns a run that this server is executing; {@code action} is named in the error. */
    PairRun requireRunning(TenantId tenant, String id, String action) {
        var directory = directory(tenant, id);
        return Optional.ofNullable(running.get(id))
                .orElseThrow(
                        () -> RunPreconditions.notRunning(PairLookup.manifest(directory), action));
    }

    Transcript transcript(TenantId tenant, String id) {
        var directory = directory(tenant, id);
        var run = running.get(id);
        return run == null
                ? new Transcript(directory.path(), directory.runId(), clock)
                : run.files().transcript();
    }

    boolean isRunning(String id) {
        return running.containsKey(id);
    }

    /** Resumes a run that ended or was interrupted, with the new limits of the request. */
    PairApi.Pair resume(TenantId tenant, String id, PairApi.Resume request) {
        requireOpen();
        var directory = directory(tenant, id);
        var run = PairLookup.manifest(directory).ashRun();
        if (run == null) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "This run was created by another tool; Ash cannot resume it");
        }
        if (running.containsKey(id)) {
            return PairView.of(directory, run, true);
        }
        if (run.progress().outcome() == Outcome.COMPLETED) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "Run %d is completed, so there is nothing to resume; start a new run"
                            .formatted(run.setup().id()));
        }
        var setup = extend(run.setup(), request);
        RunPreconditions.requireBudget(setup.spec().budget(), run.progress());
        run.progress().reopen();
        var extended =
                new Manifest.AshRun(setup, run.worker(), run.reviewer(), false, run.progress());
        try {
            return start(directory, extended);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RunSetup extend(RunSetup setup, PairApi.Resume request) {
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

    /** Removes the clones of a run that is not running, unless they contain unsaved work. */
    PairApi.CleanupResult clean(TenantId tenant, String id) throws InterruptedException {
        var directory = directory(tenant, id);
        var run = PairLookup.manifest(directory).ashRun();
        if (run == null) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "This run was created by another tool; it has no clones");
        }
        if (running.containsKey(id)) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY,
                    "The pair is running; stop it or wait until it is over");
        }
        var unsaved = peers.endSessions(new RunFiles(directory.path(), run, clock));
        if (unsaved.isEmpty()) {
            peers.deleteBundles(id);
        }
        return new PairApi.CleanupResult(
                unsaved.isEmpty(), unsaved.orElse("The clones of the run were removed"));
    }

    /** Resumes the runs that a previous server was executing when it stopped. */
    public void resumeInterrupted() {
        for (var directory : lookup.all()) {
            var run = Manifest.read(directory.path()).map(Manifest::ashRun).orElse(null);
            if (run != null) {
                peers.titles().set(run.setup(), run.worker(), run.reviewer());
            }
            if (run != null && run.progress().outcome() == null) {
                try {
                    start(directory, run);
                } catch (ApiException | IOException e) {
                    LOG.log(
                            System.Logger.Level.INFO,
                            "Cannot resume pair {0}: {1}",
                            PairId.of(directory),
                            e);
                }
            }
        }
    }

    private void requireOpen() {
        if (closing) {
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down");
        }
    }

    /** Suspends all runs; the next server resumes them. */
    @Override
    public void close() {
        closing = true;
        for (var run : List.copyOf(running.values())) {
            try {
                run.suspend();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
