package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.AgentApi.FileUpload;
import java.util.Base64;

/** Files that a client sends inside a JSON body. */
public final class Uploads {
    /** Writes the file and returns its size. */
    public static long write(FileTree tree, FileUpload upload) {
        return write(tree, upload, upload.path());
    }

    public static long write(FileTree tree, FileUpload upload, String path) {
        var content = decode(upload.path(), upload.content());
        if (content.length > Limits.MAX_FILE_BYTES) {
            throw new ApiException(
                    ErrorCode.PAYLOAD_TOO_LARGE,
                    "%s has %d bytes; a file may have %d"
                            .formatted(upload.path(), content.length, Limits.MAX_FILE_BYTES));
        }
        tree.write(path, content, Boolean.TRUE.equals(upload.executable()));
        return content.length;
    }

    /** Base64 as clients write it, with line breaks or without. */
    public static byte[] decode(String name, String base64) {
        try {
            return Base64.getMimeDecoder().decode(strict(base64));
        } catch (IllegalArgumentException e) {
            throw ApiException.invalid(name, "the content must be base64");
        }
    }

    /** The lenient decoder skips whatever is not base64; only line breaks may be skipped. */
    private static String strict(String base64) {
        for (int i = 0; i < base64.length(); i++) {
            char c = base64.charAt(i);
            boolean known =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || "+/=\r\n".indexOf(c) >= 0;
            if (!known) {
                throw new IllegalArgumentException();
            }
        }
        return base64;
    }

    private Uploads() {}
}
