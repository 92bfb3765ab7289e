package dev.ash.server.pair;

import dev.ash.pair.archive.Manifest;
import dev.ash.pair.archive.RunFile;
import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.loop.Mode;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.WorkshopException;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunFolder;
import dev.ash.pair.run.RunFolders;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.PairApi;
import dev.ash.server.session.IdempotencyKey;
import dev.ash.server.session.IdempotencyKeyStore;
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
    private final RunFolders folders;
    private final PairLookup lookup;
    private final PeerSessions peers;
    private final Clock clock;

    PairCreation(RunFolders folders, PairLookup lookup, PeerSessions peers, Clock clock) {
        this.folders = folders;
        this.lookup = lookup;
        this.peers = peers;
        this.clock = clock;
    }

    /** A run and its directory. */
    record Created(RunFolder folder, Manifest.Ours run) {}

    /** The run that this key created, unless nothing was written to it since keys expire. */
    Optional<Created> find(TenantId tenant, RunSetup.Request key) {
        var since = clock.instant().minus(IdempotencyKeyStore.KEPT);
        for (var folder : lookup.all()) {
            var run = Manifest.readSince(folder.path(), since).map(Manifest::ours).orElse(null);
            if (run == null || !run.setup().tenant().equals(tenant.value())) {
                continue;
            }
            var request = run.setup().request();
            if (request != null && request.key().equals(key.key())) {
                if (!request.equals(key)) {
                    throw IdempotencyKey.mismatch();
                }
                return Optional.of(new Created(folder, run));
            }
        }
        return Optional.empty();
    }

    Created create(TenantId tenant, PairApi.CreatePair request, RunSetup.@Nullable Request key)
            throws InterruptedException {
        var checked = PairRequest.of(request, peers.sessions().names(tenant));
        Stream.of(checked.worker(), checked.reviewer())
                .flatMap(Optional::stream)
                .forEach(seat -> peers.check(tenant, seat));
        try {
            var repository = peers.find(tenant, request.repository());
            var folder = folders.create(repository);
            Manifest.Ours run;
            try {
                var setup = setup(tenant, request.base(), key, checked, repository, folder);
                run =
                        new Manifest.Ours(
                                setup,
                                checked.worker().orElse(null),
                                checked.reviewer().orElse(null),
                                false,
                                new Progress());
            } catch (WorkshopException | RuntimeException e) {
                Files.deleteIfExists(folder.path()); // it is empty still
                peers.forget(PairId.of(folder));
                throw e;
            }
            new RunFile(folder.path(), run, clock).begin();
            return new Created(folder, run);
        } catch (WorkshopException e) {
            throw ApiException.invalid("repository", e.sentence());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RunSetup setup(
            TenantId tenant,
            @Nullable String wantedBase,
            RunSetup.@Nullable Request key,
            PairRequest checked,
            Repository found,
            RunFolder folder)
            throws WorkshopException, InterruptedException {
        var repository = peers.repository(tenant, found.top().toString());
        var head = repository.commit("HEAD");
        boolean reviewOnly = checked.spec().mode() == Mode.REVIEW_ONLY;
        var base =
                wantedBase != null
                        ? repository.commit(wantedBase)
                        : reviewOnly ? repository.parent() : head;
        return new RunSetup(
                folder.runId(),
                tenant.value(),
                found.top().toString(),
                found.id(),
                checked.spec(),
                base,
                "agentpair/run-" + folder.runId(),
                reviewOnly ? head : null,
                Timestamps.iso(clock.millis()),
                key);
    }
}
