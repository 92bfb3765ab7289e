package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;

/** Why a file cannot be had, in sentences. */
final class FileRefusals {
    static void requireRegular(BasicFileAttributes attributes, String path) {
        if (!attributes.isRegularFile()) {
            throw is(path, kind(attributes) + "; only regular files can be read and written");
        }
    }

    static void requireFolder(BasicFileAttributes attributes, String name) {
        if (!attributes.isDirectory()) {
            throw is(name, kind(attributes) + ", where the path needs a folder");
        }
    }

    static void requireNoFolder(BasicFileAttributes attributes, String path) {
        if (attributes.isDirectory()) {
            throw is(path, "a folder; only files can be deleted");
        }
    }

    static void requireAtMost(long maxBytes, long size, String path) {
        if (size > maxBytes) {
            throw is(path, size + " bytes large; at most " + maxBytes + " can be had this way");
        }
    }

    static ApiException noRoot() {
        return new ApiException(ErrorCode.FILE_NOT_FOUND, "The folder of these files is gone");
    }

    static RuntimeException of(IOException failure, String path) {
        var reason = String.valueOf(failure.getMessage());
        if (failure instanceof NoSuchFileException) {
            return new ApiException(
                    ErrorCode.FILE_NOT_FOUND, "File \"" + path + "\" not found", failure);
        }
        if (failure instanceof AccessDeniedException) {
            return is(path, "not open to the server: permission denied");
        }
        if (reason.contains("No space left") || reason.contains("quota")) {
            return new ApiException(
                    ErrorCode.DISK_FULL,
                    "The disk is full; \"" + path + "\" was not written",
                    failure);
        }
        if (reason.contains("Is a directory")) {
            return is(path, "a folder; only regular files can be read and written");
        }
        return new UncheckedIOException(failure);
    }

    private static ApiException is(String path, String what) {
        return ApiException.invalid("path", "\"" + path + "\" is " + what);
    }

    private static String kind(BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            return "a symbolic link, which is never followed";
        }
        if (attributes.isDirectory()) {
            return "a folder";
        }
        return attributes.isRegularFile() ? "a file" : "a special file";
    }

    private FileRefusals() {}
}
