package dev.ash.server.store;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.sql.SQLException;
import java.util.Objects;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Tells what a failure of the database means for whoever asked. */
final class StoreFailures {
    static ApiException of(Throwable failure) {
        if (failure instanceof ApiException known) {
            return known;
        }
        var code = code(failure);
        return code == ErrorCode.DISK_FULL
                ? new ApiException(
                        code,
                        "The disk of the data directory is full: nothing was written. Free some space"
                                + " and try again",
                        failure)
                : ApiException.from(failure);
    }

    static ErrorCode code(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLiteException sqlite) {
                var result = sqlite.getResultCode();
                if (result == SQLiteErrorCode.SQLITE_FULL
                        || result == SQLiteErrorCode.SQLITE_IOERR_WRITE
                        || result == SQLiteErrorCode.SQLITE_IOERR_FSYNC
                        || result == SQLiteErrorCode.SQLITE_IOERR_SHMSIZE) {
                    return ErrorCode.DISK_FULL;
                }
            }
        }
        return ErrorCode.INTERNAL;
    }

    /** What the database itself said, which is at the bottom of the causes. */
    static String reason(Throwable failure) {
        String reason = Objects.toString(failure.getMessage(), failure.getClass().getSimpleName());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException && cause.getMessage() != null) {
                reason = cause.getMessage();
            }
        }
        return reason.lines().findFirst().orElse(reason);
    }

    private StoreFailures() {}
}
