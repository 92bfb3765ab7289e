package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.AgentApi.FileUpload;
import dev.ash.server.http.Spool;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Set;

/** Writes files that a client sends as base64 inside a JSON body. */
public final class Uploads {
    /** The JSON path of file contents in a body with a list of files. */
    public static final Set<String> CONTENTS = Set.of("files[].content");

    /** Writes the file and returns its size. */
    public static long write(FileTree tree, FileUpload upload, Spool spool) {
        return write(tree, upload, upload.path(), spool);
    }

    public static long write(FileTree tree, FileUpload upload, String path, Spool spool) {
        long size = size(upload, spool); // validates the content before any change
        if (size > Limits.MAX_FILE_BYTES) {
            throw new ApiException(
                    ErrorCode.PAYLOAD_TOO_LARGE,
                    "%s has %d bytes; the limit for a file is %d bytes"
                            .formatted(upload.path(), size, Limits.MAX_FILE_BYTES));
        }
        var content = decoded(upload.path(), spool.open(upload.content()));
        tree.write(path, content, Boolean.TRUE.equals(upload.executable()));
        return size;
    }

    private static long size(FileUpload upload, Spool spool) {
        try (var content = decoded(upload.path(), spool.open(upload.content()))) {
            return content.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // the spool is an open, unlinked file
        }
    }

    /** Decodes base64, with or without line breaks; {@code name} is for error messages. */
    public static InputStream decoded(String name, InputStream base64) {
        return new Base64Stream(name, base64);
    }

    private Uploads() {}
}
