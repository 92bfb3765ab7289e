package dev.ash.server.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.ResourceLimits;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IsolationRulesTest {
    private static final ResourceLimits GIVEN = new ResourceLimits(1000, 100, 100, 100);
    private static final ResourceLimits MAXIMA = new ResourceLimits(2000, 200, 200, 200);
    private static final IsolationRequest NOTHING = limits(ResourceLimits.UNSET);

    private final IsolationRules rules =
            new IsolationRules(
                    GIVEN, MAXIMA, List.of("mirror.example"), false, List.of("web_search"));

    private static IsolationRequest limits(ResourceLimits limits) {
        return new IsolationRequest(limits, null, null, null, null, null);
    }

    private static IsolationRequest network(@Nullable String json) {
        return new IsolationRequest(
                ResourceLimits.UNSET,
                json == null ? null : NetworkRequest.parse("network", RawJson.of(json)),
                null,
                null,
                null,
                json == null ? null : NetworkRequest.providerTools("network", RawJson.of(json)));
    }

    @Test
    void prefersSessionOverAgentOverServer() {
        var session = limits(new ResourceLimits(1500, null, null, null));
        var agent = limits(new ResourceLimits(1200, 150, null, null));

        assertThat(rules.decide(session, agent).limits())
                .isEqualTo(new ResourceLimits(1500, 150, 100, 100));
        assertThat(rules.decide(NOTHING, NOTHING).limits()).isEqualTo(GIVEN);
    }

    @ParameterizedTest
    @CsvSource({
        "2001,,,,memoryMb",
        "63,,,,memoryMb",
        "-1,,,,memoryMb",
        ",201,,,cpuPercent",
        ",0,,,cpuPercent",
        ",,201,,pids",
        ",,15,,pids",
        ",,,201,diskMb",
        ",,,0,diskMb"
    })
    void rejectsLimitsOutOfRange(
            Integer memory, Integer cpu, Integer pids, Integer disk, String field) {
        var request = limits(new ResourceLimits(memory, cpu, pids, disk));

        assertThatThrownBy(() -> rules.decide(request, NOTHING))
                .hasMessageContaining("limits." + field)
                .hasMessageContaining("ASH_MAX_SANDBOX_");
        assertThatThrownBy(() -> rules.decide(NOTHING, request)).hasMessageContaining(field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "- | - | ''",
                "{\"allow\":[\"a.example\"]} | - | a.example",
                "- | {\"allow\":[\"b.example\"]} | b.example",
                "{\"allow\":[\"a.example\"]} | {\"allow\":[\"b.example\"]} | a.example b.example",
                "\"closed\" | {\"allow\":[\"b.example\"]} | ''"
            })
    void combinesHostsUnlessSessionIsClosed(
            @Nullable String session, @Nullable String agent, String hosts) {
        var policy = rules.decide(network(session), network(agent));

        assertThat(String.join(" ", policy.allow())).isEqualTo(hosts);
        assertThat(policy.open()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:8080",
                "127.255.255.254",
                "10.0.0.1",
                "172.16.0.1:443",
                "192.168.1.1",
                "100.64.0.1",
                "100.100.100.200",
                "169.254.169.254:80",
                "168.63.129.16",
                "192.0.0.192",
                "198.18.0.1",
                "0.0.0.0:8080",
                "255.255.255.255",
                "[::1]:8080",
                "[0:0:0:0:0:0:0:1]",
                "[::]",
                "[fe80::1]",
                "[fc00::1]",
                "[fd00:ec2::254]",
                "[fec0::1]",
                "[::7f00:1]",
                "[64:ff9b::7f00:1]",
                "[64:ff9b::a9fe:a9fe]",
                "[2002:7f00:1::]",
                "[::ffff:0:7f00:1]",
                "localhost",
                "LOCALHOST:8080",
                "a.localhost",
                "*.sub.localhost",
                "localhost.localdomain",
                "ip6-localhost",
                "printer.local",
                "metadata.google.internal",
                "*.corp.internal",
                "router.home.arpa"
            })
    void rejectsPrivateHostsOfSessionsAndAgents(String host) {
        var request = network("{\"allow\":[\"registry.example.com\",\"%s\"]}".formatted(host));

        for (ThrowingCallable attempt :
                List.<ThrowingCallable>of(
                        () -> rules.decide(request, NOTHING),
                        () -> rules.decide(NOTHING, request),
                        () -> rules.decide(network("{\"allow\":[\"a.example\"]}"), request))) {
            assertThatThrownBy(attempt)
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
                    .hasMessageContaining("network.allow")
                    .hasMessageContaining("ASH_NETWORK_ALLOW");
        }
        assertThat(rules.decide(network("\"closed\""), request).allow()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2130706433",
                "0x7f000001",
                "0x7f.1",
                "017700000001",
                "0177.0.0.1",
                "127.1",
                "127.0.0.1.",
                "127.0.0.01",
                "localhost.",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[::127.0.0.1]",
                "[fe80::1%lo]",
                "[fe80::1%25lo]",
                "::1",
                "user@127.0.0.1",
                "127.0.0.1%00.example.com",
                "127.0.0.1#.example.com",
                "127。0。0。1",
                "①27.0.0.1"
            })
    void rejectsAlternativeNotationsOfPrivateHosts(String host) {
        assertThatThrownBy(() -> network("{\"allow\":[\"%s\"]}".formatted(host)))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED));
    }

    @Test
    void rejectsAddressesOfThisHost() throws SocketException {
        var own =
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .filter(Inet4Address.class::isInstance)
                        .map(InetAddress::getHostAddress)
                        .toList();

        assertThat(own).isNotEmpty();
        for (var address : own) {
            assertThatThrownBy(
                            () ->
                                    rules.decide(
                                            network("{\"allow\":[\"%s\"]}".formatted(address)),
                                            NOTHING))
                    .hasMessageContaining("ASH_NETWORK_ALLOW");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:8080, 127.0.0.1:8080, true",
        "127.0.0.1,      127.0.0.1:443,  true",
        "db.internal,    DB.internal,    true",
        "127.0.0.1:8080, 127.0.0.1,      false",
        "127.0.0.1:8080, 127.0.0.1:8081, false",
        "127.0.0.1,      127.0.0.1:8080, false",
        "127.0.0.1,      127.0.0.2,      false",
        "*.a.internal,   b.a.internal,   false",
        "*.a.internal,   *.a.internal,   false",
    })
    void acceptsPrivateHostsListedByOperator(String operator, String requested, boolean accepted) {
        var granting = new IsolationRules(GIVEN, MAXIMA, List.of(operator), false, List.of());
        var request = network("{\"allow\":[\"%s\"]}".formatted(requested));

        if (accepted) {
            assertThat(granting.decide(request, NOTHING).allow()).containsExactly(requested);
        } else {
            assertThatThrownBy(() -> granting.decide(request, NOTHING))
                    .hasMessageContaining("ASH_NETWORK_ALLOW");
        }
    }

    @Test
    void opensNetworkOnlyIfPermitted() {
        assertThatThrownBy(() -> rules.decide(network("\"open\""), NOTHING))
                .hasMessageContaining("ASH_NETWORK_MAY_OPEN");
        assertThatThrownBy(() -> rules.decide(NOTHING, network("\"open\"")))
                .hasMessageContaining("ASH_NETWORK_MAY_OPEN");
        var permitting = new IsolationRules(GIVEN, MAXIMA, List.of(), true, List.of());
        assertThat(permitting.decide(network("\"open\""), NOTHING).open()).isTrue();
        assertThat(permitting.decide(network("\"closed\""), network("\"open\"")).open()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "null",
                "[]",
                "{}",
                "\"half\"",
                "{\"allow\":\"a.example\"}",
                "{\"allow\":[1]}",
                "{\"allow\":[\"*\"]}",
                "{\"allow\":[\"http://a.example\"]}",
                "{\"allow\":[\"*.example\"]}",
                "{\"allow\":[\"a.example:0\"]}"
            })
    void rejectsInvalidNetworkRequests(String json) {
        assertThatThrownBy(() -> network(json)).hasMessageContaining("network");
    }

    @ParameterizedTest
    @CsvSource({
        // session, agent, granted
        ",,''",
        ",'{\"providerTools\":[\"web_search\"]}',web_search",
        ",'{\"providerTools\":[\"web_search\",\"web_fetch\"]}',web_search",
        "'{\"providerTools\":[\"web_search\"]}',,web_search",
        "'{\"providerTools\":[]}','{\"providerTools\":[\"web_search\"]}',''",
        "'\"closed\"','{\"providerTools\":[\"web_search\"]}',''",
        "'{\"allow\":[]}','{\"providerTools\":[\"web_search\"]}',web_search",
    })
    void grantsPermittedProviderTools(
            @Nullable String session, @Nullable String agent, String granted) {
        assertThat(rules.decide(network(session), network(agent)).providerTools())
                .isEqualTo(granted.isEmpty() ? List.of() : List.of(granted));
    }

    @Test
    void rejectsUnpermittedProviderToolsOfSession() {
        assertThatThrownBy(
                        () ->
                                rules.decide(
                                        network("{\"providerTools\":[\"code_execution\"]}"),
                                        NOTHING))
                .hasMessageContaining("ASH_PROVIDER_TOOLS");
        assertThatThrownBy(() -> network("{\"providerTools\":[\"mcp\"]}"))
                .hasMessageContaining("web_search");
        assertThatThrownBy(() -> network("{\"providerTools\":\"web_search\"}"))
                .hasMessageContaining("network");
    }

    @Test
    void acceptsProviderToolsWithoutHosts() {
        var policy =
                rules.decide(
                        network("{\"providerTools\":[]}"), network("{\"allow\":[\"a.example\"]}"));

        assertThat(policy.allow()).containsExactly("a.example");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN})
    void rejectsNonPositiveBudgets(double budget) {
        var request = new IsolationRequest(ResourceLimits.UNSET, null, null, budget, null, null);

        assertThatThrownBy(() -> rules.decide(request, NOTHING))
                .hasMessageContaining("maxBudgetUsd");
    }
}
