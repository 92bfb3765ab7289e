package dev.ash.server.isolation;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.server.egress.policy.HostPattern;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides the isolation policy of a session. The client's request takes precedence over the
 * agent's, and that over the server's defaults, within the server's maximum values.
 *
 * @param limits the default limits
 * @param maxima the maximum limits
 * @param allow hosts that every session can reach; only this list permits private addresses
 * @param mayOpen whether sessions may use the network of the host
 * @param providerTools tools of the model's provider that a session or agent may request
 */
public record IsolationRules(
        ResourceLimits limits,
        ResourceLimits maxima,
        List<String> allow,
        boolean mayOpen,
        List<String> providerTools) {

    public IsolationRules {
        allow = NetworkRequest.allowing("ASH_NETWORK_ALLOW", allow).allow();
        providerTools = List.copyOf(providerTools);
    }

    public IsolationPolicy decide(IsolationRequest client, IsolationRequest agent) {
        var granted = within(client.limits().or(agent.limits()).or(limits));
        var network =
                client.network() != null
                        ? client.network()
                        : Objects.requireNonNullElse(agent.network(), NetworkRequest.CLOSED);
        if (network.open() && !mayOpen) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "network \"open\" is not permitted on this server; list the hosts in"
                            + " network.allow, or set ASH_NETWORK_MAY_OPEN=1 for the server");
        }
        boolean closed = NetworkRequest.CLOSED.equals(client.network());
        return new IsolationPolicy(
                granted,
                closed ? List.of() : requested(client.network(), agent.network()),
                network.open(),
                first(client.credentialId(), agent.credentialId()),
                positive("maxBudgetUsd", first(client.maxBudgetUsd(), agent.maxBudgetUsd())),
                positive("maxTokens", first(client.maxTokens(), agent.maxTokens())),
                false,
                providerTools(client.providerTools(), agent.providerTools()));
    }

    /**
     * The client's request takes precedence over the agent's. Tools that the server does not permit
     * are removed from an agent's request, but rejected in a client's.
     */
    private List<String> providerTools(
            @Nullable List<String> client, @Nullable List<String> agent) {
        if (client != null && !providerTools.containsAll(client)) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "network.providerTools has a tool that is not permitted on this server, which"
                            + " permits [%s]; remove it, or add it to ASH_PROVIDER_TOOLS of the server"
                                    .formatted(String.join(", ", providerTools)));
        }
        return permitted(Objects.requireNonNullElse(first(client, agent), List.of()));
    }

    /** Returns the requested tools that the server permits. */
    public List<String> permitted(List<String> requested) {
        return requested.stream().filter(providerTools::contains).toList();
    }

    private List<String> requested(@Nullable NetworkRequest... requests) {
        var patterns =
                Arrays.stream(requests)
                        .flatMap(request -> Optional.ofNullable(request).stream())
                        .flatMap(request -> request.allow().stream())
                        .distinct()
                        .toList();
        patterns.forEach(this::requirePublic);
        return patterns;
    }

    /** A name may still resolve to a private address; the egress proxy checks that. */
    private void requirePublic(String text) {
        var pattern = HostPattern.parse(text);
        if (pattern.looksPublic()
                || allow.stream().map(HostPattern::parse).anyMatch(own -> own.covers(pattern))) {
            return;
        }
        throw new ApiException(
                ErrorCode.FORBIDDEN,
                "network.allow of a session or an agent can contain only public hosts, and \"%s\" is not public; remove it, or ask the operator to add it to ASH_NETWORK_ALLOW"
                        .formatted(pattern));
    }

    private static <T> @Nullable T first(@Nullable T value, @Nullable T fallback) {
        return value == null ? fallback : value;
    }

    /** Accepts null. */
    public static <T extends Number> @Nullable T positive(String field, @Nullable T value) {
        if (value != null && !(value.doubleValue() > 0 && value.doubleValue() < 1e15)) {
            throw ApiException.invalid(field, "must be more than 0");
        }
        return value;
    }

    private ResourceLimits within(ResourceLimits requested) {
        within("memoryMb", requested.memoryMb(), 64, maxima.memoryMb(), "MEMORY_MB");
        within("cpuPercent", requested.cpuPercent(), 1, maxima.cpuPercent(), "CPU_PERCENT");
        within("pids", requested.pids(), 16, maxima.pids(), "PIDS");
        within("diskMb", requested.diskMb(), 1, maxima.diskMb(), "DISK_MB");
        return requested;
    }

    private static void within(
            String field,
            @Nullable Integer requested,
            int min,
            @Nullable Integer max,
            String name) {
        if (requested != null && (requested < min || (max != null && requested > max))) {
            throw ApiException.invalid(
                    "limits." + field,
                    "must be %,d to %,d; the operator can raise the maximum with ASH_MAX_SANDBOX_%s"
                            .formatted(min, max, name));
        }
    }
}
