package dev.ash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsSettingsTest {
    private static final String STRONG = "0123456789abcdef01234567";

    @TempDir Path data;

    private TlsSettings read(String... pairs) {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            environment.put(pairs[i], pairs[i + 1]);
        }
        var settings = Settings.of(environment, data);
        return TlsSettings.read(
                settings,
                settings.text("ASH_HOST").orElse("127.0.0.1"),
                settings.text("ASH_API_KEY"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "[::1]", "localhost"})
    void usesPlainHttpOnLoopbackByDefault(String host) {
        assertThat(read("ASH_HOST", host).mode()).isEqualTo(TlsSettings.Mode.OFF);
        assertThat(read("ASH_HOST", host).reachable()).isFalse();
        assertThat(read("ASH_HOST", host, "ASH_TLS", "on").isOn()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, ''",
        "0.0.0.0, off",
        "::, ''",
        "[::], ''",
        "0, ''",
        "192.0.2.1, ''",
        "::ffff:192.0.2.1, ''",
        "fe80::1, off"
    })
    void rejectsReachableAddressWithoutTls(String host, String tls) {
        assertThatThrownBy(() -> read("ASH_HOST", host, "ASH_TLS", tls))
                .isInstanceOf(ApiException.class)
                .hasMessageContainingAll(
                        host, "ASH_TLS=on", "ASH_TLS=proxy", "ASH_INSECURE_HTTP=1");
    }

    @Test
    void acceptsReachableAddressWithTlsProxyOrExplicitPermission() {
        assertThat(read("ASH_HOST", "0.0.0.0", "ASH_TLS", "on").isOn()).isTrue();
        assertThat(read("ASH_HOST", "0.0.0.0", "ASH_TLS", "proxy").mode())
                .isEqualTo(TlsSettings.Mode.PROXY);
        assertThat(read("ASH_HOST", "0.0.0.0", "ASH_INSECURE_HTTP", "1").mode())
                .isEqualTo(TlsSettings.Mode.OFF);
        assertThatThrownBy(() -> read("ASH_HOST", "0.0.0.0", "ASH_INSECURE_HTTP", "0"))
                .hasMessageContaining("ASH_TLS=on");
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "ON", "true", "1", "tls"})
    void rejectsUnknownMode(String mode) {
        assertThatThrownBy(() -> read("ASH_TLS", mode))
                .hasMessageContainingAll("ASH_TLS", mode, "on, off or proxy");
    }

    @Test
    void rejectsUnresolvableHost() {
        assertThatThrownBy(() -> read("ASH_HOST", "nowhere.invalid"))
                .hasMessageContaining("nowhere.invalid");
    }

    @Test
    void requiresKeyAndTlsForCertificate() {
        assertThatThrownBy(() -> read("ASH_TLS", "on", "ASH_TLS_CERT", "/c"))
                .hasMessageContaining("ASH_TLS_CERT and ASH_TLS_KEY must be set together");
        assertThatThrownBy(() -> read("ASH_TLS_CERT", "/c", "ASH_TLS_KEY", "/k"))
                .hasMessageContaining("set ASH_TLS=on");
        assertThat(read("ASH_TLS", "on", "ASH_TLS_CERT", "/c", "ASH_TLS_KEY", "/k").files())
                .isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"hunter2", "0123456789abcdef0123456", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
    void rejectsWeakApiKeyOnReachableAddress(String key) {
        for (var mode : new String[] {"on", "proxy"}) {
            assertThatThrownBy(
                            () -> read("ASH_HOST", "0.0.0.0", "ASH_TLS", mode, "ASH_API_KEY", key))
                    .hasMessageContainingAll("ASH_API_KEY", "24 characters", "openssl rand")
                    .hasMessageNotContaining(key);
        }
        assertThat(read("ASH_API_KEY", key).reachable()).isFalse(); // only warns on loopback
        assertThat(TlsSettings.isWeak(key)).isTrue();
    }

    @Test
    void acceptsStrongApiKey() {
        assertThat(read("ASH_HOST", "0.0.0.0", "ASH_TLS", "on", "ASH_API_KEY", STRONG).reachable())
                .isTrue();
    }
}
