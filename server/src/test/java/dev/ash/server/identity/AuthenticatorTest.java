package dev.ash.server.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TenantId;
import dev.ash.server.device.DeviceScopes;
import dev.ash.server.device.Devices;
import dev.ash.server.store.Database;
import dev.ash.server.tenant.ApiKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Authentication by stored API keys and device tokens. */
class AuthenticatorTest {
    /** A configured API key with the format of a device token. */
    private static final String ENVIRONMENT_KEY = "ash_dev_chosen-by-an-operator";

    @TempDir Path directory;
    private Database database;
    private ApiKeys keys;
    private Devices devices;
    private Authenticator authenticator;
    private volatile Instant now = Instant.parse("2026-03-20T14:32:00Z");

    private final class ManualClock extends Clock {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @BeforeEach
    void open() throws IOException {
        database = Database.open(directory.resolve("ash.db"));
        keys = keys(Optional.empty());
        devices = new Devices(database, new SecureRandom(), new ManualClock());
        authenticator = new Authenticator(keys, devices);
    }

    private ApiKeys keys(Optional<String> environmentKey) throws IOException {
        return ApiKeys.open(
                database,
                directory.resolve("initial-api-key"),
                environmentKey,
                new SecureRandom(),
                new ManualClock());
    }

    @AfterEach
    void close() {
        authenticator.close();
        keys.close();
        database.close();
    }

    private Devices.Pairing paired(Set<Scope> scopes, Long tokenExpiresAt) {
        var pairing = devices.pair(TenantId.DEFAULT, "phone", scopes, tokenExpiresAt);
        devices.authenticate(pairing.token(), null, false).orElseThrow();
        return pairing;
    }

    private Identity caller(String credential) {
        return authenticator.authenticate(credential).orElseThrow();
    }

    @Test
    void authenticatesEachKindOfCredential() throws IOException {
        var key = Files.readString(directory.resolve("initial-api-key")).strip();
        var device = paired(Set.of(Scope.READ), null);

        assertThat(caller(key))
                .isInstanceOf(ApiKeyIdentity.class)
                .returns(TenantId.DEFAULT, Identity::tenant)
                .returns(Scope.ALL, Identity::scopes);
        assertThat(caller(device.token()))
                .isEqualTo(
                        new DeviceIdentity(
                                TenantId.DEFAULT, device.device().id(), Set.of(Scope.READ)));
        for (var wrong :
                List.of("", "ash_", "ash_dev_", device.token() + "x", key + "x", "\0", "é")) {
            assertThat(authenticator.authenticate(wrong)).as(wrong).isEmpty();
        }
    }

    @Test
    void authenticationDoesNotConsumePairingToken() {
        var pairing = devices.pair(TenantId.DEFAULT, "phone");

        assertThat(caller(pairing.token())).isEqualTo(pairing.device().identity());
        assertThat(devices.list(TenantId.DEFAULT)).noneMatch(device -> device.isPaired());
        assertThat(devices.authenticate(pairing.token(), "ios", true)).isPresent();
        assertThat(authenticator.authenticate(pairing.token())).isEmpty();
    }

    @Test
    void acceptsEnvironmentKeyWithFormatOfDeviceToken() throws IOException {
        try (var others = keys(Optional.of(ENVIRONMENT_KEY));
                var other = new Authenticator(others, devices)) {
            var caller = other.authenticate(ENVIRONMENT_KEY).orElseThrow();

            assertThat(caller).isInstanceOf(ApiKeyIdentity.class);
            assertThat(other.isValid(caller)).isTrue();
        }
        assertThat(authenticator.authenticate(ENVIRONMENT_KEY)).isEmpty();
    }

    @Test
    void endsCallsWhenTokenExpiresOrIsRevokedExternally() throws Exception {
        var end = now.plusSeconds(60);
        var expiring = caller(paired(DeviceScopes.ALL, end.toEpochMilli()).token());
        var revoked = caller(paired(DeviceScopes.ALL, null).token());
        var untouched = new CompletableFuture<String>();
        var expired = new CompletableFuture<String>();
        var ended = new CompletableFuture<String>();
        try (var _ = authenticator.whileValid(expiring, expired::complete);
                var _ = authenticator.whileValid(revoked, ended::complete);
                var _ =
                        authenticator.whileValid(
                                caller(paired(DeviceScopes.ALL, null).token()),
                                untouched::complete)) {
            now = end;
            database.writer()
                    .write(
                            transaction ->
                                    transaction
                                            .handle()
                                            .execute(
                                                    "UPDATE devices SET revoked_at = 1 WHERE id = ?",
                                                    revoked.id()));

            assertThat(expired.get(20, TimeUnit.SECONDS)).contains("expired");
            assertThat(ended.get(20, TimeUnit.SECONDS)).contains("revoked");
            assertThat(authenticator.isValid(expiring)).isFalse();
            assertThat(authenticator.isValid(revoked)).isFalse();
            assertThat(untouched).isNotDone();
        }
        assertThat(devices.openCalls().callers()).isEmpty();
    }

    @Test
    void endsOtherCallsAfterFailure() {
        var calls = new OpenCalls(_ -> Set.of(), "ended");
        var ended = new HashSet<Integer>();
        IntStream.range(0, 9)
                .forEach(
                        i ->
                                calls.add(
                                        "k",
                                        _ -> {
                                            ended.add(i);
                                            throw new IllegalStateException("on purpose");
                                        }));

        calls.endInvalid();

        assertThat(ended).hasSize(9);
    }

    @Test
    void checksCallersInPages() {
        var checked = new HashSet<String>();
        var ended = new HashSet<String>();
        var calls =
                new OpenCalls(
                        ids -> {
                            assertThat(ids).hasSizeBetween(1, 500);
                            checked.addAll(ids);
                            return Set.of("7");
                        },
                        "ended");
        IntStream.range(0, 1001)
                .mapToObj(Integer::toString)
                .forEach(id -> calls.add(id, _ -> ended.add(id)));

        calls.endInvalid();

        assertThat(checked).hasSize(1001);
        assertThat(ended).hasSize(1000).doesNotContain("7");
    }
}
