package dev.ash.server.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals what must not be readable from a copy of the database, such as the environment of a
 * session, with a key that lies beside it in a file of its own (AES-256-GCM; the nonce stands
 * first).
 */
public final class Sealer {
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecretKeySpec key;
    private final SecureRandom random;

    private Sealer(byte[] key, SecureRandom random) {
        this.key = new SecretKeySpec(key, "AES");
        this.random = random;
    }

    /** Reads the key, making it at first use. */
    public static Sealer open(Path keyFile, SecureRandom random) throws IOException {
        if (!Files.exists(keyFile)) {
            var key = new byte[KEY_BYTES];
            random.nextBytes(key);
            PrivateFile.write(keyFile, key);
        }
        var key = Files.readAllBytes(keyFile);
        if (key.length != KEY_BYTES) {
            throw new IOException(
                    keyFile + " is not a key of " + KEY_BYTES + " bytes; restore it from a backup");
        }
        return new Sealer(key, random);
    }

    /** Another key, for another purpose, from which this one cannot be guessed. */
    public byte[] derive(String purpose) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.getEncoded(), "HmacSHA256"));
            return mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public byte[] seal(byte[] plain) {
        var nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            var cipher = cipher(Cipher.ENCRYPT_MODE, nonce);
            return ByteBuffer.allocate(NONCE_BYTES + cipher.getOutputSize(plain.length))
                    .put(nonce)
                    .put(cipher.doFinal(plain))
                    .array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public byte[] unseal(byte[] sealed) {
        try {
            var nonce = ByteBuffer.wrap(sealed, 0, NONCE_BYTES);
            var bytes = new byte[NONCE_BYTES];
            nonce.get(bytes);
            return cipher(Cipher.DECRYPT_MODE, bytes)
                    .doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("sealed with another key, or damaged", e);
        }
    }

    private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        return cipher;
    }
}
