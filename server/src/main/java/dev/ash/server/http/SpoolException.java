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
        return new ApiException(
                ErrorCode.DISK_FULL,
                "The upload could not be stored on the server's disk; free some space there and"
                        + " try again",
                this);
    }
}
