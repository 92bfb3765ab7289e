package dev.ash.server.pair;

import dev.ash.pair.PeerName;
import dev.ash.pair.archive.Manifest;
import dev.ash.pair.mcp.McpEndpoint;
import dev.ash.pair.mcp.Role;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.MailboxApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.identity.Scope;
import dev.ash.server.project.Projects;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The endpoint that opens mailboxes, and the MCP endpoints of their peers. */
public final class MailboxRoutes {
    private static final int MAX_BODY_BYTES = 12 * 1024 * 1024;
    private static final String PEER_ENDPOINT = "/mcp/pair/{repo}/{run}/{peer}";
    private static final String SESSION = "Mcp-Session-Id";

    private final Mailboxes mailboxes;
    private final Projects projects;
    private final String scheme;

    /** {@code scheme} is the scheme of this server's URLs: http or https. */
    public MailboxRoutes(Mailboxes mailboxes, Projects projects, String scheme) {
        this.mailboxes = mailboxes;
        this.projects = projects;
        this.scheme = scheme;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/api/mailboxes")
                        .scope(Scope.RUN)
                        .summary("Open the mailbox of a run for engines outside Ash")
                        .accepts(MailboxApi.OpenMailbox.class)
                        .returns(201, MailboxApi.MailboxResponse.class)
                        .handledBy(this::open),
                Endpoint.post(PEER_ENDPOINT)
                        .summary("Call the tools of a peer over MCP")
                        .open() // authenticated by the peer's token, which is not an API key
                        .maxBodyBytes(MAX_BODY_BYTES)
                        .returns(200, byte[].class)
                        .handledBy(this::call),
                Endpoint.delete(PEER_ENDPOINT)
                        .summary("End an MCP session of a peer")
                        .open()
                        .returns(204, Void.class)
                        .handledBy(this::end));
    }

    private void open(Exchange exchange) throws IOException {
        var request = exchange.body(MailboxApi.OpenMailbox.class);
        if (request.peers().isEmpty()) {
            throw ApiException.invalid("peers", "must contain at least one peer");
        }
        var peers = new LinkedHashMap<PeerName, Role>();
        for (var peer : request.peers()) {
            peers.put(new PeerName(peer.name()), MailboxMembers.role(peer.role()));
        }
        var tenant = exchange.caller().tenant();
        var repository =
                RepositoryLookup.of(projects.admitRepository(tenant, request.repository()));
        var directories = mailboxes.directories();
        var known =
                request.run() == null
                        ? Optional.<RunDirectory>empty()
                        : directories.find(repository, request.run());
        if (known.isPresent()) {
            requireMailbox(known.get(), tenant);
        }
        var run =
                request.run() == null
                        ? directories.create(repository)
                        : directories.open(repository, request.run());
        var members = mailboxes.admit(run, tenant, peers);
        var repoId = repository.id();
        exchange.respond(
                201,
                new MailboxApi.MailboxResponse(
                        new MailboxApi.Mailbox(
                                repoId,
                                run.name(),
                                run.path().toString(),
                                connections(
                                        baseUrl(exchange), repoId, run.name(), members.peers()))));
    }

    /**
     * Rejects runs of pairs and of other tenants; reveals nothing about the latter. Runs of other
     * programs on the host belong to the default tenant.
     */
    private static void requireMailbox(RunDirectory run, TenantId tenant) throws IOException {
        var manifest = Manifest.read(run.path());
        var owner =
                manifest.isPresent()
                        ? PairLookup.tenant(manifest.get())
                        : MailboxMembers.read(run.path())
                                .map(MailboxMembers::tenant)
                                .orElse(TenantId.DEFAULT);
        if (!owner.equals(tenant)) {
            throw Mailboxes.notFound();
        }
        if (manifest.isPresent()) {
            throw ApiException.invalid(
                    "run",
                    "\"%s\" is a run of a pair, whose peers are sessions; use another run"
                            .formatted(run.name()));
        }
    }

    /** Returns the base URL that the caller used; the Host header is checked for every request. */
    private String baseUrl(Exchange exchange) {
        return exchange.header("Host").map(host -> scheme + "://" + host).orElse("");
    }

    private List<MailboxApi.PeerConnection> connections(
            String base, String repoId, String run, Map<PeerName, Role> peers) {
        return peers.entrySet().stream()
                .map(
                        peer ->
                                new MailboxApi.PeerConnection(
                                        peer.getKey().value(),
                                        MailboxMembers.wire(peer.getValue()),
                                        base
                                                + "/mcp/pair/"
                                                + repoId
                                                + "/"
                                                + run
                                                + "/"
                                                + peer.getKey(),
                                        mailboxes.token(repoId, run, peer.getKey())))
                .toList();
    }

    private void call(Exchange exchange) throws IOException {
        var endpoint = endpoint(exchange);
        var response = endpoint.post(exchange.header(SESSION).orElse(null), exchange.bodyBytes());
        try (var out =
                exchange.stream(
                        response.status(),
                        Map.of(
                                "Content-Type",
                                "application/json",
                                SESSION,
                                response.sessionId()))) {
            out.write(response.body().orElse(new byte[0]));
        } catch (IOException e) {
            response.onUndelivered().run();
            throw e;
        }
    }

    private void end(Exchange exchange) throws IOException {
        var session = exchange.header(SESSION);
        var endpoint = endpoint(exchange);
        session.ifPresent(endpoint::closeSession);
        exchange.respond(204);
    }

    private McpEndpoint endpoint(Exchange exchange) throws IOException {
        return mailboxes.endpoint(
                exchange.path("repo"),
                exchange.path("run"),
                exchange.path("peer"),
                exchange.header("Authorization"));
    }
}
