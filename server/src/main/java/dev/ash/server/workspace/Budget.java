package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;

/** How much an archive may hold; counted on the way in and on the way out. */
final class Budget {
    static final int MAX_ENTRIES = 20_000;

    private int entries;
    private long bytes;

    void take(long size) {
        entries++;
        bytes += size;
        if (entries > MAX_ENTRIES || bytes > Limits.MAX_DOWNLOAD_BYTES) {
            throw exceeded();
        }
    }

    static ApiException exceeded() {
        return new ApiException(
                ErrorCode.PAYLOAD_TOO_LARGE,
                "An archive can hold at most %d MiB in %d files and folders, %d deep"
                        .formatted(
                                Limits.MAX_DOWNLOAD_BYTES / (1024 * 1024),
                                MAX_ENTRIES,
                                RelativePath.MAX_DEPTH));
    }
}
