package dev.ash.server.store;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.sql.SQLException;
import java.util.Objects;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Maps database failures to API errors. */
final class DatabaseErrors {
    static ApiException toApiException(Throwable failure) {
        if (failure instanceof ApiException known) {
            return known;
        }
        var code = code(failure);
        return code == ErrorCode.DISK_FULL
                ? new ApiException(
                        code,
                        "The disk of the data directory is full: nothing was written. Free some space"
                                + " and retry",
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

    /** Returns the database's own message: that of the innermost SQL exception. */
    static String reason(Throwable failure) {
        String reason = Objects.toString(failure.getMessage(), failure.getClass().getSimpleName());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException && cause.getMessage() != null) {
                reason = cause.getMessage();
            }
        }
        return reason.lines().findFirst().orElse(reason);
    }

    private DatabaseErrors() {}
}
