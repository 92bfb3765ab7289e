package dev.ash.server.agent;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.Limits;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.JsonList;
import dev.ash.server.http.Spool;
import dev.ash.server.identity.Scope;
import dev.ash.server.workspace.Uploads;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/** The endpoints below {@code /api/agents}. */
public final class AgentRoutes {
    private static final String AGENT = "/api/agents/{name}";

    private final Agents agents;
    private final Consumer<DeployedAgent> endSessions;

    /** {@code endSessions} ends the sessions of an agent before it is deleted. */
    public AgentRoutes(Agents agents, Consumer<DeployedAgent> endSessions) {
        this.agents = agents;
        this.endSessions = endSessions;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/api/agents")
                        .scope(Scope.ADMIN)
                        .summary("Deploy an agent, or a new version of it")
                        .accepts(AgentApi.CreateAgent.class)
                        .maxBodyBytes(Limits.MAX_UPLOAD_BODY_BYTES)
                        .returns(201, AgentApi.AgentResponse.class)
                        .handledBy(this::deploy),
                Endpoint.get("/api/agents")
                        .summary("List agents by name")
                        .returns(200, AgentApi.Agents.class)
                        .handledBy(this::list),
                Endpoint.get(AGENT)
                        .summary("Show an agent")
                        .returns(200, AgentApi.AgentResponse.class)
                        .handledBy(ex -> answer(ex, 200, agent(ex))),
                Endpoint.patch(AGENT)
                        .scope(Scope.ADMIN)
                        .summary("Change the environment or configuration of an agent")
                        .accepts(AgentApi.UpdateAgent.class)
                        .returns(200, AgentApi.AgentResponse.class)
                        .handledBy(this::update),
                Endpoint.delete(AGENT)
                        .scope(Scope.ADMIN)
                        .summary("Delete an agent and end its sessions")
                        .returns(200, AgentApi.Ok.class)
                        .handledBy(this::delete),
                Endpoint.get(AGENT + "/config")
                        .summary("Show the configuration of an agent")
                        .returns(200, AgentApi.AgentConfig.class)
                        .handledBy(
                                ex ->
                                        ex.respond(
                                                200, new AgentApi.AgentConfig(agent(ex).config()))),
                Endpoint.patch(AGENT + "/config")
                        .scope(Scope.ADMIN)
                        .summary("Merge changes into the configuration of an agent")
                        .accepts(RawJson.class)
                        .returns(200, AgentApi.AgentConfig.class)
                        .handledBy(this::configure));
    }

    private static AgentName name(Exchange exchange) {
        return new AgentName(exchange.path("name"));
    }

    private DeployedAgent agent(Exchange exchange) {
        return agents.find(exchange.caller().tenant(), name(exchange));
    }

    private static void answer(Exchange exchange, int status, DeployedAgent agent) {
        exchange.respond(status, new AgentApi.AgentResponse(agent.toApi()));
    }

    private void deploy(Exchange exchange) {
        try (var spool = new Spool()) {
            var request = exchange.body(AgentApi.CreateAgent.class, spool, Uploads.CONTENTS);
            var result = agents.deploy(exchange.caller().tenant(), request, spool);
            exchange.respond(
                    201, new AgentApi.AgentResponse(result.agent().toApi(result.leftOut())));
        }
    }

    /** Streams agents one by one, as their configurations may be large. */
    private void list(Exchange exchange) throws IOException {
        var tenant = exchange.caller().tenant();
        var list = new JsonList(exchange, "agents");
        for (var name : agents.names(tenant)) {
            var agent = agents.findIfPresent(tenant, name);
            if (agent.isPresent()) {
                list.add(agent.get().toApi());
            }
        }
        list.end();
    }

    private void update(Exchange exchange) {
        var change = exchange.body(AgentApi.UpdateAgent.class);
        var tenant = exchange.caller().tenant();
        answer(exchange, 200, agents.update(tenant, name(exchange), change.env(), change.config()));
    }

    private void configure(Exchange exchange) {
        var change = exchange.body(RawJson.class);
        var agent = agents.update(exchange.caller().tenant(), name(exchange), null, change);
        exchange.respond(200, new AgentApi.AgentConfig(agent.config()));
    }

    private void delete(Exchange exchange) {
        var agent = agent(exchange);
        endSessions.accept(agent);
        agents.delete(agent);
        exchange.respond(200, new AgentApi.Ok(true));
    }
}
