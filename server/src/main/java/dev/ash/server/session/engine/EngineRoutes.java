package dev.ash.server.session.engine;

import dev.ash.protocol.engine.EngineCapability;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.rest.EngineApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.identity.Scope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/engines}. */
public final class EngineRoutes {
    private final Engines engines;

    public EngineRoutes(Engines engines) {
        this.engines = engines;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/api/engines")
                        .summary("List engines: what they can do, and which can run here")
                        .returns(200, EngineApi.Engines.class)
                        .handledBy(this::list));
    }

    private void list(Exchange exchange) {
        boolean showsPaths = exchange.caller().has(Scope.ADMIN);
        var all = engines.table().all().stream().map(engine -> toApi(engine, showsPaths)).toList();
        exchange.respond(200, new EngineApi.Engines(all, engines.chooseDefault().value()));
    }

    private EngineApi.Engine toApi(EngineProfile engine, boolean showsPath) {
        var installed = engines.program(engine);
        return new EngineApi.Engine(
                engine.name().value(),
                engine.publicName(),
                engine.aliases(),
                engine.product(),
                engine.driver().wire(),
                engine.provider().wire(),
                engine.capabilities().stream().sorted().map(EngineCapability::wire).toList(),
                engines.hasProgram(engine),
                orNull(installed.map(InstalledProgram::version).orElse("")),
                orNull(engine.program().map(Program::version).orElse("")),
                engines.hasCredential(engine),
                engines.missingRequirement(engine, false).orElse(null),
                orNull(engine.installCommand()),
                showsPath ? installed.map(found -> found.path().toString()).orElse(null) : null);
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
