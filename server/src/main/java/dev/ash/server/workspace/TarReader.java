package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads tar archives as written by GNU tar, bsdtar and Python: files, folders and symbolic links,
 * with the long names of either kind. Everything else in an archive is refused, not skipped: who
 * sends it would believe that it arrived.
 */
final class TarReader {
    private static final int BLOCK = TarWriter.BLOCK;
    private static final int MAX_HEADER_BYTES = 64 * 1024;

    private final InputStream in;
    private BoundedInputStream content = new BoundedInputStream(InputStream.nullInputStream(), 0);
    private long padding;

    TarReader(InputStream in) {
        this.in = in;
    }

    /** The next thing in the archive, or null at its end; its content is then readable. */
    @Nullable TarEntry next() throws IOException {
        Map<String, String> extended = new HashMap<>();
        while (true) {
            content.transferTo(OutputStream.nullOutputStream());
            if (content.left() > 0) {
                throw new EOFException();
            }
            in.skipNBytes(padding);
            padding = 0;
            var block = in.readNBytes(BLOCK);
            if (block.length == 0 || isEmpty(block)) {
                return null;
            }
            if (block.length < BLOCK || !checksumFits(block)) {
                throw broken("a header is damaged");
            }
            long size = number(block, 124, 12);
            char type = (char) block[156];
            switch (type) {
                case 'x' -> extended.putAll(records(header(size)));
                case 'g' -> header(size); // defaults for all entries: nothing that matters here
                case 'L' -> extended.put("path", untilNul(header(size)));
                case 'K' -> extended.put("linkpath", untilNul(header(size)));
                default -> {
                    return entry(block, type, size, extended);
                }
            }
        }
    }

    /** The content of the file that {@link #next} told of. */
    InputStream content() {
        return content;
    }

    private TarEntry entry(byte[] block, char type, long shortSize, Map<String, String> extended)
            throws IOException {
        var name = extended.getOrDefault("path", plainName(block));
        var target = extended.getOrDefault("linkpath", field(block, 157, 100));
        var kind = kind(type, name);
        var longSize = extended.get("size");
        long size = longSize == null ? shortSize : number(longSize);
        if (kind == TarEntry.Kind.FILE) {
            content = new BoundedInputStream(in, size);
            padding = TarWriter.padding(size);
        }
        boolean executable = (number(block, 100, 8) & 0100) != 0;
        return new TarEntry(kind, name, kind == TarEntry.Kind.FILE ? size : 0, executable, target);
    }

    private static TarEntry.Kind kind(char type, String name) {
        return switch (type) {
            // Before 1988 there was no type for folders, only a slash at the end of the name.
            case '0', '\0', '7' -> name.endsWith("/") ? TarEntry.Kind.FOLDER : TarEntry.Kind.FILE;
            case '5' -> TarEntry.Kind.FOLDER;
            case '2' -> TarEntry.Kind.LINK;
            case '1' -> throw broken("\"" + name + "\" is a hard link, which is not taken");
            case '3', '4', '6' ->
                    throw broken("\"" + name + "\" is a device or FIFO, which is not taken");
            default -> throw broken("\"" + name + "\" is of the unknown type " + (int) type);
        };
    }

    private static String plainName(byte[] block) {
        var name = field(block, 0, 100);
        var prefix = field(block, 257, 6).equals("ustar") ? field(block, 345, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private byte[] header(long size) throws IOException {
        if (size > MAX_HEADER_BYTES) {
            throw broken("a name or header is longer than " + MAX_HEADER_BYTES + " bytes");
        }
        var bytes = in.readNBytes((int) size);
        if (bytes.length < size) {
            throw new EOFException();
        }
        in.skipNBytes(TarWriter.padding(size));
        return bytes;
    }

    /** Each is its own length in decimal, a space, {@code key=value} and a newline. */
    private static Map<String, String> records(byte[] bytes) {
        var records = new HashMap<String, String>();
        int at = 0;
        while (at < bytes.length) {
            int space = at;
            while (space < bytes.length && bytes[space] != ' ') {
                space++;
            }
            long length = number(text(bytes, at, space));
            if (length <= space - at || at + length > bytes.length) {
                throw broken("an extended header is damaged");
            }
            int end = (int) (at + length);
            var pair = text(bytes, space + 1, end - 1).split("=", 2);
            if (pair.length == 2) {
                if (pair[0].startsWith("GNU.sparse")) {
                    throw broken("it has sparse files, which are not taken");
                }
                records.put(pair[0], pair[1]);
            }
            at = end;
        }
        return records;
    }

    private static String untilNul(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return text(bytes, 0, end);
    }

    private static String field(byte[] block, int offset, int length) {
        int end = offset;
        while (end < offset + length && block[end] != 0) {
            end++;
        }
        return text(block, offset, end);
    }

    private static String text(byte[] bytes, int from, int to) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, from, to - from))
                    .toString();
        } catch (CharacterCodingException _) {
            throw broken("a name in it is not UTF-8");
        }
    }

    /** Octal digits; GNU tar writes larger numbers in binary, which no archive for us needs. */
    private static long number(byte[] block, int offset, int length) {
        var digits =
                new String(block, offset, length, StandardCharsets.ISO_8859_1)
                        .replace('\0', ' ')
                        .strip();
        try {
            return digits.isEmpty() ? 0 : requirePositive(Long.parseLong(digits, 8));
        } catch (NumberFormatException _) {
            throw broken("a number in a header is damaged");
        }
    }

    private static long number(String decimal) {
        try {
            return requirePositive(Long.parseLong(decimal));
        } catch (NumberFormatException _) {
            throw broken("a number in an extended header is damaged");
        }
    }

    private static long requirePositive(long number) {
        if (number < 0) {
            throw broken("a size is negative");
        }
        return number;
    }

    private static boolean isEmpty(byte[] block) {
        for (var b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean checksumFits(byte[] block) {
        int sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? ' ' : block[i] & 0xFF;
        }
        return number(block, 148, 8) == sum;
    }

    private static ApiException broken(String why) {
        return ApiException.invalid("bundle", "must be a tar.gz of files and folders: " + why);
    }
}
