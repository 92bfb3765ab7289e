package dev.ash.server.pair;

import dev.ash.pair.archive.Manifest;
import dev.ash.pair.run.RunDirectories;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** Finds runs of Ash and of the public tool by their files. */
final class PairLookup {
    private final RunDirectories directories;

    PairLookup(RunDirectories directories) {
        this.directories = directories;
    }

    List<RunDirectory> all() {
        try {
            return directories.all();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RunDirectory directory(TenantId tenant, String id) {
        return all().stream()
                .filter(directory -> PairId.of(directory).equals(id))
                .filter(directory -> manifest(tenant, directory).isPresent())
                .findFirst()
                .orElseThrow(PairLookup::notFound);
    }

    /** Returns the manifest of a run if it belongs to the tenant. */
    static Optional<Manifest> manifest(TenantId tenant, RunDirectory directory) {
        return Manifest.read(directory.path()).filter(manifest -> tenant(manifest).equals(tenant));
    }

    /** Returns the manifest of a run that {@link #directory} found. */
    static Manifest manifest(RunDirectory directory) {
        return Manifest.read(directory.path()).orElseThrow(PairLookup::notFound);
    }

    /** Returns the owner of a run; runs of the public tool belong to the default tenant. */
    static TenantId tenant(Manifest manifest) {
        var run = manifest.ashRun();
        return run == null ? TenantId.DEFAULT : new TenantId(run.setup().tenant());
    }

    private static ApiException notFound() {
        return new ApiException(ErrorCode.PAIR_NOT_FOUND, "Pair not found");
    }
}
