package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GuardTest {
    private static final Identity CALLER = new ApiKeyIdentity(TenantId.DEFAULT, "k", Scope.ALL);
    private static final Authenticator KEYS =
            key -> key.equals("right") ? Optional.of(CALLER) : Optional.empty();

    @Test
    void whoGuessesIsStoppedAndARightKeyFromTheSameAddressIsNot() {
        var guard = new Guard(new Bearer(KEYS), 0);
        for (int i = 0; i < Guard.WRONG_KEYS_PER_MINUTE; i++) {
            refused(guard, "Bearer wrong", "1.2.3.4", ErrorCode.UNAUTHORIZED);
        }

        refused(guard, "Bearer wrong", "1.2.3.4", ErrorCode.RATE_LIMITED);
        refused(guard, "Bearer wrong", "1.2.3.5", ErrorCode.UNAUTHORIZED);
        assertThat(guard.caller("Bearer right", "1.2.3.4")).isEqualTo(CALLER);
    }

    @Test
    void aKeyMayAskSoOften() {
        var guard = new Guard(new Bearer(KEYS), 2);
        guard.caller("Bearer right", "a");
        guard.caller("Bearer right", "b");

        refused(guard, "Bearer right", "c", ErrorCode.RATE_LIMITED);
    }

    private static void refused(Guard guard, String header, String address, ErrorCode code) {
        assertThatThrownBy(() -> guard.caller(header, address))
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
