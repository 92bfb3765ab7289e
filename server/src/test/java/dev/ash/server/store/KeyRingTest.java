package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyRingTest {
    private static final int ROUNDS = 2000;

    private final Random random = new Random(7);
    @TempDir Path directory;

    private KeyRing.Key key() {
        var secret = new byte[KeyRing.KEY_BYTES];
        random.nextBytes(secret);
        return KeyRing.Key.of("%016x".formatted(random.nextLong()), random.nextLong(), secret);
    }

    private KeyRing ring() {
        var sealing = new ArrayList<KeyRing.Key>();
        for (int i = random.nextInt(1, 5); i > 0; i--) {
            sealing.add(key());
        }
        var previous = new ArrayList<KeyRing.PreviousTokens>();
        for (int i = random.nextInt(5); i > 0; i--) {
            previous.add(new KeyRing.PreviousTokens(key(), random.nextLong(), random.nextLong()));
        }
        return new KeyRing(sealing, key(), previous);
    }

    @Test
    void decodesEncodedRings() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            var ring = ring();

            assertThat(KeyRing.decode(ring.encoded(), 0)).isEqualTo(ring);
        }
    }

    @Test
    void rejectsTruncatedFiles() {
        for (int i = 0; i < 20; i++) {
            var file = ring().encoded();
            for (int length = 0; length < file.length; length++) {
                if (length != KeyRing.KEY_BYTES) {
                    var part = Arrays.copyOf(file, length);
                    assertThatThrownBy(() -> KeyRing.decode(part, 0))
                            .isInstanceOf(IOException.class);
                }
            }
        }
    }

    @Test
    void rejectsOrDecodesModifiedFiles() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            var file = ring().encoded();
            file[random.nextInt(file.length)] = (byte) random.nextInt();
            KeyRing changed;
            try {
                changed = KeyRing.decode(file, 0);
            } catch (IOException e) {
                continue; // the only expected failure
            }
            assertThat(KeyRing.decode(changed.encoded(), 0)).isEqualTo(changed);
        }
    }

    @Test
    void keepsKeyFileOfEarlierVersionUntilFirstRotation() throws Exception {
        var file = directory.resolve("key");
        var first = new byte[KeyRing.KEY_BYTES];
        random.nextBytes(first);
        Files.write(file, first);
        var sealer = Sealer.open(file, new SecureRandom());
        var sealed = sealer.seal("old".getBytes(StandardCharsets.UTF_8));
        var token = sealer.derive("placeholders");

        assertThat(Files.readAllBytes(file)).isEqualTo(first);
        assertThat(sealed).hasSize(12 + 3 + 16); // the format of the earlier version

        sealer.update(ring -> ring.rotated(new SecureRandom(), 5, 10));
        var reopened = Sealer.open(file, new SecureRandom());

        assertThat(reopened.ring()).isEqualTo(sealer.ring());
        assertThat(reopened.unseal(sealed)).asString(StandardCharsets.UTF_8).isEqualTo("old");
        assertThat(reopened.derive("placeholders")).isNotEqualTo(token);
        assertThat(reopened.deriveAll("placeholders").get(1)).isEqualTo(token);
        assertThat(reopened.deriveAccepted("placeholders", 9)).hasSize(2);
        assertThat(reopened.deriveAccepted("placeholders", 10)).hasSize(1);
        assertThat(Files.readString(file)).startsWith("ash-keys 1\n");
    }

    @Test
    void doesNotUnsealWithDiscardedKeys() throws Exception {
        var file = directory.resolve("key");
        var sealer = Sealer.open(file, new SecureRandom());
        var sealed = sealer.seal(new byte[] {1});
        sealer.update(ring -> ring.rotated(new SecureRandom(), 0, 0));
        var resealed = sealer.seal(sealer.unseal(sealed));
        sealer.update(ring -> ring.resealed(1));

        assertThat(sealer.unseal(sealed)).containsExactly(1); // for running queries
        sealer.discardDropped();

        assertThatThrownBy(() -> sealer.unseal(sealed)).hasMessageContaining("another key");
        assertThat(Sealer.open(file, new SecureRandom()).unseal(resealed)).containsExactly(1);
    }

    @Test
    void rejectsTooShortValues() throws Exception {
        var sealer = Sealer.open(directory.resolve("key"), new SecureRandom());

        for (int length = 0; length < 28; length++) {
            var value = new byte[length];
            assertThatThrownBy(() -> sealer.unseal(value)).hasMessageContaining("damaged");
        }
    }
}
