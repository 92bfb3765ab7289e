package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.TenantProbe.Call;
import dev.ash.e2e.TenantProbe.ObservedResponse;
import dev.ash.e2e.pair.UserRepo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * Probes with requests about pairs, mailboxes and terminals. They belong to the default tenant: it
 * may use the project directory, and the hook token authenticates it.
 */
final class TenantPairs {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String MCP_PATH = "/mcp/pair/{repo}/{run}/{peer}";
    private static final Map<String, Object> INITIALIZE =
            Map.of(
                    "jsonrpc",
                    "2.0",
                    "id",
                    1,
                    "method",
                    "initialize",
                    "params",
                    Map.of(
                            "protocolVersion",
                            "2025-06-18",
                            "capabilities",
                            Map.of(),
                            "clientInfo",
                            Map.of("name", "test", "version", "1")));

    private final Tenant owner;
    private final Tenant foreigner;
    private final Path repository;
    private final ForeignId pair;
    private final JsonNode mailbox;
    private final JsonNode otherMailbox;
    private final ForeignId terminal = new ForeignId(UUID.randomUUID().toString());
    private final String hookToken;

    /** Creates a pair that waits for a person, two mailboxes and a terminal session. */
    TenantPairs(Tenant owner, Tenant foreigner) {
        this.owner = owner;
        this.foreigner = foreigner;
        this.repository = repository(owner.server.directory().path().resolve("projects/stuck"));
        try {
            this.hookToken = Files.readString(owner.server.data().resolve("hook-token")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.pair =
                new ForeignId(
                        create(owner.agent.value(), owner.agent.value(), owner.credential.value())
                                .send(owner.api)
                                .expect(201)
                                .at("/pair/id")
                                .asString());
        this.mailbox = open("letters").send(owner.api).expect(201).at("/mailbox");
        this.otherMailbox = open("others").send(owner.api).expect(201).at("/mailbox");
        hook(terminal.value()).send(owner.api).expect(200);
        awaitQuestion();
    }

    /** Creates a repository that ignores the file of the demo, so that the peers never agree. */
    private static Path repository(Path path) {
        var repo = UserRepo.make(path);
        try {
            Files.writeString(path.resolve(".gitignore"), "PAIR_DEMO.md\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        repo.git("add", "--all");
        repo.git("commit", "--quiet", "--message=second");
        repo.chown();
        return path;
    }

    private Call create(String worker, String reviewer, String credential) {
        var body = new HashMap<String, Object>();
        body.put("repository", repository.toString());
        body.put("task", "Agree on " + owner.secret);
        body.put("worker", worker);
        body.put("reviewer", reviewer);
        body.put("credentialId", credential);
        body.put("asksPerson", true);
        body.put("stalemateRounds", 2);
        return Call.of("POST", "/api/pairs", body);
    }

    private Call open(String run) {
        return Call.of(
                "POST",
                "/api/mailboxes",
                Map.of(
                        "repository",
                        repository.toString(),
                        "run",
                        run,
                        "peers",
                        List.of(Map.of("name", "alice"))));
    }

    private Call hook(String session) {
        return Call.of(
                        "POST",
                        "/hooks/event",
                        Map.of(
                                "hook_event_name",
                                "UserPromptSubmit",
                                "session_id",
                                session,
                                "cwd",
                                repository.toString(),
                                "prompt",
                                owner.secret))
                .with("Authorization", "Bearer " + hookToken);
    }

    /** Returns the session of the pair's worker, which has the question. */
    ForeignId worker() {
        return new ForeignId(shown().at("/worker/session").asString(""));
    }

    private JsonNode shown() {
        return owner.api.get("/api/pairs/" + pair.value()).expect(200).at("/pair");
    }

    JsonNode awaitQuestion() {
        await().atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> questions().size() == 1);
        return questions().getFirst();
    }

    private List<JsonNode> questions() {
        if (worker().value().isEmpty()) {
            return List.of(); // no session yet
        }
        return owner.api
                .get("/api/approvals?status=pending&sessionId=" + worker().value())
                .expect(200)
                .at("/approvals")
                .valueStream()
                .toList();
    }

    /** Returns the probes that leave the pair waiting for a person. */
    List<TenantProbe> probes() {
        var probes = new ArrayList<TenantProbe>();
        probes.add(new TenantRoutes.ListProbe("GET /api/pairs", owner, foreigner, "/api/pairs"));
        var terminals = "/api/hooks/sessions";
        probes.add(new TenantRoutes.ListProbe("GET " + terminals, owner, foreigner, terminals));
        probes.add(
                probe(
                        "GET /api/hooks/sessions/{id}/events",
                        terminal,
                        id -> Call.of("GET", terminals + "/" + id + "/events")));
        probes.add(pair("GET", "", null));
        probes.add(pair("GET", "/messages", null));
        probes.add(pair("GET", "/report", null));
        probes.add(
                probe(
                        "GET /api/pairs/{id}/stream",
                        pair,
                        id -> Call.of("GET", "/api/pairs/" + id + "/stream?follow=false&after=1")));
        probes.add(pair("POST", "/messages", Map.of("content", "hello")));
        probes.add(pair("POST", "/pause", null));
        probes.add(pair("POST", "/resume", Map.of()));
        probes.addAll(fields());
        probes.add(new HookProbe());
        probes.add(new MailboxProbe());
        for (var method : List.of("POST", "DELETE")) {
            probes.add(new McpProbe(method));
        }
        return probes;
    }

    /** Returns the probes that answer, stop and remove the pair. */
    List<TenantProbe> last() {
        return List.of(
                new DelayedProbe(
                        pair("POST", "/answer", Map.of("decision", "go_on")),
                        () -> questions().size() == 1),
                pair("POST", "/stop", null),
                new DelayedProbe(
                        pair("POST", "/clean", null),
                        () -> shown().path("state").asString().equals("over")));
    }

    private TenantProbe.Http probe(String location, ForeignId id, Function<String, Call> call) {
        return new TenantProbe.Http(
                location, foreigner.api, owner.api, id, 404, owner.secret, call);
    }

    private TenantProbe.Http pair(String method, String action, Object body) {
        return probe(
                method + " /api/pairs/{id}" + action,
                pair,
                id -> Call.of(method, "/api/pairs/" + id + action, body));
    }

    /** Returns probes of fields that the owner set when it created its pair. */
    private List<TenantProbe> fields() {
        var mine = foreigner.agent.value();
        return List.of(
                new CreatePairProbe("worker", owner.agent, 400, id -> create(id, mine, null)),
                new CreatePairProbe("reviewer", owner.agent, 400, id -> create(mine, id, null)),
                new CreatePairProbe(
                        "credentialId", owner.credential, 404, id -> create(mine, mine, id)));
    }

    private final class CreatePairProbe implements TenantProbe {
        private final Http request;

        CreatePairProbe(
                String field, ForeignId id, int expectedStatus, Function<String, Call> call) {
            request =
                    new Http(
                            "POST /api/pairs#" + field,
                            foreigner.api,
                            owner.api,
                            id,
                            expectedStatus,
                            owner.secret,
                            call);
        }

        @Override
        public String location() {
            return request.location();
        }

        @Override
        public void asForeigner() {
            request.asForeigner();
        }

        @Override
        public void asOwner() {
            assertThat(shown().path("id").asString()).isEqualTo(pair.value());
        }
    }

    /** Request that succeeds for its owner only once a condition holds. */
    private record DelayedProbe(Http request, Callable<Boolean> isPossible) implements TenantProbe {
        @Override
        public String location() {
            return request.location();
        }

        @Override
        public void asForeigner() {
            request.asForeigner();
        }

        @Override
        public void asOwner() {
            await().atMost(TIMEOUT).pollInterval(Duration.ofMillis(50)).until(isPossible);
            request.asOwner();
        }
    }

    /**
     * A hook of the first tenant's terminal references a session of the second tenant. Hooks choose
     * the ids of their sessions, so both an unknown id and one of another tenant create a session.
     */
    private final class HookProbe implements TenantProbe {
        @Override
        public String location() {
            return "POST /hooks/event";
        }

        @Override
        public void asForeigner() {
            var random = foreigner.session.random();
            var answer = hook(foreigner.session.value()).send(owner.api);
            var other = hook(random).send(owner.api).expect(200);
            assertThat(ObservedResponse.of(answer, foreigner.session.value()))
                    .isEqualTo(ObservedResponse.of(other, random));
        }

        @Override
        public void asOwner() {
            hook(terminal.value()).send(owner.api).expect(200);
        }

        @Override
        public boolean creates() {
            return true;
        }
    }

    /**
     * A tenant's project roots determine which repositories it may reference; all tenants with
     * access share the names of runs. So an unknown name creates a mailbox if the repository is
     * open to both, but a run of another tenant is never opened.
     */
    private final class MailboxProbe implements TenantProbe {
        @Override
        public String location() {
            return "POST /api/mailboxes#run";
        }

        @Override
        public void asForeigner() {
            var pairsRun = pair.value().substring(pair.value().lastIndexOf('-') + 1);
            for (var run : List.of("letters", "unowned", pairsRun)) {
                var answer = open(run).send(foreigner.api);
                assertThat(answer.status()).as(run + ": " + answer.text()).isIn(403, 404);
                assertThat(answer.text()).doesNotContain(owner.secret, "ashpeer_");
                assertThat(ObservedResponse.of(answer, run))
                        .isEqualTo(
                                ObservedResponse.of(
                                        open("letters").send(foreigner.api), "letters"));
            }
        }

        /** Creates a run without owner, as programs on the host do. */
        @Override
        public boolean prepare() {
            try {
                Files.createDirectories(
                        Path.of(mailbox.path("folder").asString()).resolveSibling("unowned"));
                return true;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void asOwner() {
            open("letters").send(owner.api).expect(201);
            open("unowned").send(owner.api).expect(201);
        }
    }

    /** MCP endpoint of a peer, called with the token of another one. */
    private final class McpProbe implements TenantProbe {
        private final String method;

        McpProbe(String method) {
            this.method = method;
        }

        @Override
        public String location() {
            return method + " " + MCP_PATH;
        }

        private static String path(JsonNode peer) {
            return URI.create(peer.path("url").asString()).getRawPath();
        }

        private ApiResponse call(String path, String token, Api api) {
            return Call.of(method, path, method.equals("POST") ? INITIALIZE : null)
                    .with("Authorization", "Bearer " + token)
                    .with("Mcp-Session-Id", "connection-1")
                    .send(api);
        }

        @Override
        public void asForeigner() {
            var path = path(mailbox.at("/peers/0"));
            var id = new ForeignId(path.substring("/mcp/pair/".length()));
            var wrong = List.of(otherMailbox.at("/peers/0/token").asString(), foreigner.api.key());
            for (var token : wrong) {
                var random = id.random();
                var answer = call(path, token, foreigner.api).expect(401);
                var other = call("/mcp/pair/" + random, token, foreigner.api);
                assertThat(ObservedResponse.of(answer, id.value()))
                        .isEqualTo(ObservedResponse.of(other, random));
            }
        }

        @Override
        public void asOwner() {
            var peer = mailbox.at("/peers/0");
            assertThat(peer.path("url").asString()).startsWith(owner.api.base() + "/mcp/pair/");
            var answer = call(path(peer), peer.path("token").asString(), owner.api);
            assertThat(answer.status()).as(answer.text()).isBetween(200, 299);
        }
    }
}
