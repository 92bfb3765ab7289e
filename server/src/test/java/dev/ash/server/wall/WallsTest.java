package dev.ash.server.wall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.ResourceLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WallsTest {
    private static final ResourceLimits GIVEN = new ResourceLimits(1000, 100, 100, 100);
    private static final ResourceLimits MAXIMA = new ResourceLimits(2000, 200, 200, 200);
    private static final WallWish NOTHING = limits(ResourceLimits.UNSET);

    private final Walls walls =
            new Walls(GIVEN, MAXIMA, List.of("mirror.example"), false, List.of("web_search"));

    private static WallWish limits(ResourceLimits limits) {
        return new WallWish(limits, null, null, null, null, null);
    }

    private static WallWish network(@Nullable String json) {
        return new WallWish(
                ResourceLimits.UNSET,
                json == null ? null : NetworkWish.parse("network", RawJson.of(json)),
                null,
                null,
                null,
                json == null ? null : NetworkWish.providerTools("network", RawJson.of(json)));
    }

    @Test
    void theSessionGoesBeforeTheAgentAndThatBeforeTheServer() {
        var session = limits(new ResourceLimits(1500, null, null, null));
        var agent = limits(new ResourceLimits(1200, 150, null, null));

        assertThat(walls.decide(session, agent).limits())
                .isEqualTo(new ResourceLimits(1500, 150, 100, 100));
        assertThat(walls.decide(NOTHING, NOTHING).limits()).isEqualTo(GIVEN);
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
    void nobodyGetsMoreThanTheMaximaOrLessThanWorks(
            Integer memory, Integer cpu, Integer pids, Integer disk, String field) {
        var wish = limits(new ResourceLimits(memory, cpu, pids, disk));

        assertThatThrownBy(() -> walls.decide(wish, NOTHING))
                .hasMessageContaining("limits." + field)
                .hasMessageContaining("ASH_MAX_SANDBOX_");
        assertThatThrownBy(() -> walls.decide(NOTHING, wish)).hasMessageContaining(field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "- | - | mirror.example",
                "{\"allow\":[\"a.example\"]} | - | mirror.example a.example",
                "- | {\"allow\":[\"b.example\"]} | mirror.example b.example",
                "{\"allow\":[\"a.example\"]} | {\"allow\":[\"b.example\"]} | mirror.example a.example b.example",
                "\"closed\" | {\"allow\":[\"b.example\"]} | mirror.example"
            })
    void hostsAddUpUnlessTheSessionIsToBeClosed(
            @Nullable String session, @Nullable String agent, String hosts) {
        var wall = walls.decide(network(session), network(agent));

        assertThat(String.join(" ", wall.allow())).isEqualTo(hosts);
        assertThat(wall.open()).isFalse();
    }

    @Test
    void theNetworkIsOpenOnlyWhereTheServerPermitsIt() {
        assertThatThrownBy(() -> walls.decide(network("\"open\""), NOTHING))
                .hasMessageContaining("ASH_NETWORK_MAY_OPEN");
        assertThatThrownBy(() -> walls.decide(NOTHING, network("\"open\"")))
                .hasMessageContaining("ASH_NETWORK_MAY_OPEN");
        var permitting = new Walls(GIVEN, MAXIMA, List.of(), true, List.of());
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
    void whatIsNoNetworkIsRefused(String json) {
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
    void theServerPermitsToolsOfTheProviderThatAreAskedFor(
            @Nullable String session, @Nullable String agent, String granted) {
        assertThat(walls.decide(network(session), network(agent)).providerTools())
                .isEqualTo(granted.isEmpty() ? List.of() : List.of(granted));
    }

    @Test
    void aSessionCannotAskForMoreToolsThanTheServerPermits() {
        assertThatThrownBy(
                        () ->
                                walls.decide(
                                        network("{\"providerTools\":[\"code_execution\"]}"),
                                        NOTHING))
                .hasMessageContaining("ASH_PROVIDER_TOOLS");
        assertThatThrownBy(() -> network("{\"providerTools\":[\"mcp\"]}"))
                .hasMessageContaining("web_search");
        assertThatThrownBy(() -> network("{\"providerTools\":\"web_search\"}"))
                .hasMessageContaining("network");
    }

    @Test
    void toolsOfTheProviderAloneSayNothingAboutHosts() {
        var wall =
                walls.decide(
                        network("{\"providerTools\":[]}"), network("{\"allow\":[\"a.example\"]}"));

        assertThat(wall.allow()).containsExactlyInAnyOrder("mirror.example", "a.example");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN})
    void aBudgetIsMoreThanNothing(double budget) {
        var wish = new WallWish(ResourceLimits.UNSET, null, null, budget, null, null);

        assertThatThrownBy(() -> walls.decide(wish, NOTHING)).hasMessageContaining("maxBudgetUsd");
    }
}
