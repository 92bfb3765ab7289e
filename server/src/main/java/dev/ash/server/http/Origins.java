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
 * Keeps web pages of other sites out. A page whose name was made to point at this server (DNS
 * rebinding) shows in {@code Host}; a page of another site shows in {@code Origin}.
 *
 * <p>A server on loopback answers to loopback names. One on another address also answers to every
 * IP address, which no page can point elsewhere, and to the names of its machine. The operator can
 * allow more names, or with {@code *} all of them.
 */
public final class Origins {
    /** In {@code ASH_ALLOWED_HOSTS}: every name. */
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

    /** What the browser of an allowed foreign page must be told; empty for everybody else. */
    public Optional<String> check(
            @Nullable String host, @Nullable String authority, @Nullable String origin) {
        if (host != null && !answersTo(host.toLowerCase(Locale.ROOT))) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "This server answers to %s only, not to \"%s\"; set ASH_ALLOWED_HOSTS to let more names pass"
                            .formatted(
                                    loopback ? "localhost" : "its addresses and its own name",
                                    shown(host)));
        }
        if (origin == null || (authority != null && isSame(origin, authority))) {
            return Optional.empty();
        }
        if (config.allowedOrigins().contains(origin)) {
            return Optional.of(origin);
        }
        throw new ApiException(
                ErrorCode.FORBIDDEN,
                "Pages of \"%s\" may not call this server; set ASH_ALLOWED_ORIGINS to let them"
                        .formatted(shown(origin)));
    }

    private boolean answersTo(String host) {
        return isLoopback(host)
                || ownNames.contains(host)
                || ownNames.contains(ANY_HOST)
                || (!loopback && ADDRESS.matcher(host).matches());
    }

    /** By its text alone. */
    public static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
    }

    /** By authority alone: behind a proxy that ends TLS, the scheme we see is not the page's. */
    private static boolean isSame(String origin, String authority) {
        try {
            var page = URI.create(origin).getRawAuthority();
            return page != null && withoutPort80(page).equals(withoutPort80(authority));
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static String withoutPort80(String authority) {
        var lower = authority.toLowerCase(Locale.ROOT);
        return lower.endsWith(":80") || lower.endsWith(":443")
                ? lower.substring(0, lower.lastIndexOf(':'))
                : lower;
    }

    private static String shown(String text) {
        return Excerpt.of(text, 100);
    }
}
