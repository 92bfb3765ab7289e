package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.ash.server.gateway.DeviceMessageType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two tenants, every place where a client can name something, and something of the other tenant
 * named there: the answer is the one for an id of nobody, and no row and no file changes. Each
 * request succeeds for its owner in the same run, so none is refused for another reason.
 */
class TenantMatrixTest {
    /** Places where nothing of another tenant can be named, and why. */
    private static final Map<String, String> EXEMPT =
            Map.ofEntries(
                    Map.entry("GET /health", "open to all, and takes nothing"),
                    Map.entry("GET /metrics", "takes nothing; counts of the whole server"),
                    Map.entry("POST /api/credentials", "makes one, and names nothing"),
                    Map.entry("POST /api/api-keys", "makes one, and names nothing"),
                    Map.entry("GET /api/tenants", "for the operator's tenant only: KeysTest"),
                    Map.entry("POST /api/tenants", "for the operator's tenant only: KeysTest"),
                    Map.entry("POST /api/tenants#tenantId", "the name of a new tenant"),
                    Map.entry("POST /api/internal/api-keys", "as POST /api/tenants"),
                    Map.entry("POST /api/internal/api-keys#tenantId", "the operator names any"),
                    Map.entry("POST /api/devices", "makes one, and names nothing"),
                    Map.entry("POST /api/devices#name", "a label, which need not be unique"),
                    Map.entry("GET /api/secrets", "for the tenant default only: SecretsTest"),
                    Map.entry("POST /api/secrets/rotate", "for the tenant default only"),
                    Map.entry("DELETE /api/secrets/previous", "for the tenant default only"),
                    Map.entry("GET /api/gateway", "for the tenant default only"),
                    Map.entry("PATCH /api/gateway", "for the tenant default only"),
                    Map.entry("POST /api/mailboxes#peers", "names within the caller's mailbox"),
                    Map.entry("POST /api/pairs/{id}/messages#to", "a peer of the caller's pair"));

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .gateway()
                    .with(
                            "ASH_PROJECT_ROOTS",
                            folder -> folder.path().resolve("projects").toString())
                    .with("ASH_PAIR_DIR", folder -> folder.path().resolve("agentpair").toString());

    private static Tenant first;
    private static Tenant second;
    private static TenantFrames frames;
    private static Snapshot last; // null: something was made, and may still be at work
    private static final List<TenantProbe> probes = new ArrayList<>();

    @BeforeAll
    static void makeOneOfEverythingForBoth() {

        first = Tenant.first(ash.server());
        second = Tenant.second(ash.server());
        var pairs = new TenantPairs(first, second);
        frames = new TenantFrames(first, second, pairs);
        probes.addAll(TenantRoutes.of(first, second));
        probes.addAll(TenantRoutes.of(second, first));
        probes.addAll(pairs.probes());
        probes.addAll(frames.probes());
        probes.addAll(pairs.last());
        probes.addAll(TenantRoutes.last(first, second));
        probes.addAll(TenantRoutes.last(second, first));
    }

    @AfterAll
    static void stop() throws Exception {
        for (var each :
                Stream.of(frames, first, second, ash.server()).filter(Objects::nonNull).toList()) {
            each.close();
        }
    }

    @Test
    void everyPlaceThatCanNameSomethingIsTriedOrHasAReasonNotToBe() {
        var routes = Routes.of(ash.server());
        var tried = new TreeSet<>(EXEMPT.keySet());
        for (var probe : probes) {
            tried.add(probe.place());
            tried.add(probe.place().replaceFirst("#.*", "")); // the endpoint of a field
        }

        assertThat(routes.all()).allSatisfy(place -> assertThat(tried).contains(place));
        assertThat(EXEMPT.keySet())
                .as("exemptions of what is not there")
                .allSatisfy(place -> assertThat(routes.all()).contains(place));
    }

    @Test
    void everyFrameOfADeviceIsTried() {
        assertThat(probes)
                .map(TenantProbe::place)
                .containsAll(
                        DeviceMessageType.requests().stream()
                                .map(type -> "frame " + type)
                                .toList());
    }

    @TestFactory
    Stream<DynamicTest> whatIsForeignLooksLikeWhatIsNotThereAndWorksForItsOwner() {
        return Stream.concat(
                probes.stream().map(p -> dynamicTest("foreign: " + p.place(), () -> tryForeign(p))),
                probes.stream().map(p -> dynamicTest("owner: " + p.place(), p::asOwner)));
    }

    private static void tryForeign(TenantProbe probe) {
        if (probe.prepare()) {
            last = null;
        }
        var before = last == null ? Snapshot.settled(ash.server()) : last;
        probe.asForeigner();
        last = Snapshot.of(ash.server());
        if (probe.creates()) {
            before.assertKept(last);
            last = null;
        } else {
            before.assertUnchanged(last);
        }
    }
}
