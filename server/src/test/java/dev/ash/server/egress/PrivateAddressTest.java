package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.Resolver;
import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.policy.BlockedRequest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that only the operator's patterns allow private addresses, also for stored sessions. */
class PrivateAddressTest {
    private static final String NAME = "rebound.example";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "10.1.2.3",
                "192.168.0.1",
                "100.64.0.1",
                "169.254.169.254",
                "168.63.129.16",
                "::1",
                "fe80::1",
                "fd00::1",
                "fec0::1",
                "0.0.0.0",
                "64:ff9b::7f00:1",
                "2002:7f00:1::"
            })
    void rejectsRequestedNamesThatResolveToPrivateAddresses(String address) throws IOException {
        var resolver = TestProxy.resolving(NAME, "8.8.8.8", address);
        try (var proxy = TestProxy.requesting(resolver, List.of(), List.of(NAME))) {
            for (var request : List.of(connect(NAME + ":443"), get("http://" + NAME + "/"))) {
                var response = proxy.send(request);

                assertThat(response.status()).isEqualTo(403);
                assertThat(response.reason()).contains(NAME);
            }
            assertThat(proxy.blocked).extracting(BlockedRequest::host).containsExactly(NAME, NAME);
        }
    }

    /** Earlier versions accepted and stored these patterns. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "[0:0:0:0:0:0:0:1]"})
    void rejectsPrivatePatternsOfSessionsStoredByEarlierVersions(String host) throws IOException {
        try (var upstream = TestUpstream.respondingWith("secret")) {
            var pattern = host + ":" + upstream.port();
            try (var proxy = TestProxy.requesting(Resolver.system(), List.of(), List.of(pattern))) {
                var response = proxy.get("http://" + pattern + "/");

                assertThat(response.status()).isEqualTo(403);
                assertThat(response.reason()).contains("ASH_NETWORK_ALLOW");
                assertThat(proxy.send(connect(pattern)).status()).isEqualTo(403);
                assertThat(proxy.blocked).hasSize(1); // repeated notices are merged
                assertThat(upstream.requests()).isEmpty();
            }
        }
    }

    @Test
    void allowsPrivateAddressesOfExactOperatorPatterns() throws IOException {
        var resolver = TestProxy.resolving(NAME, "127.0.0.1");
        try (var upstream = TestUpstream.respondingWith("hello")) {
            var pattern = NAME + ":" + upstream.port();
            try (var proxy = TestProxy.requesting(resolver, List.of(pattern), List.of())) {
                assertThat(proxy.get("http://" + pattern + "/").body()).isEqualTo("hello");
                assertThat(proxy.get("http://" + NAME + "/").status()).isEqualTo(403);
            }
        }
    }

    @Test
    void limitsOperatorWildcardsToPublicAddresses() throws IOException {
        var resolver = TestProxy.resolving("a.corp.example", "10.0.0.1");
        try (var proxy =
                TestProxy.requesting(
                        resolver, List.of("*.corp.example"), List.of("a.corp.example"))) {
            assertThat(proxy.get("http://a.corp.example/").reason()).contains("ASH_NETWORK_ALLOW");
        }
    }

    @Test
    void namesOperatorSettingInErrorsForPrivateHosts() throws IOException {
        try (var proxy = TestProxy.allowing()) {
            for (var host : List.of("127.0.0.1:8080", "localhost:80", "169.254.169.254:80")) {
                assertThat(proxy.send(connect(host)).reason())
                        .contains("list " + host + " in the server's setting ASH_NETWORK_ALLOW");
            }
        }
    }

    private static String connect(String host) {
        return "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    }

    private static String get(String url) {
        return "GET " + url + " HTTP/1.1\r\nHost: x\r\n\r\n";
    }
}
