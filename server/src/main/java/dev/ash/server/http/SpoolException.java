package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;

/** The server's disk did not take an upload; the upload itself may be in order. */
final class SpoolException extends IOException {
    private static final long serialVersionUID = 1L;

    SpoolException(IOException cause) {
        super(cause);
    }

    ApiException answer() {
        boolean full = String.valueOf(getMessage()).contains("No space left");
        return full
                ? new ApiException(
                        ErrorCode.DISK_FULL,
                        "The server's disk is full; free some space there and upload again",
                        this)
                : new ApiException(
                        ErrorCode.INTERNAL,
                        "The upload could not be stored in the server's data directory; its log has"
                                + " the details",
                        this);
    }
}
