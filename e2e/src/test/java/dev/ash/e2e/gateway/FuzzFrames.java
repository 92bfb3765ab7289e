package dev.ash.e2e.gateway;

import static dev.ash.e2e.gateway.RawSocket.BINARY;
import static dev.ash.e2e.gateway.RawSocket.CLOSE;
import static dev.ash.e2e.gateway.RawSocket.COMPRESSED;
import static dev.ash.e2e.gateway.RawSocket.CONTINUATION;
import static dev.ash.e2e.gateway.RawSocket.FIN;
import static dev.ash.e2e.gateway.RawSocket.PING;
import static dev.ash.e2e.gateway.RawSocket.TEXT;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;

/** Generates frames that violate the WebSocket protocol and must close their connection. */
final class FuzzFrames {
    private static final int MAX_MESSAGE = 4 * 1024 * 1024;

    private final Random random;

    FuzzFrames(Random random) {
        this.random = random;
    }

    /**
     * {@code bytes} contain {@code frames} frames; {@code statuses} are the permitted close
     * statuses.
     */
    record Broken(String what, byte[] bytes, int frames, List<Integer> statuses) {
        private Broken(String what, byte[] bytes, int... statuses) {
            this(what, bytes, 1, Arrays.stream(statuses).boxed().toList());
        }

        @Override
        public String toString() {
            var begin = Arrays.copyOf(bytes, Math.min(bytes.length, 100));
            return what + ": " + HexFormat.of().formatHex(begin);
        }
    }

    /** Returns a random broken frame for a connection with compression. */
    Broken next() {
        var small = new byte[random.nextInt(100)];
        random.nextBytes(small);
        return switch (random.nextInt(16)) {
            case 0 ->
                    new Broken(
                            "not UTF-8",
                            text(FIN | TEXT, new byte[] {'{', (byte) 0xc3, 0x28}),
                            1007);
            case 1 ->
                    new Broken(
                            "truncated character",
                            text(FIN | TEXT, new byte[] {'{', (byte) 0xf0, (byte) 0x9f}),
                            1007);
            case 2 ->
                    new Broken(
                            "not masked",
                            RawSocket.unmasked(FIN | TEXT, "{}".getBytes(UTF_8)),
                            1002);
            case 3 ->
                    new Broken(
                            "reserved bit",
                            text(FIN | TEXT | (random.nextBoolean() ? 0x10 : 0x20), small),
                            1002);
            case 4 ->
                    new Broken("reserved opcode", text(FIN | (3 + random.nextInt(5)), small), 1002);
            case 5 ->
                    new Broken(
                            "reserved control", text(FIN | (11 + random.nextInt(5)), small), 1002);
            case 6 ->
                    new Broken(
                            "long control",
                            text(FIN | PING, new byte[126 + random.nextInt(1000)]),
                            1002);
            case 7 -> new Broken("fragmented control", text(PING, small), 1002);
            case 8 ->
                    new Broken(
                            "continuation without a message",
                            text(FIN | CONTINUATION, small),
                            1002);
            case 9 ->
                    two(
                            "message within a message",
                            text(TEXT, "a".getBytes(UTF_8)),
                            text(FIN | TEXT, "b".getBytes(UTF_8)),
                            1002);
            case 10 ->
                    new Broken(
                            "reserved close status",
                            text(FIN | CLOSE, new byte[] {3, (byte) (0xec + random.nextInt(2))}),
                            1002);
            case 11 -> new Broken("close of one byte", text(FIN | CLOSE, new byte[] {3}), 1002);
            case 12 -> new Broken("binary", text(FIN | BINARY, small), 1003);
            case 13 -> new Broken("huge declared length", head(Long.MAX_VALUE), 1009, 1002);
            case 14 -> new Broken("negative length", head(Long.MAX_VALUE + 1), 1002, 1009);
            default ->
                    new Broken(
                            "invalid deflate data",
                            text(FIN | TEXT | COMPRESSED, new byte[] {(byte) 0xff, 7, 9}),
                            1007,
                            1002,
                            1003);
        };
    }

    /** Returns broken frames that would use much memory. */
    static List<Broken> huge() {
        var piece = new byte[MAX_MESSAGE / 2 + 1];
        Arrays.fill(piece, (byte) 'x');
        var whole = new byte[MAX_MESSAGE + 1];
        Arrays.fill(whole, (byte) 'x');
        return List.of(
                new Broken("one byte too long", text(FIN | TEXT, whole), 1009),
                two(
                        "too long in fragments",
                        text(TEXT, piece),
                        text(FIN | CONTINUATION, piece),
                        1009),
                new Broken(
                        "compression bomb",
                        text(FIN | TEXT | COMPRESSED, deflated(64 << 20)),
                        1009),
                new Broken(
                        "binary compression bomb",
                        text(FIN | BINARY | COMPRESSED, deflated(64 << 20)),
                        1009,
                        1003));
    }

    /** Returns a complete header with mask, and no payload. */
    private static byte[] head(long length) {
        var head = RawSocket.head(FIN | TEXT, 0x80, length);
        return Arrays.copyOf(head, head.length + 4);
    }

    private static Broken two(String what, byte[] first, byte[] second, int status) {
        var both = new ByteArrayOutputStream();
        both.writeBytes(first);
        both.writeBytes(second);
        return new Broken(what, both.toByteArray(), 2, List.of(status));
    }

    private static byte[] text(int first, byte[] payload) {
        return RawSocket.frame(first, payload);
    }

    private static byte[] deflated(int length) {
        var deflater = new Deflater(9, true);
        deflater.setInput(new byte[length]);
        deflater.finish();
        var all = new ByteArrayOutputStream();
        var buffer = new byte[8192];
        while (!deflater.finished()) {
            all.write(buffer, 0, deflater.deflate(buffer));
        }
        deflater.end();
        return all.toByteArray();
    }
}
