package dev.ash.server.session.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.TenantId;
import dev.ash.server.credential.Credentials;
import dev.ash.server.egress.model.ModelAccess;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelCredential;
import dev.ash.server.store.Database;
import dev.ash.server.store.Sealer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelCredentialResolverTest {
    @TempDir Path directory;
    private Database database;
    private Credentials stored;

    @BeforeEach
    void open() throws IOException {
        database = Database.open(directory.resolve("ash.db"));
        var sealer = Sealer.open(directory.resolve("key"), new SecureRandom());
        stored = new Credentials(database, sealer, Clock.systemUTC());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private Optional<ModelAccess> access(Map<String, String> environment, ModelApi api) {
        return new ModelCredentialResolver(environment, stored)
                .resolver(TenantId.DEFAULT, null, api)
                .get();
    }

    @Test
    void usesKeyOfEachProvider() {
        var environment =
                Map.of(
                        "ANTHROPIC_API_KEY", "a",
                        "OPENAI_API_KEY", "o",
                        "OPENAI_BASE_URL", "https://router.example/api/v1",
                        "GOOGLE_API_KEY", "second",
                        "GEMINI_API_KEY", "first");

        assertThat(access(environment, ModelApi.ANTHROPIC))
                .contains(
                        new ModelAccess(
                                URI.create("https://api.anthropic.com"),
                                new ModelCredential.ApiKey("a")));
        assertThat(access(environment, ModelApi.OPENAI))
                .contains(
                        new ModelAccess(
                                URI.create("https://router.example/api/v1"),
                                new ModelCredential.AuthToken("o")));
        assertThat(access(environment, ModelApi.GOOGLE))
                .contains(
                        new ModelAccess(
                                URI.create("https://generativelanguage.googleapis.com"),
                                new ModelCredential.GoogleKey("first")));
    }

    @Test
    void distinguishesTokensOfAnthropic() {
        assertThat(access(Map.of("ANTHROPIC_API_KEY", "sk-ant-oat-1"), ModelApi.ANTHROPIC))
                .map(ModelAccess::credential)
                .contains(new ModelCredential.OAuthToken("sk-ant-oat-1"));
        assertThat(access(Map.of("ANTHROPIC_AUTH_TOKEN", "t"), ModelApi.ANTHROPIC))
                .map(ModelAccess::credential)
                .contains(new ModelCredential.AuthToken("t"));
        assertThat(access(Map.of("CLAUDE_CODE_OAUTH_TOKEN", "t"), ModelApi.ANTHROPIC))
                .map(ModelAccess::credential)
                .contains(new ModelCredential.OAuthToken("t"));
    }

    @Test
    void hasNoAccessWithoutKey() {
        assertThat(access(Map.of("OPENAI_API_KEY", " "), ModelApi.OPENAI)).isEmpty();
        assertThat(access(Map.of("OPENAI_API_KEY", "o"), ModelApi.GOOGLE)).isEmpty();
    }

    @Test
    void rejectsInvalidUrlOfProviderWithKey() {
        assertThatThrownBy(
                        () ->
                                access(
                                        Map.of(
                                                "GEMINI_API_KEY", "k",
                                                "GOOGLE_GEMINI_BASE_URL", "ftp://a.example"),
                                        ModelApi.GOOGLE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http or https");
    }
}
