package dev.ash.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.Scope;
import dev.ash.server.store.Database;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DevicesTest {
    private static final TenantId MINE = TenantId.DEFAULT;

    @TempDir Path directory;
    private Database database;
    private Devices devices;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        devices = new Devices(database, new SecureRandom(), new ManualClock());
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** A clock that tests advance explicitly. */
    private final class ManualClock extends Clock {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneId.of("UTC");
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @Test
    void keepsPairingTokenOfDeviceThatCannotReplaceIt() {
        var pairing = devices.pair(MINE, "phone");

        var first = devices.authenticate(pairing.token(), "ios", false).orElseThrow();
        now = now.plus(Duration.ofDays(400));
        var later = devices.authenticate(pairing.token(), "ios", false).orElseThrow();

        assertThat(first.newToken()).isNull();
        assertThat(later.device().id()).isEqualTo(pairing.device().id());
        assertThat(devices.list(MINE).getFirst().platform()).isEqualTo("ios");
    }

    @Test
    void replacesPairingTokenOfDeviceThatSupportsIt() {
        var pairing = devices.pair(MINE, "phone");

        var own = devices.authenticate(pairing.token(), "android", true).orElseThrow().newToken();

        assertThat(own).isNotNull().isNotEqualTo(pairing.token());
        assertThat(devices.authenticate(pairing.token(), null, false)).isEmpty();
        assertThat(devices.authenticate(own, null, true).orElseThrow().newToken()).isNull();
    }

    @Test
    void rejectsExpiredPairingToken() {
        var pairing = devices.pair(MINE, null);
        now = now.plus(Devices.PAIRING_TIMEOUT);
        assertThat(devices.find(pairing.token())).contains(pairing.device().identity());
        now = now.plusMillis(1);

        assertThat(devices.find(pairing.token())).isEmpty();
        assertThat(devices.authenticate(pairing.token(), null, false)).isEmpty();
    }

    @Test
    void pairsOneOfConcurrentDevicesWithSameToken() throws Exception {
        var pairing = devices.pair(MINE, null);
        var attempts = new ArrayList<Callable<Boolean>>();
        for (int i = 0; i < 16; i++) {
            attempts.add(() -> devices.authenticate(pairing.token(), null, true).isPresent());
        }

        int paired = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(attempts)) {
                paired += done.get() ? 1 : 0;
            }
        }

        assertThat(paired).isEqualTo(1);
    }

    @Test
    void rejectsRevokedDevice() {
        var pairing = devices.pair(MINE, null);
        devices.authenticate(pairing.token(), null, false).orElseThrow();

        devices.revoke(MINE, pairing.device().id());

        assertThat(devices.find(pairing.token())).isEmpty();
        assertThat(devices.authenticate(pairing.token(), null, false)).isEmpty();
        assertThat(devices.list(MINE)).isEmpty();
        assertThatThrownBy(() -> devices.revoke(MINE, pairing.device().id()))
                .hasMessage("Device not found");
    }

    @Test
    void doesNotRevokeDeviceOfAnotherTenant() {
        var pairing = devices.pair(MINE, null);

        assertThatThrownBy(() -> devices.revoke(new TenantId("other"), pairing.device().id()))
                .hasMessage("Device not found");
        assertThat(devices.authenticate(pairing.token(), null, false)).isPresent();
    }

    @Test
    void invalidatesPairingTokensButNotTokensOfPairedDevices() {
        var unpaired = devices.pair(MINE, null);
        var paired = devices.pair(MINE, null);
        devices.authenticate(paired.token(), null, false).orElseThrow();

        devices.invalidatePairingToken(unpaired.token());
        devices.invalidatePairingToken(paired.token());
        devices.invalidatePairingToken("unknown");

        assertThat(devices.authenticate(unpaired.token(), null, false)).isEmpty();
        assertThat(devices.authenticate(paired.token(), null, false)).isPresent();
    }

    @Test
    void acknowledgmentIsValidForEightHours() {
        var device = devices.pair(MINE, null).device();
        assertThat(devices.isPublicConnectionAcknowledged(device)).isFalse();

        devices.acknowledgePublicConnection(device);
        now = now.plus(Duration.ofHours(8)).minusMillis(1);
        assertThat(devices.isPublicConnectionAcknowledged(device)).isTrue();
        now = now.plusMillis(1);
        assertThat(devices.isPublicConnectionAcknowledged(device)).isFalse();
    }

    @Test
    void storesScopesOfPairing() {
        devices.pair(MINE, "all");
        devices.pair(MINE, "watch", DeviceScopes.parse(List.of("watch")), null);
        devices.pair(MINE, "approve", DeviceScopes.parse(List.of("approve")), null);
        devices.pair(MINE, "both", DeviceScopes.parse(List.of("steer", "approve")), null);

        assertThat(devices.list(MINE))
                .extracting(device -> String.join(",", DeviceScopes.names(device.scopes())))
                .containsExactlyInAnyOrder(
                        "watch,approve,steer", "watch", "watch,approve", "watch,approve,steer");
    }

    @Test
    void rejectsUnknownScopesAndListsValidOnes() {
        for (var invalid : List.of(List.<String>of(), List.of("watch", "admin"), List.of("READ"))) {
            assertThatThrownBy(() -> DeviceScopes.parse(invalid))
                    .hasMessageContaining("watch, approve, steer");
        }
        assertThat(DeviceScopes.fromColumn("watch,something-newer")).containsExactly(Scope.READ);
    }

    @Test
    void rejectsExpiredToken() {
        var expires = devices.tokenExpiry().resolve(30, null);
        var pairing = devices.pair(MINE, "phone", DeviceScopes.ALL, expires);
        devices.authenticate(pairing.token(), null, false).orElseThrow();

        now = now.plus(Duration.ofDays(30)).minusMillis(1);
        assertThat(devices.authenticate(pairing.token(), null, false)).isPresent();
        assertThat(devices.find(pairing.token())).contains(pairing.device().identity());
        now = now.plusMillis(1);
        assertThat(devices.authenticate(pairing.token(), null, false)).isEmpty();
        assertThat(devices.find(pairing.token())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0,",
        "-1,",
        "3651,",
        "2147483647,",
        ",''",
        ",tomorrow",
        ",2025-12-31T23:59:59Z",
        ",+1000000000-12-31T23:59:59Z",
        "1,2026-02-01T00:00:00Z"
    })
    void rejectsInvalidExpiry(Integer days, String instant) {
        assertThatThrownBy(() -> devices.tokenExpiry().resolve(days, instant))
                .isInstanceOf(ApiException.class);
    }

    @Test
    void writesNoTokenToDisk() throws IOException {
        var pairing = devices.pair(MINE, null);
        var own = devices.authenticate(pairing.token(), null, true).orElseThrow().newToken();
        database.close();

        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .doesNotContain(pairing.token(), own);
            }
        }
    }
}
