package dev.ash.cli.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.cli.command.CommandException;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyCommandsTest {
    private static final String CREATED =
            "{\"id\":\"k1\",\"key\":\"ash_secret\",\"tenantId\":\"acme\",\"label\":\"ci\",\"keyPrefix\":\"ash_secr\",\"scopes\":[\"read\",\"run\"],\"createdAt\":\"t1\"}";

    @TempDir Path root;
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        server.on("POST /api/api-keys", 201, CREATED);
        server.on("POST /api/internal/api-keys", 201, CREATED);
        server.on("DELETE /api/api-keys/k1", 204, "");
        server.on(
                "GET /api/api-keys",
                "{\"keys\":[{\"id\":\"env\",\"label\":\"ASH_API_KEY\",\"keyPrefix\":\"\",\"scopes\":[\"read\",\"approve\",\"run\",\"admin\"]},"
                        + "{\"id\":\"k1\",\"label\":\"a\\u001b[2J\",\"keyPrefix\":\"ash_secr\",\"createdAt\":\"t1\",\"scopes\":[\"read\",\"run\"],\"expiresAt\":\"t2\",\"lastUsedAt\":\"t3\"}]}");
        server.on(
                "GET /api/tenants",
                "{\"tenants\":[{\"id\":\"acme\",\"createdAt\":\"t1\",\"apiKeys\":2}]}");
        server.on(
                "POST /api/tenants",
                201,
                "{\"tenant\":{\"id\":\"acme\",\"createdAt\":\"t1\",\"apiKeys\":1},\"apiKey\":"
                        + CREATED
                        + "}");
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Result run(String... args) {
        return new Ash(root).server(server).run(args);
    }

    @Test
    void printsOnlyTheKeyToStandardOutput() {
        var result = run("keys", "create", "--label", "ci", "--scope", "run,read");

        assertThat(result.out()).isEqualTo("ash_secret\n");
        assertThat(result.err()).contains("cannot be displayed later", "ash keys revoke k1");
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/api-keys {\"label\":\"ci\",\"scopes\":[\"run\",\"read\"]}");
        assertThat(run("keys", "create", "--json").out())
                .startsWith("{\"apiKey\":{\"id\":\"k1\",\"key\":")
                .contains("},\"id\":\"k1\",\"key\":");
        assertThat(server.lines()).endsWith("POST /api/api-keys {}");
    }

    @Test
    void createsKeyForExistingTenant() {
        assertThat(run("keys", "create", "--tenant", "acme").out()).isEqualTo("ash_secret\n");
        assertThat(server.lines())
                .containsExactly(
                        "GET /api/tenants", "POST /api/internal/api-keys {\"tenantId\":\"acme\"}");

        var missing = run("keys", "create", "--tenant", "acne");
        assertThat(missing.exitCode()).isEqualTo(4);
        assertThat(missing.err()).contains("Tenant \"acne\" does not exist", "ash tenants create");
    }

    @Test
    void listsAndRevokesKeys() {
        assertThat(run("keys", "list").out())
                .isEqualTo(
                        """
                        ID   LABEL        KEY        SCOPES                  EXPIRES  LAST USED
                        env  ASH_API_KEY  …          read,approve,run,admin  never    never
                        k1   a�[2J        ash_secr…  read,run                t2       t3
                        """);
        assertThat(run("keys", "list", "--json").out()).startsWith("{\"keys\":[{\"id\":\"env\"");
        assertThat(run("keys", "revoke", "k1").out()).isEqualTo("Revoked k1\n");
        assertThat(server.lines()).endsWith("DELETE /api/api-keys/k1");
    }

    @Test
    void createsAndListsTenants() {
        assertThat(run("tenants", "create", "acme").out()).isEqualTo("ash_secret\n");
        assertThat(server.lines()).endsWith("POST /api/tenants {\"tenantId\":\"acme\"}");
        assertThat(run("tenants", "list").out())
                .isEqualTo("TENANT  KEYS  CREATED\nacme    2     t1\n");
        assertThat(run("tenants", "list", "--json").out()).startsWith("{\"tenants\":[");
        assertThat(run("keys", "create", "--help").out()).contains("--expires", "--scope");
    }

    @Test
    void readsPeriodsAndTimes() {
        var now = Instant.parse("2030-01-01T00:00:00.123Z");

        assertThat(Expiry.parse("30m", now)).isEqualTo("2030-01-01T00:30:00Z");
        assertThat(Expiry.parse("12h", now)).isEqualTo("2030-01-01T12:00:00Z");
        assertThat(Expiry.parse("30d", now)).isEqualTo("2030-01-31T00:00:00Z");
        assertThat(Expiry.parse("2031-05-01T12:00:00Z", now)).isEqualTo("2031-05-01T12:00:00Z");
        for (var invalid : new String[] {"", "0d", "30", "-1d", "30y", "9999999d", "soon"}) {
            assertThatThrownBy(() -> Expiry.parse(invalid, now))
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("30d");
        }
    }
}
