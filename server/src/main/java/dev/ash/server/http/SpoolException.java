package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;

/** An upload could not be written to the server's disk; the upload itself may be valid. */
final class SpoolException extends IOException {
    private static final long serialVersionUID = 1L;

    SpoolException(IOException cause) {
        super(cause);
    }

    ApiException toApiException() {
        boolean full = String.valueOf(getMessage()).contains("No space left");
        return full
                ? new ApiException(
                        ErrorCode.DISK_FULL,
                        "The server's disk is full; free some space there and retry the upload",
                        this)
                : new ApiException(
                        ErrorCode.INTERNAL,
                        "Cannot store the upload in the server's data directory; see the server log for"
                                + " details",
                        this);
    }
}
