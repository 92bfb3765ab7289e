package dev.ash.protocol.rest;

import dev.ash.protocol.engine.EngineCapability;
import dev.ash.protocol.engine.EngineDriver;
import dev.ash.protocol.engine.ModelProvider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Responses of {@code /api/engines}. */
public interface EngineApi {
    /**
     * An engine that the server has or could have.
     *
     * @param publicName the name that devices and pairs use
     * @param installed whether its program was found when the server started
     * @param version the version of the found program; null if unknown
     * @param testedVersion the version that Ash was tested with; null if it was not tested
     * @param hasCredential whether the server has a credential for the provider
     * @param missing why a session without a credential of its own cannot use it; null if it can
     * @param install the command that installs the program; null if there is none
     * @param path the path of the program on the server; null for callers without the scope admin
     */
    record Engine(
            String name,
            String publicName,
            List<String> aliases,
            String product,
            @FieldSchema(of = EngineDriver.class) String driver,
            @FieldSchema(of = ModelProvider.class) String provider,
            @FieldSchema(of = EngineCapability.class) List<String> capabilities,
            boolean installed,
            @Nullable String version,
            @Nullable String testedVersion,
            boolean hasCredential,
            @Nullable String missing,
            @Nullable String install,
            @Nullable String path) {}

    /** {@code defaultEngine} is the engine of sessions that request none. */
    record Engines(List<Engine> engines, String defaultEngine) {}
}
