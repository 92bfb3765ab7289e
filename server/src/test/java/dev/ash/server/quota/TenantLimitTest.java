package dev.ash.server.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TenantLimitTest {
    @Test
    void parsesDefaultAndExceptions() {
        var limit = TenantLimit.parse("ASH_X", "20, acme=50,small=0");

        assertThat(limit.of(TenantId.DEFAULT)).isEqualTo(20);
        assertThat(limit.of(new TenantId("acme"))).isEqualTo(50);
        assertThat(limit.of(new TenantId("small"))).isZero();
    }

    @Test
    void limitsOnlyNamedTenantsWithoutDefault() {
        var limit = TenantLimit.parse("ASH_X", "acme=5");

        assertThat(limit.of(TenantId.DEFAULT)).isEqualTo(Long.MAX_VALUE);
        assertThat(limit.of(new TenantId("acme"))).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-1",
                "many",
                "1.5",
                "99999999999",
                "20,",
                "20,acme",
                "20,acme=",
                "20,=5",
                "20,a b=5",
                "20,acme=1,acme=2",
                "acme=5,20"
            })
    void rejectsInvalidValues(String text) {
        assertThatThrownBy(() -> TenantLimit.parse("ASH_X", text))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("ASH_X")
                .hasMessageContaining("20,acme=50");
    }
}
