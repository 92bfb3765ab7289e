package dev.ash.server.egress.model;

import dev.ash.server.egress.policy.HostAndPort;
import java.net.URI;

/** The URL of a model API and its credential. */
public record ModelAccess(URI baseUrl, ModelCredential credential) {
    public ModelAccess {
        HostAndPort.parse(authority(baseUrl), HostAndPort.NONE);
        if (baseUrl.getRawQuery() != null || baseUrl.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "the model API's base URL must have no query and no fragment");
        }
    }

    private static String authority(URI url) {
        var scheme = url.getScheme();
        var authority = url.getRawAuthority();
        if (authority == null || !("http".equals(scheme) || "https".equals(scheme))) {
            throw new IllegalArgumentException(
                    "the model API's base URL must be an http or https URL with a host");
        }
        return authority;
    }

    boolean usesTls() {
        return "https".equals(baseUrl.getScheme());
    }

    HostAndPort host() {
        return HostAndPort.parse(authority(baseUrl), usesTls() ? 443 : 80);
    }

    /** Returns the value of the {@code Host} header. */
    String hostHeader() {
        return authority(baseUrl);
    }

    String target(String pathAndQuery) {
        var prefix = baseUrl.getRawPath() == null ? "" : baseUrl.getRawPath();
        return (prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix)
                + pathAndQuery;
    }
}
