package dev.ash.server.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests parsing and matching of address ranges. */
class SubnetTest {
    @Test
    void containsFirstAndLastAddressButNotAdjacentOnes() {
        var range = Subnet.parse("172.16.0.0/12");

        assertThat(range.contains(InetAddress.ofLiteral("172.16.0.0"))).isTrue();
        assertThat(range.contains(InetAddress.ofLiteral("172.31.255.255"))).isTrue();
        assertThat(range.contains(InetAddress.ofLiteral("172.15.255.255"))).isFalse();
        assertThat(range.contains(InetAddress.ofLiteral("172.32.0.0"))).isFalse();
        assertThat(range.contains(InetAddress.ofLiteral("fd00::1"))).isFalse();
    }

    @Property(tries = 500)
    void comparesPrefixOnly(
            @ForAll @Size(4) byte[] address, @ForAll @IntRange(min = 1, max = 31) int bits)
            throws java.net.UnknownHostException {
        var range = new Subnet(InetAddress.getByAddress(address), bits);
        for (int bit = 0; bit < 32; bit++) {
            var other = address.clone();
            other[bit / 8] ^= (byte) (1 << (7 - bit % 8));
            assertThat(range.contains(other)).as("bit %d of /%d", bit, bits).isEqualTo(bit >= bits);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/8/8",
                "10.0.0/8",
                "::/129",
                "::ffff:10.0.0.0/8",
                "10.0.0.0/x",
                "example.com/8"
            })
    void rejectsInvalidRangesWithMessage(String text) {
        assertThatThrownBy(() -> Subnet.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected for example");
    }
}
