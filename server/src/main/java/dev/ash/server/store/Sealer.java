package dev.ash.server.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts values that must not be readable from a copy of the database (AES-256-GCM). The keys are
 * in a separate file of the data directory.
 *
 * <p>A sealed value is a prefix with the id of its key, the nonce and the ciphertext. The key of an
 * earlier version seals without a prefix, so that a data directory remains readable by that version
 * until the first rotation. Seal only inside a unit of the {@link Writer}: a rotation requires that
 * no value sealed with a replaced key is committed later.
 */
public final class Sealer {
    private static final byte[] MAGIC = {'A', 'S', 'K', 1};
    private static final int PREFIX_BYTES = MAGIC.length + 8;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final Path keyFile;
    private final SecureRandom random;
    private volatile KeyRing ring;

    /** Keys removed from the file, for queries that read a value before it was resealed. */
    private volatile List<KeyRing.Key> dropped = List.of();

    private Sealer(Path keyFile, KeyRing ring, SecureRandom random) {
        this.keyFile = keyFile;
        this.ring = ring;
        this.random = random;
    }

    /** Reads the keys; creates the key file if it is missing. */
    public static Sealer open(Path keyFile, SecureRandom random) throws IOException {
        if (!Files.exists(keyFile)) {
            var key = new byte[KeyRing.KEY_BYTES];
            random.nextBytes(key);
            PrivateFile.write(keyFile, key);
        }
        try {
            var modified = Files.getLastModifiedTime(keyFile).toMillis();
            var ring = KeyRing.decode(Files.readAllBytes(keyFile), modified);
            return new Sealer(keyFile, ring, random);
        } catch (IOException e) {
            throw new IOException(
                    "%s is not a valid key file (%s); restore it from a backup"
                            .formatted(keyFile, e.getMessage()),
                    e);
        }
    }

    public KeyRing ring() {
        return ring;
    }

    /** Replaces the keys, on disk first, so that no value is sealed with a key that is lost. */
    public synchronized void update(UnaryOperator<KeyRing> change) throws IOException {
        var before = ring;
        var after = change.apply(before);
        PrivateFile.write(keyFile, after.encoded());
        var removed = new ArrayList<>(dropped);
        before.sealing().stream()
                .filter(key -> !after.sealing().contains(key))
                .forEach(removed::add);
        dropped = List.copyOf(removed);
        ring = after;
    }

    /** Discards the keys that are no longer in the file. */
    public synchronized void discardDropped() {
        dropped = List.of();
    }

    public boolean hasDropped() {
        return !dropped.isEmpty();
    }

    /** Derives a key for a purpose from the token key. */
    public byte[] derive(String purpose) {
        return derive(ring.tokens(), purpose);
    }

    /** Derives keys from all token keys, the current one first. */
    public List<byte[]> deriveAll(String purpose) {
        return deriveAccepted(purpose, Long.MIN_VALUE);
    }

    /** Derives keys from the current token key and from replaced ones still in their overlap. */
    public List<byte[]> deriveAccepted(String purpose, long now) {
        var keys = ring;
        var derived = new ArrayList<byte[]>();
        derived.add(derive(keys.tokens(), purpose));
        for (var old : keys.previousTokens()) {
            if (old.acceptedUntil() > now) {
                derived.add(derive(old.key(), purpose));
            }
        }
        return derived;
    }

    private static byte[] derive(KeyRing.Key key, String purpose) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.secret().getEncoded(), "HmacSHA256"));
            return mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public byte[] seal(byte[] plain) {
        var key = ring.current();
        var prefix = prefix(key);
        var nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            var cipher = cipher(Cipher.ENCRYPT_MODE, key, nonce, prefix);
            return ByteBuffer.allocate(
                            prefix.length + NONCE_BYTES + cipher.getOutputSize(plain.length))
                    .put(prefix)
                    .put(nonce)
                    .put(cipher.doFinal(plain))
                    .array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public byte[] unseal(byte[] sealed) {
        GeneralSecurityException failure = null;
        for (var key : readable()) {
            var prefix = prefix(key);
            if (!startsWith(sealed, prefix)) {
                continue;
            }
            try {
                return open(key, prefix, sealed);
            } catch (GeneralSecurityException e) {
                failure = e; // a nonce without prefix can look like a prefix
            }
        }
        throw new IllegalStateException("sealed with another key, or damaged", failure);
    }

    private static byte[] open(KeyRing.Key key, byte[] prefix, byte[] sealed)
            throws GeneralSecurityException {
        int start = prefix.length + NONCE_BYTES;
        if (sealed.length < start + TAG_BITS / 8) {
            throw new GeneralSecurityException("too short");
        }
        var nonce = Arrays.copyOfRange(sealed, prefix.length, start);
        return cipher(Cipher.DECRYPT_MODE, key, nonce, prefix)
                .doFinal(sealed, start, sealed.length - start);
    }

    private List<KeyRing.Key> readable() {
        var keys = ring.sealing(); // read before `dropped`, which update() changes first
        var removed = dropped;
        if (removed.isEmpty()) {
            return keys;
        }
        var all = new ArrayList<>(keys);
        all.addAll(removed);
        return all;
    }

    /** Returns the prefix of values sealed with the current key; empty for the first key. */
    public byte[] currentPrefix() {
        return prefix(ring.current());
    }

    private static byte[] prefix(KeyRing.Key key) {
        return key.isFirst()
                ? new byte[0]
                : ByteBuffer.allocate(PREFIX_BYTES)
                        .put(MAGIC)
                        .put(HexFormat.of().parseHex(key.id()))
                        .array();
    }

    private static boolean startsWith(byte[] value, byte[] prefix) {
        return value.length >= prefix.length
                && Arrays.equals(value, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static Cipher cipher(int mode, KeyRing.Key key, byte[] nonce, byte[] prefix)
            throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key.secret(), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(prefix);
        return cipher;
    }
}
