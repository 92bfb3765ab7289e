package dev.ash.server.pair;

import dev.ash.pair.archive.Manifest;
import dev.ash.pair.archive.RunFiles;
import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.loop.Mode;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.RepositoryException;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunDirectories;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.PairApi;
import dev.ash.server.pair.PairRequest.Candidates;
import dev.ash.server.session.store.IdempotencyKey;
import dev.ash.server.session.store.IdempotencyKeyStore;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Clock;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates the files of runs. A retry with the same idempotency key finds the run it created. */
final class PairCreation {
    private final RunDirectories directories;
    private final PairLookup lookup;
    private final PeerSessions peers;
    private final Clock clock;

    PairCreation(RunDirectories directories, PairLookup lookup, PeerSessions peers, Clock clock) {
        this.directories = directories;
        this.lookup = lookup;
        this.peers = peers;
        this.clock = clock;
    }

    /** A run and its directory. */
    record Created(RunDirectory directory, Manifest.AshRun run) {}

    /**
     * Finds the run that a request with this key created, if it was modified within the lifetime of
     * idempotency keys.
     */
    Optional<Created> find(TenantId tenant, RunSetup.Request key) {
        var since = clock.instant().minus(IdempotencyKeyStore.RETENTION);
        for (var directory : lookup.all()) {
            var run =
                    Manifest.readSince(directory.path(), since).map(Manifest::ashRun).orElse(null);
            if (run == null || !run.setup().tenant().equals(tenant.value())) {
                continue;
            }
            var request = run.setup().request();
            if (request != null && request.key().equals(key.key())) {
                if (!request.equals(key)) {
                    throw IdempotencyKey.mismatch();
                }
                return Optional.of(new Created(directory, run));
            }
        }
        return Optional.empty();
    }

    Created create(TenantId tenant, PairApi.CreatePair request, RunSetup.@Nullable Request key)
            throws InterruptedException {
        var sessions = peers.sessions();
        var candidates = new Candidates(sessions.agentNames(tenant), sessions.engineTable());
        var checked = PairRequest.of(request, candidates);
        Stream.of(checked.worker(), checked.reviewer())
                .flatMap(Optional::stream)
                .forEach(assignment -> peers.check(tenant, assignment));
        try {
            var repository = peers.find(tenant, request.repository());
            var directory = directories.create(repository);
            Manifest.AshRun run;
            try {
                var setup = setup(tenant, request.base(), key, checked, repository, directory);
                run =
                        new Manifest.AshRun(
                                setup,
                                checked.worker().orElse(null),
                                checked.reviewer().orElse(null),
                                false,
                                new Progress());
            } catch (RepositoryException | RuntimeException e) {
                Files.deleteIfExists(directory.path()); // still empty
                peers.deleteBundles(PairId.of(directory));
                throw e;
            }
            new RunFiles(directory.path(), run, clock).create();
            return new Created(directory, run);
        } catch (RepositoryException e) {
            throw ApiException.invalid("repository", e.message());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RunSetup setup(
            TenantId tenant,
            @Nullable String requestedBase,
            RunSetup.@Nullable Request key,
            PairRequest checked,
            Repository found,
            RunDirectory directory)
            throws RepositoryException, InterruptedException {
        var repository = peers.repository(tenant, found.top().toString());
        var head = repository.commit("HEAD");
        boolean reviewOnly = checked.spec().mode() == Mode.REVIEW_ONLY;
        var base =
                requestedBase != null
                        ? repository.commit(requestedBase)
                        : reviewOnly ? repository.parent() : head;
        return new RunSetup(
                directory.runId(),
                tenant.value(),
                found.top().toString(),
                found.id(),
                checked.spec(),
                base,
                "agentpair/run-" + directory.runId(),
                reviewOnly ? head : null,
                Timestamps.iso(clock.millis()),
                key);
    }
}
