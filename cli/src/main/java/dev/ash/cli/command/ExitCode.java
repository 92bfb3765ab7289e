package dev.ash.cli.command;

import dev.ash.protocol.ErrorCode;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.AshException;
import dev.ash.sdk.ConnectionLostException;
import dev.ash.sdk.ServerUnreachableException;
import dev.ash.sdk.UntrustedServerException;

/** Exit codes of the command, documented in docs/cli.md and in the help. */
public final class ExitCode {
    public static final int OK = 0;
    public static final int FAILED = 1;
    public static final int USAGE = 2;
    public static final int UNREACHABLE = 3;
    public static final int NOT_FOUND = 4;
    public static final int UNAUTHORIZED = 5;
    public static final int CONFLICT = 6;
    public static final int TURN_FAILED = 7;
    static final int TRY_LATER = 8;
    public static final int INTERRUPTED = 130;

    private ExitCode() {}

    public static int of(AshException failure) {
        return switch (failure) {
            case ServerUnreachableException _,
                    UntrustedServerException _,
                    ConnectionLostException _ ->
                    UNREACHABLE;
            case AshApiException error -> of(error);
        };
    }

    private static int of(AshApiException error) {
        if (error.is(ErrorCode.SESSION_NOT_ACTIVE)) {
            return CONFLICT;
        }
        if (error.is(ErrorCode.PATH_NOT_ALLOWED)) {
            return FAILED; // not a problem of the key
        }
        return switch (error.status()) {
            case 404 -> NOT_FOUND;
            case 401, 403 -> UNAUTHORIZED;
            case 409, 410 -> CONFLICT;
            case 429, 503 -> TRY_LATER;
            default -> FAILED;
        };
    }
}
