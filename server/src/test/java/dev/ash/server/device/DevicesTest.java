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

    @TempDir Path folder;
    private Database database;
    private Devices devices;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @BeforeEach
    void open() {
        database = Database.open(folder.resolve("ash.db"));
        devices = new Devices(database, new SecureRandom(), new Hands());
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** A clock that stands until it is moved. */
    private final class Hands extends Clock {
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
    void theTokenThatWasShownStaysTheDevicesOwnWhereItCannotKeepAnother() {
        var pairing = devices.pair(MINE, "phone");

        var first = devices.enter(pairing.token(), "ios", false).orElseThrow();
        now = now.plus(Duration.ofDays(400));
        var later = devices.enter(pairing.token(), "ios", false).orElseThrow();

        assertThat(first.newToken()).isNull();
        assertThat(later.device().id()).isEqualTo(pairing.device().id());
        assertThat(devices.list(MINE).getFirst().platform()).isEqualTo("ios");
    }

    @Test
    void aDeviceThatCanKeepAnotherGetsOneAndTheShownOneIsSpent() {
        var pairing = devices.pair(MINE, "phone");

        var own = devices.enter(pairing.token(), "android", true).orElseThrow().newToken();

        assertThat(own).isNotNull().isNotEqualTo(pairing.token());
        assertThat(devices.enter(pairing.token(), null, false)).isEmpty();
        assertThat(devices.enter(own, null, true).orElseThrow().newToken()).isNull();
    }

    @Test
    void aPairingTokenEndsUnused() {
        var pairing = devices.pair(MINE, null);
        now = now.plus(Devices.PAIRING);
        assertThat(devices.find(pairing.token())).contains(pairing.device().identity());
        now = now.plusMillis(1);

        assertThat(devices.find(pairing.token())).isEmpty();
        assertThat(devices.enter(pairing.token(), null, false)).isEmpty();
    }

    @Test
    void onlyOneOfManyIsPairedByAToken() throws Exception {
        var pairing = devices.pair(MINE, null);
        var entries = new ArrayList<Callable<Boolean>>();
        for (int i = 0; i < 16; i++) {
            entries.add(() -> devices.enter(pairing.token(), null, true).isPresent());
        }

        int entered = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(entries)) {
                entered += done.get() ? 1 : 0;
            }
        }

        assertThat(entered).isEqualTo(1);
    }

    @Test
    void aRevokedDeviceNeverEntersAgain() {
        var pairing = devices.pair(MINE, null);
        devices.enter(pairing.token(), null, false).orElseThrow();

        devices.revoke(MINE, pairing.device().id());

        assertThat(devices.find(pairing.token())).isEmpty();
        assertThat(devices.enter(pairing.token(), null, false)).isEmpty();
        assertThat(devices.list(MINE)).isEmpty();
        assertThatThrownBy(() -> devices.revoke(MINE, pairing.device().id()))
                .hasMessage("Device not found");
    }

    @Test
    void nobodyRevokesTheDeviceOfAnother() {
        var pairing = devices.pair(MINE, null);

        assertThatThrownBy(() -> devices.revoke(new TenantId("other"), pairing.device().id()))
                .hasMessage("Device not found");
        assertThat(devices.enter(pairing.token(), null, false)).isPresent();
    }

    @Test
    void aPairingTokenThatWasSeenIsBurntAndADevicesOwnIsNot() {
        var shown = devices.pair(MINE, null);
        var paired = devices.pair(MINE, null);
        devices.enter(paired.token(), null, false).orElseThrow();

        devices.burn(shown.token());
        devices.burn(paired.token());
        devices.burn("unknown");

        assertThat(devices.enter(shown.token(), null, false)).isEmpty();
        assertThat(devices.enter(paired.token(), null, false)).isPresent();
    }

    @Test
    void anAcknowledgementLastsEightHours() {
        var device = devices.pair(MINE, null).device();
        assertThat(devices.isAcknowledged(device)).isFalse();

        devices.acknowledge(device);
        now = now.plus(Duration.ofHours(8)).minusMillis(1);
        assertThat(devices.isAcknowledged(device)).isTrue();
        now = now.plusMillis(1);
        assertThat(devices.isAcknowledged(device)).isFalse();
    }

    @Test
    void aDeviceHasTheScopesThatItWasPairedWith() {
        devices.pair(MINE, "all");
        devices.pair(MINE, "watch", DeviceScopes.chosen(List.of("watch")), null);
        devices.pair(MINE, "approve", DeviceScopes.chosen(List.of("approve")), null);
        devices.pair(MINE, "both", DeviceScopes.chosen(List.of("steer", "approve")), null);

        assertThat(devices.list(MINE))
                .extracting(device -> String.join(",", DeviceScopes.names(device.scopes())))
                .containsExactlyInAnyOrder(
                        "watch,approve,steer", "watch", "watch,approve", "watch,approve,steer");
    }

    @Test
    void scopesThatNobodyKnowsAreRefusedWithTheOnesThatThereAre() {
        for (var wrong : List.of(List.<String>of(), List.of("watch", "admin"), List.of("READ"))) {
            assertThatThrownBy(() -> DeviceScopes.chosen(wrong))
                    .hasMessageContaining("watch, approve, steer");
        }
        assertThat(DeviceScopes.ofColumn("watch,something-newer")).containsExactly(Scope.READ);
    }

    @Test
    void aTokenThatHasExpiredLetsNobodyIn() {
        var expires = devices.expiry().of(30, null);
        var pairing = devices.pair(MINE, "phone", DeviceScopes.ALL, expires);
        devices.enter(pairing.token(), null, false).orElseThrow();

        now = now.plus(Duration.ofDays(30)).minusMillis(1);
        assertThat(devices.enter(pairing.token(), null, false)).isPresent();
        assertThat(devices.find(pairing.token())).contains(pairing.device().identity());
        now = now.plusMillis(1);
        assertThat(devices.enter(pairing.token(), null, false)).isEmpty();
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
    void anExpiryThatMakesNoSenseIsRefused(Integer days, String instant) {
        assertThatThrownBy(() -> devices.expiry().of(days, instant))
                .isInstanceOf(ApiException.class);
    }

    @Test
    void noTokenIsOnDisk() throws IOException {
        var pairing = devices.pair(MINE, null);
        var own = devices.enter(pairing.token(), null, true).orElseThrow().newToken();
        database.close();

        try (var files = Files.list(folder)) {
            for (var file : files.toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .doesNotContain(pairing.token(), own);
            }
        }
    }
}
