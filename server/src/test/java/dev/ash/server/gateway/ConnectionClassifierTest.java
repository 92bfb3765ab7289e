package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.policy.Subnet;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionClassifierTest {
    private static final ConnectionClassifier PLAIN =
            new ConnectionClassifier(List.of(), List.of(), List::of);
    private static final ConnectionClassifier PROXIED =
            new ConnectionClassifier(
                    List.of(Subnet.parse("10.9.9.9"), Subnet.parse("127.0.0.1")),
                    List.of(Subnet.parse("10.8.8.8")),
                    () -> List.of(Subnet.parse("10.66.0.0/24"), Subnet.parse("fd66::/64")));

    private static ForwardedHeaders forwarded(
            @Nullable String addresses, @Nullable String protocols) {
        return new ForwardedHeaders(parts(addresses), parts(protocols), false);
    }

    private static List<String> parts(@Nullable String header) {
        return header == null
                ? List.of()
                : Stream.of(header.split(",")).map(String::strip).toList();
    }

    private static String mode(
            ConnectionClassifier classifier, String peer, ForwardedHeaders forwarded) {
        return classifier.classify(InetAddress.ofLiteral(peer), true, forwarded).mode().wire();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,local_only",
        "127.0.0.2,local_only",
        "127.255.255.254,local_only",
        "::1,local_only",
        "::ffff:127.0.0.1,local_only",
        "126.255.255.255,direct_public",
        "128.0.0.1,direct_public",
        "::2,direct_public",
        "10.0.0.1,private_network",
        "10.255.255.255,private_network",
        "9.255.255.255,direct_public",
        "11.0.0.0,direct_public",
        "172.15.255.255,direct_public",
        "172.16.0.0,private_network",
        "172.31.255.255,private_network",
        "172.32.0.0,direct_public",
        "192.167.255.255,direct_public",
        "192.168.0.1,private_network",
        "192.168.255.255,private_network",
        "192.169.0.0,direct_public",
        "169.253.255.255,direct_public",
        "169.254.1.1,private_network",
        "169.255.0.0,direct_public",
        "::ffff:192.168.1.1,private_network",
        "fc00::1,private_network",
        "fd00::1,private_network",
        "fdff:ffff::1,private_network",
        "fbff::1,direct_public",
        "fe00::1,direct_public",
        "fe80::1,private_network",
        "febf::1,private_network",
        "fec0::1,direct_public",
        "100.63.255.255,direct_public",
        "100.64.0.0,secure_remote",
        "100.100.100.100,secure_remote",
        "100.127.255.255,secure_remote",
        "100.128.0.0,direct_public",
        "fd7a:115c:a1e0::1,secure_remote",
        "fd7a:115c:a1e0:ffff::1,secure_remote",
        "fd7a:115c:a1e1::1,private_network",
        "8.8.8.8,direct_public",
        "1.2.3.4,direct_public",
        "203.0.113.7,direct_public",
        "0.0.0.0,direct_public",
        "255.255.255.255,direct_public",
        "224.0.0.1,direct_public",
        "2606:4700::1111,direct_public",
        "2002:7f00:1::,direct_public",
        "64:ff9b::7f00:1,direct_public",
        "64:ff9b::a00:1,direct_public",
        "::127.0.0.1,direct_public",
        "::,direct_public",
        "ff02::1,direct_public"
    })
    void classifiesByAddress(String peer, String expected) {
        assertThat(mode(PLAIN, peer, ForwardedHeaders.NONE)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "10.66.0.7,secure_remote",
        "10.66.1.7,private_network",
        "fd66::9,secure_remote",
        "fd66:0:0:1::9,private_network"
    })
    void classifiesSubnetsOfVpnInterfacesAsSecureRemote(String peer, String expected) {
        assertThat(mode(PROXIED, peer, ForwardedHeaders.NONE)).isEqualTo(expected);
    }

    /** Any client can send these headers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "8.8.8.8 | 127.0.0.1 | https",
                "8.8.8.8 | 127.0.0.1 | -",
                "8.8.8.8 | - | https",
                "192.168.1.5 | 127.0.0.1 | https",
                "8.8.8.8 | 10.9.9.9 | wss",
                "8.8.8.8 | 100.64.0.1, 10.9.9.9 | https",
                "127.0.0.2 | 127.0.0.1 | https"
            })
    void rejectsForwardedHeadersOfUntrustedPeers(
            String peer, @Nullable String addresses, @Nullable String protocols) {
        assertThat(mode(PROXIED, peer, forwarded(addresses, protocols))).isEqualTo("misconfigured");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "10.9.9.9 | 8.8.8.8 | https | direct_public",
                "10.9.9.9 | 192.168.1.5 | https | private_network",
                "10.9.9.9 | 127.0.0.1, 8.8.8.8 | https | direct_public", // the client sent the
                // first
                "10.9.9.9 | 8.8.8.8, 127.0.0.1 | https | direct_public", // through two trusted
                // proxies
                "10.9.9.9 | 192.168.1.5 | http | misconfigured",
                "10.9.9.9 | 192.168.1.5 | https, http | misconfigured",
                "10.9.9.9 | localhost | https | misconfigured",
                "10.9.9.9 | unknown, 8.8.8.8 | https | direct_public",
                "10.9.9.9 | 8.8.8.8, unknown | https | misconfigured",
                "10.9.9.9 | - | https | direct_public", // the proxy reports no client
                "127.0.0.1 | - | - | direct_public",
                "127.0.0.1 | 100.64.0.9 | wss | secure_remote",
                "10.8.8.8 | 8.8.8.8 | https | secure_remote",
                "10.8.8.8 | - | https | secure_remote",
                "10.8.8.8 | 8.8.8.8 | http | misconfigured"
            })
    void usesForwardedHeadersOfTrustedProxies(
            String peer, @Nullable String addresses, @Nullable String protocols, String expected) {
        assertThat(mode(PROXIED, peer, forwarded(addresses, protocols))).isEqualTo(expected);
    }

    @Test
    void unencryptedConnectionIsMisconfiguredEvenOnLoopback() {
        var source =
                PLAIN.classify(InetAddress.ofLiteral("127.0.0.1"), false, ForwardedHeaders.NONE);

        assertThat(source.mode()).isEqualTo(ConnectionMode.MISCONFIGURED);
        assertThat(source.encrypted()).isFalse();
    }

    @Property(tries = 1000)
    void noHeaderImprovesModeOfPublicPeer(
            @ForAll List<String> addresses, @ForAll @Size(max = 3) List<String> protocols) {
        var source =
                PROXIED.classify(
                        InetAddress.ofLiteral("8.8.8.8"),
                        true,
                        new ForwardedHeaders(addresses, protocols, false));

        assertThat(source.mode()).isIn(ConnectionMode.DIRECT_PUBLIC, ConnectionMode.MISCONFIGURED);
    }
}
