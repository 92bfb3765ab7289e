package dev.ash.server;

import dev.ash.protocol.Limits;
import dev.ash.server.http.HttpConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of the REST listener: its address, TLS, accepted hosts and origins, rate limit.
 *
 * @param apiKey an API key that is valid in addition to the stored ones
 * @param requestsPerMinute the rate limit of one API key; 0 for none
 */
record RestSettings(
        String host,
        int port,
        TlsSettings tls,
        Optional<String> apiKey,
        Set<String> allowedHosts,
        Set<String> allowedOrigins,
        int requestsPerMinute) {

    static RestSettings read(Settings settings) {
        var host = settings.text("ASH_HOST").orElse("127.0.0.1");
        var apiKey = settings.text("ASH_API_KEY");
        return new RestSettings(
                host,
                settings.number("ASH_PORT", Limits.DEFAULT_PORT, 0, 65535),
                TlsSettings.read(settings, host, apiKey),
                apiKey,
                settings.list("ASH_ALLOWED_HOSTS"),
                settings.list("ASH_ALLOWED_ORIGINS", "ALLOWED_ORIGINS"),
                settings.number("ASH_RATE_LIMIT_PER_MINUTE", 12_000, 0, Integer.MAX_VALUE));
    }

    HttpConfig http() {
        return new HttpConfig(
                host,
                port,
                Limits.STALLED_READER_TIMEOUT,
                Duration.ofSeconds(5),
                allowedHosts,
                allowedOrigins,
                requestsPerMinute);
    }
}
