package dev.ash.server.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the parsers of hosts and ports. */
class NetworkHostTest {
    @ParameterizedTest
    @CsvSource({
        "example.com, example.com",
        "EXAMPLE.Com, example.com",
        "localhost, localhost",
        "xn--bcher-kva.example, xn--bcher-kva.example",
        "1.2.3.4.example, 1.2.3.4.example",
        "127.0.0.1, 127.0.0.1",
        "[::1], [0:0:0:0:0:0:0:1]",
        "[FD00:EC2::254], [fd00:ec2:0:0:0:0:0:254]",
    })
    void parsesHostsToCanonicalSpelling(String text, String canonical) {
        assertThat(NetworkHost.parse(text)).hasToString(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "example.com.",
                ".example.com",
                "a..b",
                "evil.com\0.allowed.com",
                "evil.com%00.allowed.com",
                "evil.com#.allowed.com",
                "evil.com/.allowed.com",
                "evil.com\\.allowed.com",
                "evil.com?.allowed.com",
                "evil.com:80:.allowed.com",
                "user@allowed.com",
                "allowed.com ",
                "allowed.com\r\n",
                "allowed.com\t",
                "bücher.example",
                "exаmple.com", // with a Cyrillic а
                "example。com",
                "\u212A.example", // the Kelvin sign, which lower-cases to k
                "-a.com",
                "a-.com",
                "a_b.com",
                "*.example.com",
                "2130706433",
                "0x7f000001",
                "0x7f.1",
                "0X7F.0.0.1",
                "017700000001",
                "0177.0.0.1",
                "127.1",
                "127.0.1",
                "127.0.0.01",
                "127.0.0.256",
                "127.0.0.1.",
                "1.2.3.4.5",
                "example.0x10",
                "example.123",
                "::1",
                "[::1",
                "[::1]x",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[::127.0.0.1]",
                "[fe80::1%eth0]",
                "[fe80::1%25eth0]",
                "[v1.a]",
                "[]",
                "[12345::]",
                "[127.0.0.1]"
            })
    void rejectsAmbiguousHosts(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> NetworkHost.parse(text));
    }

    @Property
    void parsesCanonicalSpellingToSameHost(@ForAll String text) {
        try {
            var host = NetworkHost.parse(text);
            assertThat(NetworkHost.parse(host.toString())).isEqualTo(host);
            assertThat(host.toString()).matches("[a-z0-9.:\\[\\]-]+");
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a:0",
                "a:65536",
                "a:080",
                "a:+80",
                "a:80 ",
                "a:",
                ":80",
                "a:80:80",
                "a:８０",
                "a:80@b",
                "u:p@a:80",
                "[::1]:",
                "[::1]80",
                "a:-1",
                "a:99999999999"
            })
    void rejectsInvalidPorts(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> HostAndPort.parse(text, 80));
    }
}
