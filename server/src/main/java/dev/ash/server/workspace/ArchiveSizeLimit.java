package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;

/** Enforces the limits on the size of an archive, while it is packed or unpacked. */
final class ArchiveSizeLimit {
    static final int MAX_ENTRIES = 20_000;

    private int entries;
    private long bytes;

    /** Counts an entry of this size. */
    void add(long size) {
        entries++;
        bytes += size;
        if (entries > MAX_ENTRIES || bytes > Limits.MAX_DOWNLOAD_BYTES) {
            throw exceeded();
        }
    }

    static ApiException exceeded() {
        return new ApiException(
                ErrorCode.PAYLOAD_TOO_LARGE,
                "An archive is limited to %d MiB, %d files and directories, and a depth of %d"
                        .formatted(
                                Limits.MAX_DOWNLOAD_BYTES / (1024 * 1024),
                                MAX_ENTRIES,
                                RelativePath.MAX_DEPTH));
    }
}
