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
 * Checks tenant isolation: at every location where a client can reference an object, one tenant
 * references an object of the other. The response must equal the one for an unknown id, and no row
 * or file may change. Each request succeeds for the owner in the same run, so it is not rejected
 * for another reason.
 */
class TenantMatrixTest {
    /** Locations where objects of other tenants cannot be referenced, with the reason. */
    private static final Map<String, String> EXEMPT =
            Map.ofEntries(
                    Map.entry("GET /health", "public, without parameters"),
                    Map.entry("GET /metrics", "no parameters; metrics of the whole server"),
                    Map.entry("GET /api/engines", "no parameters; engines of the whole server"),
                    Map.entry("POST /api/credentials", "creates an object and references none"),
                    Map.entry("POST /api/api-keys", "creates an object and references none"),
                    Map.entry("GET /api/tenants", "operator's tenant only: KeysTest"),
                    Map.entry("POST /api/tenants", "operator's tenant only: KeysTest"),
                    Map.entry("POST /api/tenants#tenantId", "the name of a new tenant"),
                    Map.entry("POST /api/internal/api-keys", "as POST /api/tenants"),
                    Map.entry(
                            "POST /api/internal/api-keys#tenantId",
                            "the operator may reference any tenant"),
                    Map.entry("POST /api/devices", "creates an object and references none"),
                    Map.entry("POST /api/devices#name", "a label, which need not be unique"),
                    Map.entry("GET /api/secrets", "tenant default only: SecretsTest"),
                    Map.entry("POST /api/secrets/rotate", "tenant default only"),
                    Map.entry("DELETE /api/secrets/previous", "tenant default only"),
                    Map.entry("GET /api/gateway", "tenant default only"),
                    Map.entry("PATCH /api/gateway", "tenant default only"),
                    Map.entry("POST /api/mailboxes#peers", "names within the caller's mailbox"),
                    Map.entry("POST /api/pairs/{id}/messages#to", "a peer of the caller's pair"));

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .gateway()
                    .with(
                            "ASH_PROJECT_ROOTS",
                            directory -> directory.path().resolve("projects").toString())
                    .with(
                            "ASH_PAIR_DIR",
                            directory -> directory.path().resolve("agentpair").toString());

    private static Tenant first;
    private static Tenant second;
    private static TenantFrames frames;
    private static Snapshot last; // null: objects were created and may still change
    private static final List<TenantProbe> probes = new ArrayList<>();

    @BeforeAll
    static void createObjectsOfBothTenants() {

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
    void testsOrExemptsEveryLocation() {
        var routes = Routes.of(ash.server());
        var tested = new TreeSet<>(EXEMPT.keySet());
        for (var probe : probes) {
            tested.add(probe.location());
            tested.add(probe.location().replaceFirst("#.*", "")); // the endpoint of a field
        }

        assertThat(routes.all()).allSatisfy(location -> assertThat(tested).contains(location));
        assertThat(EXEMPT.keySet())
                .as("exemptions of missing locations")
                .allSatisfy(location -> assertThat(routes.all()).contains(location));
    }

    @Test
    void testsEveryDeviceFrame() {
        assertThat(probes)
                .map(TenantProbe::location)
                .containsAll(
                        DeviceMessageType.requests().stream()
                                .map(type -> "frame " + type)
                                .toList());
    }

    @TestFactory
    Stream<DynamicTest> foreignObjectsLookMissingAndWorkForOwner() {
        return Stream.concat(
                probes.stream()
                        .map(p -> dynamicTest("foreign: " + p.location(), () -> tryForeign(p))),
                probes.stream().map(p -> dynamicTest("owner: " + p.location(), p::asOwner)));
    }

    private static void tryForeign(TenantProbe probe) {
        if (probe.prepare()) {
            last = null;
        }
        var before = last == null ? Snapshot.settled(ash.server()) : last;
        probe.asForeigner();
        last = Snapshot.of(ash.server());
        if (probe.creates()) {
            before.assertExistingUnchanged(last);
            last = null;
        } else {
            before.assertUnchanged(last);
        }
    }
}
