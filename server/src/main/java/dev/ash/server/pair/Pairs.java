package dev.ash.server.pair;

import dev.ash.pair.archive.Lease;
import dev.ash.pair.archive.Manifest;
import dev.ash.pair.archive.RunFile;
import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.archive.Transcript;
import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.Mode;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.WorkshopException;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunFolder;
import dev.ash.pair.run.RunFolders;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.PairApi;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.session.IdempotencyKey;
import dev.ash.server.session.IdempotencyKeyStore;
import dev.ash.server.store.KeyedLocks;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The runs of all pairs: those that this server drives, and those that are only files. */
public final class Pairs implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.pair");

    private final RunFolders folders;
    private final Seating seating;
    private final Clock clock;
    private final Map<String, PairRun> driven = new ConcurrentHashMap<>();
    private final KeyedLocks<String> requests = new KeyedLocks<>();
    private volatile boolean closing;

    Pairs(RunFolders folders, Seating seating, Clock clock) {
        this.folders = folders;
        this.seating = seating;
        this.clock = clock;
    }

    /** A retry with the same key gets the same pair. */
    PairApi.Pair create(TenantId tenant, PairApi.CreatePair request, Optional<IdempotencyKey> key)
            throws InterruptedException {
        requireOpen();
        if (key.isEmpty()) {
            return make(tenant, request, null);
        }
        var asked = new RunSetup.Request(key.get().key(), key.get().bodyHash());
        return requests.holding(
                tenant.value() + " " + asked.key(),
                () -> {
                    try {
                        var made = madeBy(tenant, asked);
                        return made.isPresent() ? made.get() : make(tenant, request, asked);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new ApiException(
                                ErrorCode.SHUTTING_DOWN, "The server is shutting down");
                    }
                });
    }

    /** Those that nothing was written to for so long were made before. */
    private Optional<PairApi.Pair> madeBy(TenantId tenant, RunSetup.Request asked) {
        var since = clock.instant().minus(IdempotencyKeyStore.KEPT);
        for (var folder : all()) {
            var run = Manifest.readSince(folder.path(), since).map(Manifest::ours).orElse(null);
            if (run == null || !run.setup().tenant().equals(tenant.value())) {
                continue;
            }
            var request = run.setup().request();
            if (request != null && request.key().equals(asked.key())) {
                if (!request.equals(asked)) {
                    throw IdempotencyKey.mismatch();
                }
                return Optional.of(PairView.of(folder, run, isDriven(PairId.of(folder))));
            }
        }
        return Optional.empty();
    }

    private PairApi.Pair make(
            TenantId tenant, PairApi.CreatePair request, RunSetup.@Nullable Request asked)
            throws InterruptedException {
        var wish = Wish.of(request, seating.sessions().names(tenant));
        Stream.of(wish.worker(), wish.reviewer())
                .flatMap(Optional::stream)
                .forEach(seat -> seating.check(tenant, seat));
        try {
            var found = seating.find(tenant, request.repository());
            var folder = folders.create(found);
            Manifest.Ours run;
            try {
                run = prepared(tenant, request, asked, wish, found, folder);
            } catch (WorkshopException | RuntimeException e) {
                Files.deleteIfExists(folder.path()); // it is empty still
                seating.forget(PairId.of(folder));
                throw e;
            }
            new RunFile(folder.path(), run, clock).begin();
            return drive(folder, run);
        } catch (WorkshopException e) {
            throw ApiException.invalid("repository", e.sentence());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Manifest.Ours prepared(
            TenantId tenant,
            PairApi.CreatePair request,
            RunSetup.@Nullable Request asked,
            Wish wish,
            Repository found,
            RunFolder folder)
            throws WorkshopException, InterruptedException, IOException {
        var repository = seating.repository(tenant, found.top().toString());
        var head = repository.commit("HEAD");
        boolean reviewOnly = wish.spec().mode() == Mode.REVIEW_ONLY;
        var base =
                request.base() != null
                        ? repository.commit(request.base())
                        : reviewOnly ? repository.parent() : head;
        var setup =
                new RunSetup(
                        folder.runId(),
                        tenant.value(),
                        found.top().toString(),
                        found.id(),
                        wish.spec(),
                        base,
                        "agentpair/run-" + folder.runId(),
                        reviewOnly ? head : null,
                        Timestamps.iso(clock.millis()),
                        asked);
        return new Manifest.Ours(
                setup,
                wish.worker().orElse(null),
                wish.reviewer().orElse(null),
                false,
                new Progress());
    }

    private PairApi.Pair drive(RunFolder folder, Manifest.Ours run) throws IOException {
        var lease =
                Lease.take(folder.path())
                        .orElseThrow(
                                () ->
                                        new ApiException(
                                                ErrorCode.SESSION_BUSY,
                                                "Another process drives this run already"));
        var id = PairId.of(folder);
        var file = new RunFile(folder.path(), run, clock);
        var started = new PairRun(folder, file, lease, seating, () -> driven.remove(id));
        driven.put(id, started);
        started.start();
        return PairView.of(folder, run, true);
    }

    List<PairApi.Pair> list(TenantId tenant) {
        var found = new ArrayList<PairApi.Pair>();
        for (var folder : all()) {
            var manifest = Manifest.read(folder.path());
            if (manifest.isPresent() && isOf(tenant, manifest.get())) {
                found.add(view(folder, manifest.get()));
            }
        }
        return found;
    }

    PairApi.Pair find(TenantId tenant, String id) {
        var folder = folder(tenant, id);
        return view(folder, Manifest.read(folder.path()).orElseThrow(Pairs::notFound));
    }

    private PairApi.Pair view(RunFolder folder, Manifest manifest) {
        var run = manifest.ours();
        return run == null
                ? PairView.of(folder, manifest)
                : PairView.of(folder, run, driven.containsKey(PairId.of(folder)));
    }

    private static boolean isOf(TenantId tenant, Manifest manifest) {
        return tenant(manifest).equals(tenant);
    }

    /** Those that the public tool made belong to the tenant of the host's own user. */
    static TenantId tenant(Manifest manifest) {
        var run = manifest.ours();
        return run == null ? TenantId.DEFAULT : new TenantId(run.setup().tenant());
    }

    RunFolder folder(TenantId tenant, String id) {
        return all().stream()
                .filter(folder -> PairId.of(folder).equals(id))
                .filter(
                        folder ->
                                Manifest.read(folder.path())
                                        .filter(manifest -> isOf(tenant, manifest))
                                        .isPresent())
                .findFirst()
                .orElseThrow(Pairs::notFound);
    }

    private List<RunFolder> all() {
        try {
            return folders.all();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ApiException notFound() {
        return new ApiException(ErrorCode.PAIR_NOT_FOUND, "Pair not found");
    }

    /** The one that this server drives; {@code action} is what the caller wants to do to it. */
    PairRun running(TenantId tenant, String id, String action) {
        var folder = folder(tenant, id);
        return Optional.ofNullable(driven.get(id))
                .orElseThrow(
                        () ->
                                RunAdvice.notRunning(
                                        Manifest.read(folder.path()).orElseThrow(Pairs::notFound),
                                        action));
    }

    Transcript transcript(TenantId tenant, String id) {
        var folder = folder(tenant, id);
        var run = driven.get(id);
        return run == null
                ? new Transcript(folder.path(), folder.runId(), clock)
                : run.file().transcript();
    }

    boolean isDriven(String id) {
        return driven.containsKey(id);
    }

    /** Goes on with a run that ended or was left, with more of what it ran out of. */
    PairApi.Pair resume(TenantId tenant, String id, PairApi.Resume wish) {
        requireOpen();
        var folder = folder(tenant, id);
        var run = Manifest.read(folder.path()).orElseThrow(Pairs::notFound).ours();
        if (run == null) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "Another tool made this run; it can be shown, but not gone on with");
        }
        if (driven.containsKey(id)) {
            return PairView.of(folder, run, true);
        }
        if (run.progress().outcome() == Outcome.COMPLETED) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "Run %d is completed, so there is nothing to resume; start a new run"
                            .formatted(run.setup().id()));
        }
        var setup = extended(run.setup(), wish);
        RunAdvice.requireBudget(setup.spec().budget(), run.progress());
        run.progress().reopen();
        var more = new Manifest.Ours(setup, run.worker(), run.reviewer(), false, run.progress());
        try {
            return drive(folder, more);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RunSetup extended(RunSetup setup, PairApi.Resume wish) {
        var old = setup.spec().budget();
        return setup.with(
                new Budget(
                        Wish.rounds(wish.maxRounds(), old.rounds()),
                        Wish.time("timeout", wish.timeout(), old.time()),
                        old.turn(),
                        Optional.ofNullable(IsolationRules.positive("maxTokens", wish.maxTokens()))
                                .orElse(old.tokens()),
                        Optional.ofNullable(
                                        IsolationRules.positive("maxCostUsd", wish.maxCostUsd()))
                                .orElse(old.costUsd()),
                        old.stalemateRounds()));
    }

    /** Removes the clones of a run that does not run, unless they hold more than was fetched. */
    PairApi.Cleaned clean(TenantId tenant, String id) throws InterruptedException {
        var folder = folder(tenant, id);
        var run = Manifest.read(folder.path()).orElseThrow(Pairs::notFound).ours();
        if (run == null) {
            throw new ApiException(
                    ErrorCode.PAIR_NOT_RUNNING,
                    "Another tool made this run; it has no clones here");
        }
        if (driven.containsKey(id)) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY, "The pair runs; stop it, or wait for its end");
        }
        var kept = seating.leave(new RunFile(folder.path(), run, clock));
        if (kept.isEmpty()) {
            seating.forget(id);
        }
        return new PairApi.Cleaned(kept.isEmpty(), kept.orElse("The clones of the run are gone"));
    }

    /** Goes on with every run that a server before this one was driving when it ended. */
    public void recover() {
        for (var folder : all()) {
            var run = Manifest.read(folder.path()).map(Manifest::ours).orElse(null);
            if (run != null) {
                seating.titles().seated(run.setup(), run.worker(), run.reviewer());
            }
            if (run != null && run.progress().outcome() == null) {
                try {
                    drive(folder, run);
                } catch (ApiException | IOException e) {
                    LOG.log(System.Logger.Level.INFO, "pair {0}: {1}", PairId.of(folder), e);
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
