package dev.ash.server.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys of a data directory.
 *
 * <p>Sealing keys encrypt values in the database; tokens of sandboxes and mailbox peers are derived
 * from the token key. A key file of an earlier version is one key of 32 bytes, which does both. The
 * first rotation replaces it by text: one line per key, then {@code end}.
 *
 * @param sealing the current key first, then the keys that decrypt older values
 * @param tokens the key from which new tokens are derived
 * @param previousTokens replaced token keys whose tokens are still in use
 */
public record KeyRing(List<Key> sealing, Key tokens, List<PreviousTokens> previousTokens) {
    static final int KEY_BYTES = 32;

    /** The id of the key of an earlier version, whose sealed values carry no key id. */
    static final String FIRST_ID = "0000000000000000";

    private static final String HEADER = "ash-keys 1";
    private static final int MAX_FILE_BYTES = 64 * 1024;

    public KeyRing {
        sealing = List.copyOf(sealing);
        previousTokens = List.copyOf(previousTokens);
        if (sealing.isEmpty()) {
            throw new IllegalArgumentException("no sealing key");
        }
    }

    /**
     * A key of 256 bits.
     *
     * @param id 16 hexadecimal digits
     * @param createdAt in milliseconds since the epoch
     */
    public record Key(String id, long createdAt, SecretKeySpec secret) {
        public Key {
            if (!id.matches("[0-9a-f]{16}")) {
                throw new IllegalArgumentException("a key id has 16 hexadecimal digits");
            }
            if (secret.getEncoded().length != KEY_BYTES) {
                throw new IllegalArgumentException("a key has " + KEY_BYTES + " bytes");
            }
        }

        static Key of(String id, long createdAt, byte[] secret) {
            return new Key(id, createdAt, new SecretKeySpec(secret, "AES"));
        }

        static Key random(SecureRandom random, long now) {
            var id = new byte[8];
            var secret = new byte[KEY_BYTES];
            random.nextBytes(id);
            random.nextBytes(secret);
            return of(HexFormat.of().formatHex(id), now, secret);
        }

        boolean isFirst() {
            return id.equals(FIRST_ID);
        }

        @Override
        public String toString() {
            return "key " + id;
        }
    }

    /**
     * A replaced token key.
     *
     * @param replacedAt sandboxes launched before may present its placeholders; 0 until the
     *     rotation sets it
     * @param acceptedUntil end of the overlap for tokens of mailboxes
     */
    public record PreviousTokens(Key key, long replacedAt, long acceptedUntil) {}

    /** Returns the ring of a key file of an earlier version, which contains a single key. */
    static KeyRing ofFirst(byte[] secret, long createdAt) {
        var key = Key.of(FIRST_ID, createdAt, secret);
        return new KeyRing(List.of(key), key, List.of());
    }

    public Key current() {
        return sealing.getFirst();
    }

    /** Returns a ring with new current keys. */
    public KeyRing rotated(SecureRandom random, long now, long acceptedUntil) {
        var keys = new ArrayList<>(List.of(Key.random(random, now)));
        keys.addAll(sealing);
        var previous = new ArrayList<>(List.of(new PreviousTokens(tokens, 0, acceptedUntil)));
        previous.addAll(previousTokens);
        return new KeyRing(keys, Key.random(random, now), previous);
    }

    /** Returns a ring without replaced sealing keys, with the time of the token key replacement. */
    public KeyRing resealed(long replacedAt) {
        return new KeyRing(
                List.of(current()),
                tokens,
                previousTokens.stream()
                        .map(
                                old ->
                                        old.replacedAt() == 0
                                                ? new PreviousTokens(
                                                        old.key(), replacedAt, old.acceptedUntil())
                                                : old)
                        .toList());
    }

    public KeyRing withPreviousTokens(List<PreviousTokens> previous) {
        return new KeyRing(sealing, tokens, previous);
    }

    byte[] encoded() {
        var text = new StringBuilder(HEADER).append('\n');
        sealing.forEach(key -> line(text, "sealing", key).append('\n'));
        line(text, "tokens", tokens).append('\n');
        for (var old : previousTokens) {
            line(text, "previous-tokens", old.key())
                    .append(' ')
                    .append(old.replacedAt())
                    .append(' ')
                    .append(old.acceptedUntil())
                    .append('\n');
        }
        return text.append("end\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static StringBuilder line(StringBuilder text, String type, Key key) {
        return text.append(type)
                .append(' ')
                .append(key.id())
                .append(' ')
                .append(key.createdAt())
                .append(' ')
                .append(Base64.getEncoder().encodeToString(key.secret().getEncoded()));
    }

    /** Uses {@code modifiedAt} as the creation time of the key of a single-key file. */
    static KeyRing decode(byte[] file, long modifiedAt) throws IOException {
        if (file.length == KEY_BYTES) {
            return ofFirst(file, modifiedAt);
        }
        if (file.length > MAX_FILE_BYTES) {
            throw new IOException("the file is too long");
        }
        var text = new String(file, StandardCharsets.US_ASCII);
        var lines = Arrays.asList(text.split("\n", -1));
        int size = lines.size();
        if (size < 3
                || !lines.getFirst().equals(HEADER)
                || !lines.get(size - 2).equals("end")
                || !lines.getLast().isEmpty()) {
            throw new IOException("expected a key of 32 bytes or a complete list of keys");
        }
        try {
            return decodeLines(lines.subList(1, size - 2));
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static KeyRing decodeLines(List<String> lines) {
        var sealing = new ArrayList<Key>();
        var tokens = new ArrayList<Key>();
        var previous = new ArrayList<PreviousTokens>();
        for (var line : lines) {
            var words = line.split(" ", -1);
            int expected = words[0].equals("previous-tokens") ? 6 : 4;
            if (words.length != expected) {
                throw new IllegalArgumentException(
                        "expected %d words in a line, got %d".formatted(expected, words.length));
            }
            var key =
                    Key.of(
                            words[1],
                            Long.parseLong(words[2]),
                            Base64.getDecoder().decode(words[3]));
            switch (words[0]) {
                case "sealing" -> sealing.add(key);
                case "tokens" -> tokens.add(key);
                case "previous-tokens" ->
                        previous.add(
                                new PreviousTokens(
                                        key, Long.parseLong(words[4]), Long.parseLong(words[5])));
                default -> throw new IllegalArgumentException("a line has an unknown key type");
            }
        }
        if (tokens.size() != 1) {
            throw new IllegalArgumentException(
                    "expected one token key, got %d".formatted(tokens.size()));
        }
        return new KeyRing(sealing, tokens.getFirst(), previous);
    }
}
