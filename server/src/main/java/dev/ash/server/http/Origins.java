package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Excerpt;
import java.net.URI;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests of web pages of other sites. The {@code Host} header reveals DNS rebinding; the
 * {@code Origin} header reveals pages of other sites.
 *
 * <p>A server on loopback accepts loopback names as {@code Host}. A server on another address also
 * accepts all IP addresses, which cannot be rebound, and the names of its machine. The operator can
 * allow more names, or all with {@code *}.
 */
public final class Origins {
    /** Allows all names in {@code ASH_ALLOWED_HOSTS}. */
    public static final String ANY_HOST = "*";

    private static final Pattern LOOPBACK =
            Pattern.compile("localhost\\.?|127(\\.\\d{1,3}){3}|\\[?::1]?");
    private static final Pattern ADDRESS =
            Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-f:.]+]");

    private final HttpConfig config;
    private final boolean loopback;
    private final Set<String> ownNames = new HashSet<>();

    public Origins(HttpConfig config) {
        this.config = config;
        this.loopback = isLoopback(config.host());
        config.allowedHosts().forEach(host -> ownNames.add(host.toLowerCase(Locale.ROOT)));
        if (!loopback) {
            ownNames.add(config.host().toLowerCase(Locale.ROOT));
            ownNames.addAll(MachineNames.all());
        }
    }

    /** Returns the allowed cross-origin page for CORS headers; empty for same-origin requests. */
    public Optional<String> check(
            @Nullable String host, @Nullable String authority, @Nullable String origin) {
        if (host != null && !acceptsHost(host.toLowerCase(Locale.ROOT))) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "Host \"%s\" is not allowed: this server accepts %s only; add the name to ASH_ALLOWED_HOSTS"
                            .formatted(
                                    shorten(host),
                                    loopback ? "localhost" : "its addresses and its own name"));
        }
        if (origin == null || (authority != null && isSame(origin, authority))) {
            return Optional.empty();
        }
        if (config.allowedOrigins().contains(origin)) {
            return Optional.of(origin);
        }
        throw new ApiException(
                ErrorCode.FORBIDDEN,
                "Origin \"%s\" is not allowed; add it to ASH_ALLOWED_ORIGINS"
                        .formatted(shorten(origin)));
    }

    private boolean acceptsHost(String host) {
        return isLoopback(host)
                || ownNames.contains(host)
                || ownNames.contains(ANY_HOST)
                || (!loopback && ADDRESS.matcher(host).matches());
    }

    /** Checks only the text, without name resolution. */
    public static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
    }

    /** Compares only the authority: behind a TLS-terminating proxy the schemes differ. */
    private static boolean isSame(String origin, String authority) {
        try {
            var page = URI.create(origin).getRawAuthority();
            return page != null && withoutDefaultPort(page).equals(withoutDefaultPort(authority));
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static String withoutDefaultPort(String authority) {
        var lower = authority.toLowerCase(Locale.ROOT);
        return lower.endsWith(":80") || lower.endsWith(":443")
                ? lower.substring(0, lower.lastIndexOf(':'))
                : lower;
    }

    private static String shorten(String text) {
        return Excerpt.of(text, 100);
    }
}
