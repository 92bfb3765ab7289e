package dev.ash.server.pair;

import dev.ash.pair.archive.Manifest;
import dev.ash.pair.run.RunFolder;
import dev.ash.pair.run.RunFolders;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** Finds runs by their files: those of this server, and those that the public tool made. */
final class PairLookup {
    private final RunFolders folders;

    PairLookup(RunFolders folders) {
        this.folders = folders;
    }

    List<RunFolder> all() {
        try {
            return folders.all();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RunFolder folder(TenantId tenant, String id) {
        return all().stream()
                .filter(folder -> PairId.of(folder).equals(id))
                .filter(folder -> manifest(tenant, folder).isPresent())
                .findFirst()
                .orElseThrow(PairLookup::notFound);
    }

    /** The manifest of a run, if the run belongs to the tenant. */
    static Optional<Manifest> manifest(TenantId tenant, RunFolder folder) {
        return Manifest.read(folder.path()).filter(manifest -> tenant(manifest).equals(tenant));
    }

    /** The manifest of a run that {@link #folder} found. */
    static Manifest manifest(RunFolder folder) {
        return Manifest.read(folder.path()).orElseThrow(PairLookup::notFound);
    }

    /** The runs of the public tool belong to the tenant of the host's own user. */
    static TenantId tenant(Manifest manifest) {
        var run = manifest.ours();
        return run == null ? TenantId.DEFAULT : new TenantId(run.setup().tenant());
    }

    private static ApiException notFound() {
        return new ApiException(ErrorCode.PAIR_NOT_FOUND, "Pair not found");
    }
}
