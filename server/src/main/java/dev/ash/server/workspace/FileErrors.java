package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;

/** Checks file attributes, and maps I/O failures to API errors. */
final class FileErrors {
    static void requireRegular(BasicFileAttributes attributes, String path) {
        if (!attributes.isRegularFile()) {
            throw invalidPath(
                    path, kind(attributes) + "; only regular files can be read and written");
        }
    }

    static void requireDirectory(BasicFileAttributes attributes, String name) {
        if (!attributes.isDirectory()) {
            throw invalidPath(name, kind(attributes) + "; the path needs a directory here");
        }
    }

    static void requireNotDirectory(BasicFileAttributes attributes, String path) {
        if (attributes.isDirectory()) {
            throw invalidPath(path, "a directory; only files can be deleted");
        }
    }

    static void requireAtMost(long maxBytes, long size, String path) {
        if (size > maxBytes) {
            throw invalidPath(path, size + " bytes large; the limit is " + maxBytes + " bytes");
        }
    }

    static ApiException rootNotFound() {
        return new ApiException(
                ErrorCode.FILE_NOT_FOUND, "The directory of these files no longer exists");
    }

    static RuntimeException map(IOException failure, String path) {
        var reason = String.valueOf(failure.getMessage());
        if (failure instanceof NoSuchFileException) {
            return new ApiException(
                    ErrorCode.FILE_NOT_FOUND, "File \"" + path + "\" not found", failure);
        }
        if (failure instanceof AccessDeniedException) {
            return invalidPath(path, "not accessible to the server: permission denied");
        }
        if (reason.contains("No space left") || reason.contains("quota")) {
            return new ApiException(
                    ErrorCode.DISK_FULL,
                    "The disk is full; \"" + path + "\" was not written",
                    failure);
        }
        if (reason.contains("Is a directory")) {
            return invalidPath(path, "a directory; only regular files can be read and written");
        }
        return new UncheckedIOException(failure);
    }

    private static ApiException invalidPath(String path, String problem) {
        return ApiException.invalid("path", "\"" + path + "\" is " + problem);
    }

    private static String kind(BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            return "a symbolic link, which is never followed";
        }
        if (attributes.isDirectory()) {
            return "a directory";
        }
        return attributes.isRegularFile() ? "a file" : "a special file";
    }

    private FileErrors() {}
}
