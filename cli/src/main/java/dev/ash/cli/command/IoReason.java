package dev.ash.cli.command;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;

/** Describes I/O failures, whose messages are often only a path. */
public final class IoReason {
    private IoReason() {}

    public static String of(@Nullable Throwable failure) {
        var message = failure == null ? "" : String.valueOf(failure.getMessage());
        return switch (failure) {
            case null -> "unknown";
            case NoSuchFileException _ -> message + " does not exist";
            case AccessDeniedException _ -> message + ": permission denied";
            case FileAlreadyExistsException _ -> message + " exists and is not a directory";
            case NotDirectoryException _ -> message + " is not a directory";
            default -> message;
        };
    }
}
