package dev.ash.server.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the classification of addresses. */
class AddressRulesTest {
    private final AddressRules rules = new AddressRules(_ -> false);

    @ParameterizedTest
    @CsvSource({
        "8.8.8.8, PUBLIC",
        "1.1.1.1, PUBLIC",
        "100.63.255.255, PUBLIC",
        "100.128.0.0, PUBLIC",
        "172.15.255.255, PUBLIC",
        "172.32.0.0, PUBLIC",
        "192.167.255.255, PUBLIC",
        "169.253.255.255, PUBLIC",
        "223.255.255.255, PUBLIC",
        "2606:4700::1111, PUBLIC",
        "2a00:1450:4001::200e, PUBLIC",
        "127.0.0.1, PRIVATE",
        "127.255.255.254, PRIVATE",
        "10.0.0.0, PRIVATE",
        "10.255.255.255, PRIVATE",
        "172.16.0.1, PRIVATE",
        "172.31.255.255, PRIVATE",
        "192.168.0.1, PRIVATE",
        "100.64.0.1, PRIVATE",
        "100.127.255.255, PRIVATE",
        "198.18.0.1, PRIVATE",
        "198.19.255.255, PRIVATE",
        "::1, PRIVATE",
        "fc00::1, PRIVATE",
        "fdff::1, PRIVATE",
        "fec0::1, PRIVATE",
        "169.254.0.1, LOCAL",
        "169.254.169.254, LOCAL",
        "169.254.170.2, LOCAL",
        "100.100.100.200, LOCAL",
        "168.63.129.16, LOCAL",
        "192.0.0.192, LOCAL",
        "fd00:ec2::254, LOCAL",
        "fe80::1, LOCAL",
        "febf::1, LOCAL",
        "0.0.0.0, NEVER",
        "0.1.2.3, NEVER",
        "224.0.0.1, NEVER",
        "239.255.255.250, NEVER",
        "240.0.0.1, NEVER",
        "255.255.255.255, NEVER",
        "192.0.2.1, NEVER",
        "::, NEVER",
        "::2, NEVER",
        "::7f00:1, NEVER", // compatible with IPv4
        "::0808:0808, NEVER",
        "ff02::1, NEVER",
        "2001::1, NEVER", // Teredo
        "2001:db8::1, NEVER",
        "100::1, NEVER",
        "4000::1, NEVER",
        "64:ff9b::808:808, PUBLIC",
        "64:ff9b::7f00:1, NEVER",
        "64:ff9b::a9fe:a9fe, NEVER",
        "64:ff9b::a00:1, NEVER",
        "64:ff9b:1::808:808, NEVER",
        "2002:808:808::1, PUBLIC",
        "2002:7f00:1::1, NEVER",
        "2002:a00:1::1, NEVER",
        "2002:a9fe:a9fe::1, NEVER",
        "::ffff:0:7f00:1, NEVER",
    })
    void classifiesAddresses(String address, AddressRules.AddressClass expected) {
        assertThat(rules.classify(InetAddress.ofLiteral(address))).isEqualTo(expected);
    }

    @Test
    void neverPermitsIpv4MappedAddresses() throws UnknownHostException {
        // A resolver could return one; the JDK converts it to IPv4 only in some factory methods.
        var bytes = HexFormat.of().parseHex("00000000000000000000ffff7f000001");
        var mapped = Inet6Address.getByAddress(null, bytes, -1);

        assertThat(rules.classify(mapped)).isEqualTo(AddressRules.AddressClass.NEVER);
        assertThat(rules.permits(mapped, AddressRules.AddressClass.NEVER)).isFalse();
    }

    @Test
    void permitsClassesBeforeTheGivenOne() {
        var local = InetAddress.ofLiteral("127.0.0.1");

        assertThat(rules.permits(local, AddressRules.AddressClass.PUBLIC)).isFalse();
        assertThat(rules.permits(local, AddressRules.AddressClass.PRIVATE)).isTrue();
        assertThat(rules.permits(local, AddressRules.AddressClass.LOCAL)).isTrue();
    }

    @Test
    void classifiesPublicAddressesOfThisHostAsPrivate() {
        var own = InetAddress.ofLiteral("8.8.8.8");

        assertThat(new AddressRules(own::equals).classify(own))
                .isEqualTo(AddressRules.AddressClass.PRIVATE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"64:ff9b::808:808", "2002:808:808::1"})
    void neverPermitsThisHostThroughTranslator(String address) {
        var own = InetAddress.ofLiteral("8.8.8.8");

        assertThat(new AddressRules(own::equals).classify(InetAddress.ofLiteral(address)))
                .isEqualTo(AddressRules.AddressClass.NEVER);
    }
}
