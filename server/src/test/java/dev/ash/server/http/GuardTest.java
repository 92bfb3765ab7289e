package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.DeviceIdentity;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GuardTest {
    private static final Identity CALLER = new ApiKeyIdentity(TenantId.DEFAULT, "k", Scope.ALL);
    private static final Identity DEVICE = new DeviceIdentity(TenantId.DEFAULT, "d", Scope.ALL);
    private static final Map<String, Identity> CALLERS =
            Map.of("right", CALLER, "a-device", DEVICE);
    private static final Authenticator KEYS =
            TestIdentities.authenticator(key -> Optional.ofNullable(CALLERS.get(key)));

    @Test
    void limitsInvalidKeysByAddressButAcceptsValidKeys() {
        var guard = new Guard(new BearerAuthentication(KEYS), 0);
        for (int i = 0; i < Guard.INVALID_KEYS_PER_MINUTE; i++) {
            assertRejected(guard, "Bearer wrong", "1.2.3.4", ErrorCode.UNAUTHORIZED);
        }

        assertRejected(guard, "Bearer wrong", "1.2.3.4", ErrorCode.RATE_LIMITED);
        assertRejected(guard, "Bearer wrong", "1.2.3.5", ErrorCode.UNAUTHORIZED);
        assertThat(guard.authenticate("Bearer right", "1.2.3.4")).isEqualTo(CALLER);
    }

    @Test
    void limitsRequestsPerKey() {
        var guard = new Guard(new BearerAuthentication(KEYS), 2);
        guard.authenticate("Bearer right", "a");
        guard.authenticate("Bearer right", "b");

        assertRejected(guard, "Bearer right", "c", ErrorCode.RATE_LIMITED);
    }

    @Test
    void rejectsDeviceTokensAndCountsThemAsInvalidKeys() {
        var guard = new Guard(new BearerAuthentication(KEYS), 0);
        for (int i = 0; i < Guard.INVALID_KEYS_PER_MINUTE; i++) {
            assertThatThrownBy(() -> guard.authenticate("Bearer a-device", "1.2.3.4"))
                    .hasMessageContainingAll("device token", "gateway", "needs an API key");
        }

        assertRejected(guard, "Bearer a-device", "1.2.3.4", ErrorCode.RATE_LIMITED);
    }

    private static void assertRejected(Guard guard, String header, String address, ErrorCode code) {
        assertThatThrownBy(() -> guard.authenticate(header, address))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
