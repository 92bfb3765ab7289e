package dev.ash.server.agent;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.FileContent;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.Spool;
import dev.ash.server.identity.Scope;
import dev.ash.server.workspace.FileResponses;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.SkipRules;
import dev.ash.server.workspace.Uploads;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;

/** The endpoints for an agent's files. */
public final class AgentFileRoutes {
    private static final String AGENT = "/api/agents/{name}";

    private final Agents agents;

    public AgentFileRoutes(Agents agents) {
        this.agents = agents;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get(AGENT + "/files")
                        .summary("List the files of an agent")
                        .returns(200, AgentApi.Files.class)
                        .handledBy(this::files),
                Endpoint.get(AGENT + "/files/{path*}")
                        .summary("Read a file of an agent")
                        .choice("format", List.of("json", "raw"), "json (the default) or raw")
                        .returns(200, FileContent.class)
                        .handledBy(this::read),
                Endpoint.post(AGENT + "/files")
                        .scope(Scope.ADMIN)
                        .summary("Write files of an agent; creates a new version")
                        .accepts(AgentApi.UploadFiles.class)
                        .maxBodyBytes(Limits.MAX_UPLOAD_BODY_BYTES)
                        .returns(200, AgentApi.Written.class)
                        .handledBy(this::write),
                Endpoint.delete(AGENT + "/files/{path*}")
                        .scope(Scope.ADMIN)
                        .summary("Delete a file of an agent; creates a new version")
                        .returns(200, AgentApi.Deleted.class)
                        .handledBy(this::deleteFile));
    }

    private static AgentName name(Exchange exchange) {
        return new AgentName(exchange.path("name"));
    }

    private FileTree tree(Exchange exchange) {
        var agent = agents.find(exchange.caller().tenant(), name(exchange));
        return new FileTree(agent.directory(), OptionalInt.empty());
    }

    private void files(Exchange exchange) {
        var files = tree(exchange).list(SkipRules.WITHOUT_CACHES).files();
        exchange.respond(200, new AgentApi.Files(files));
    }

    private void read(Exchange exchange) throws IOException {
        FileResponses.read(exchange, tree(exchange), FileResponses.Form.of(exchange, "json"), null);
    }

    private void write(Exchange exchange) {
        try (var spool = new Spool()) {
            var request = exchange.body(AgentApi.UploadFiles.class, spool, Uploads.CONTENTS);
            var uploads = AgentUploads.of(request.files(), spool);
            var result =
                    agents.changeFiles(
                            exchange.caller().tenant(), name(exchange), uploads.leftOut(), uploads);
            var leftOut = result.leftOut().isEmpty() ? null : result.leftOut();
            exchange.respond(200, new AgentApi.Written(uploads.files().size(), leftOut));
        }
    }

    private void deleteFile(Exchange exchange) {
        agents.changeFiles(
                exchange.caller().tenant(),
                name(exchange),
                List.of(),
                tree -> tree.delete(exchange.path("path")));
        exchange.respond(200, new AgentApi.Deleted(true));
    }
}
