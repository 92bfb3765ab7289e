package dev.ash.server.egress.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests host patterns and the hosts that a policy allows. */
class EgressPolicyTest {
    @ParameterizedTest
    @CsvSource({
        "example.com,       example.com:443,      true",
        "example.com,       example.com:80,       true",
        "example.com,       EXAMPLE.COM:443,      true",
        "Example.COM,       example.com:443,      true",
        "example.com,       example.com:22,       false",
        "example.com,       www.example.com:443,  false",
        "example.com,       notexample.com:443,   false",
        "example.com,       example.com.evil:443, false",
        "example.com:8443,  example.com:8443,     true",
        "example.com:8443,  example.com:443,      false",
        "*.example.com,     www.example.com:443,  true",
        "*.example.com,     a.b.example.com:443,  true",
        "*.example.com,     example.com:443,      false",
        "*.example.com,     notexample.com:443,   false",
        "*.example.com,     evil-example.com:443, false",
        "*.example.com,     example.com.evil:443, false",
        "*.example.com:81,  www.example.com:81,   true",
        "*.example.com:81,  www.example.com:80,   false",
        "10.0.0.1,          10.0.0.1:80,          true",
        "10.0.0.1,          10.0.0.2:80,          false",
        "[fd00::1]:8080,    [fd00:0::1]:8080,     true",
        "[fd00::1]:8080,    [fd00::2]:8080,       false",
    })
    void matchesWholeLabels(String pattern, String destination, boolean allowed) {
        var policy = EgressPolicy.requesting(List.of(pattern), false);

        assertThat(policy.allows(HostAndPort.parse(destination, HostAndPort.NONE)))
                .isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*                    | network to \"open\"",
                "*.com                | at least two labels",
                "*.10.0.0.1           | at least two labels",
                "*.*.example.com      | letters, digits",
                "ex*mple.com          | letters, digits",
                "https://example.com  | no scheme",
                "example.com/path     | no scheme and no path",
                "example.com.         | dot",
                "bücher.example       | xn--",
                "user@example.com     | user information",
                "example.com:http     | port must be a number",
                "127.1                | four decimal numbers",
                "2130706433           | four decimal numbers",
                "''                   | 1 to 253",
            })
    void rejectsInvalidPatternsWithReason(String pattern, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HostPattern.parse(pattern))
                .withMessageContaining("network.allow")
                .withMessageContaining(reason)
                .withMessageContaining("expected");
    }

    @Test
    void allowsPrivateNetworksForExactOperatorPatternsOnly() {
        var patterns =
                Stream.of("intern.corp:80", "*.corp.example", "10.0.0.1")
                        .map(HostPattern::parse)
                        .toList();
        var granted = EgressPolicy.CLOSED.withOperator(patterns);
        var requested = new EgressPolicy(patterns, List.of(), false);

        assertThat(widestClass(granted, "intern.corp:80"))
                .isEqualTo(AddressRules.AddressClass.PRIVATE);
        assertThat(widestClass(granted, "intern.corp:81"))
                .isEqualTo(AddressRules.AddressClass.PUBLIC);
        assertThat(widestClass(granted, "a.corp.example:80"))
                .isEqualTo(AddressRules.AddressClass.PUBLIC);
        assertThat(widestClass(granted, "10.0.0.1:80")).isEqualTo(AddressRules.AddressClass.LOCAL);
        assertThat(widestClass(requested, "intern.corp:80"))
                .isEqualTo(AddressRules.AddressClass.PUBLIC);
        assertThat(widestClass(requested, "10.0.0.1:80"))
                .isEqualTo(AddressRules.AddressClass.PUBLIC);
        assertThat(widestClass(new EgressPolicy(List.of(), List.of(), true), "any.example:22"))
                .isEqualTo(AddressRules.AddressClass.PUBLIC);
    }

    @Test
    void allowsEveryHostIfOpenAndNoneIfClosed() {
        var anything = HostAndPort.parse("any.example:22", HostAndPort.NONE);

        assertThat(new EgressPolicy(List.of(), List.of(), true).allows(anything)).isTrue();
        assertThat(EgressPolicy.CLOSED.allows(anything)).isFalse();
    }

    @Property
    void matchesAllNamesBelowWildcard(@ForAll("names") String name) {
        var policy = EgressPolicy.requesting(List.of("*.allowed.com"), false);

        assertThat(policy.allows(HostAndPort.parse(name, 443)))
                .isEqualTo(name.endsWith(".allowed.com"));
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.of("allowed", "com", "evil", "a", "xallowed", "allowed-com", "comx")
                .list()
                .ofMinSize(1)
                .ofMaxSize(5)
                .map(labels -> labels.stream().collect(Collectors.joining(".")));
    }

    private static AddressRules.AddressClass widestClass(EgressPolicy policy, String host) {
        return policy.widestClass(HostAndPort.parse(host, HostAndPort.NONE));
    }
}
