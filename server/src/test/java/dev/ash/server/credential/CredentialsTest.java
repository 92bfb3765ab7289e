package dev.ash.server.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.protocol.rest.CredentialApi.CreateCredential;
import dev.ash.server.store.Database;
import dev.ash.server.store.Sealer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
    private static final TenantId MINE = TenantId.DEFAULT;
    private static final TenantId OTHER = new TenantId("other");
    private static final String KEY = "sk-canary-of-a-provider";

    @TempDir Path directory;
    private Database database;
    private Credentials credentials;

    @BeforeEach
    void open() throws IOException {
        database = Database.open(directory.resolve("ash.db"));
        var sealer = Sealer.open(directory.resolve("key"), new SecureRandom());
        credentials = new Credentials(database, sealer, Clock.systemUTC());
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void listsWithoutKeyAndDeletes() {
        var created = credentials.create(MINE, new CreateCredential("anthropic", KEY, "work"));

        assertThat(credentials.list(MINE)).containsExactly(created);
        assertThat(created.toString()).contains("work").doesNotContain(KEY);
        assertThat(credentials.secret(MINE, created.id())).contains(KEY);
        assertThat(created.lastUsedAt()).isNull();
        credentials.use(MINE, created.id(), ModelProvider.ANTHROPIC);
        assertThat(credentials.list(MINE).getFirst().lastUsedAt()).isNotNull();

        credentials.delete(MINE, created.id());
        assertThat(credentials.list(MINE)).isEmpty();
        assertThatThrownBy(() -> credentials.delete(MINE, created.id()))
                .hasMessage("Credential not found");
    }

    @Test
    void separatesTenants() {
        var created = credentials.create(MINE, new CreateCredential("openai", KEY, null));

        assertThat(credentials.list(OTHER)).isEmpty();
        assertThat(credentials.secret(OTHER, created.id())).isEmpty();
        assertThatThrownBy(() -> credentials.use(OTHER, created.id(), ModelProvider.OPENAI))
                .hasMessage("Credential not found");
        assertThatThrownBy(() -> credentials.use(MINE, created.id(), ModelProvider.ANTHROPIC))
                .hasMessageContaining("credentialId: is a key of openai");
        assertThatThrownBy(() -> credentials.delete(OTHER, created.id()))
                .hasMessage("Credential not found");
        assertThat(credentials.list(MINE)).hasSize(1);
    }

    @Test
    void encryptsKeysOnDisk() throws IOException {
        credentials.create(MINE, new CreateCredential("anthropic", KEY, null));
        database.close();

        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain(KEY);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "line\r\nX-Header: y", "ü", "\u0000"})
    void rejectsKeysThatAreInvalidInHeaders(String key) {
        assertThatThrownBy(
                        () ->
                                credentials.create(
                                        MINE, new CreateCredential("anthropic", key, null)))
                .hasMessageContaining("key");
        assertThat(credentials.list(MINE)).isEmpty();
    }

    @Test
    void rejectsUnknownProviders() {
        assertThatThrownBy(
                        () -> credentials.create(MINE, new CreateCredential("bedrock", KEY, null)))
                .hasMessageContaining("must be anthropic, openai or google");
    }
}
