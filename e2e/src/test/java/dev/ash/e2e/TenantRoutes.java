package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.TenantProbe.Call;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.zip.GZIPOutputStream;

/**
 * Probes with all requests about objects that every tenant has, in an order in which each succeeds
 * for its owner: requests that end or delete an object come last.
 */
final class TenantRoutes {
    private final Tenant owner;
    private final Tenant foreigner;
    private final List<TenantProbe> probes = new ArrayList<>();

    private TenantRoutes(Tenant owner, Tenant foreigner) {
        this.owner = owner;
        this.foreigner = foreigner;
    }

    /** Returns the probes that keep the session and the agent. */
    static List<TenantProbe> of(Tenant owner, Tenant foreigner) {
        var routes = new TenantRoutes(owner, foreigner);
        routes.sessions();
        routes.agents();
        routes.approvals();
        return routes.probes;
    }

    /** Returns the probes that end and delete them. */
    static List<TenantProbe> last(Tenant owner, Tenant foreigner) {
        var routes = new TenantRoutes(owner, foreigner);
        routes.ends();
        return routes.probes;
    }

    private void add(String location, ForeignId id, Function<String, Call> call) {
        add(location, id, 404, call);
    }

    private void add(
            String location, ForeignId id, int expectedStatus, Function<String, Call> call) {
        probes.add(
                new TenantProbe.Http(
                        location,
                        foreigner.api,
                        owner.api,
                        id,
                        expectedStatus,
                        owner.secret,
                        call));
    }

    private void session(String method, String action, Object body) {
        add(
                method + " /api/sessions/{id}" + action,
                owner.session,
                id -> Call.of(method, "/api/sessions/" + id + action, body));
    }

    private void sessions() {
        probes.add(new ListProbe("GET /api/sessions", owner, foreigner, "/api/sessions"));
        probes.add(
                new ListProbe(
                        "GET /api/sessions#agent",
                        owner,
                        foreigner,
                        "/api/sessions?agent=" + owner.agent.value()));
        session("GET", "", null);
        session("GET", "/messages", null);
        session("GET", "/events", null);
        session("GET", "/logs", null);
        session("GET", "/files", null);
        session("POST", "/files", Map.of("files", List.of(Tenant.upload("new.txt", "new"))));
        add(
                "GET /api/sessions/{id}/files/{path}",
                owner.session,
                id -> Call.of("GET", "/api/sessions/" + id + "/files/notes.txt"));
        session("GET", "/workspace", null);
        session("POST", "/workspace", Map.of("bundle", emptyArchive()));
        session("PATCH", "/config", Map.of("model", "other"));
        session("POST", "/messages", Map.of("content", "hello"));
        session("POST", "/exec", Map.of("command", "true"));
        session("POST", "/interrupt", null);
        session("POST", "/steer", Map.of("content", "hello"));
        add(
                "GET /api/sessions/{id}/stream",
                owner.session,
                id ->
                        Call.of("GET", "/api/sessions/" + id + "/stream?until=idle")
                                .with("Last-Event-ID", "1"));
        add(
                "DELETE /api/sessions/{id}/files/{path}",
                owner.session,
                id -> Call.of("DELETE", "/api/sessions/" + id + "/files/new.txt"));
        add(
                "POST /api/sessions#agent",
                owner.agent,
                name -> Call.of("POST", "/api/sessions", Map.of("agent", name)));
        probes.add(
                new OwnObjectProbe(
                        "POST /api/sessions#credentialId",
                        owner,
                        foreigner,
                        owner.credential,
                        404,
                        (tenant, id) ->
                                Call.of(
                                        "POST",
                                        "/api/sessions",
                                        Map.of(
                                                "agent",
                                                tenant.agent.value(),
                                                "credentialId",
                                                id))));
        probes.add(
                new CreateProbe(
                        "POST /api/sessions",
                        owner,
                        foreigner,
                        new ForeignId(owner.sessionKey),
                        (tenant, key) ->
                                Call.of("POST", "/api/sessions", tenant.sessionRequest())
                                        .with("Idempotency-Key", key),
                        _ -> null));
        session("POST", "/fork", Map.of());
        probes.add(
                new OwnObjectProbe(
                        "POST /api/sessions/{id}/fork#turnId",
                        owner,
                        foreigner,
                        owner.turn,
                        400, // the turn is looked up in the caller's own session
                        (tenant, id) ->
                                Call.of(
                                        "POST",
                                        "/api/sessions/" + tenant.session.value() + "/fork",
                                        Map.of("turnId", id))));
        session("POST", "/pause", null);
        session("POST", "/resume", null);
    }

    /** A list contains only objects of the caller. */
    record ListProbe(String location, Tenant owner, Tenant foreigner, String path)
            implements TenantProbe {
        @Override
        public void asForeigner() {
            assertThat(foreigner.api.get(path).expect(200).text())
                    .doesNotContain(owner.secret, owner.agent.value(), owner.session.value());
        }

        @Override
        public void asOwner() {
            assertThat(owner.api.get(path).expect(200).text())
                    .containsAnyOf(owner.secret, owner.agent.value());
        }
    }

    /** Name that both tenants may use: each creates its own object. */
    record CreateProbe(
            String location,
            Tenant owner,
            Tenant foreigner,
            ForeignId id,
            BiFunction<Tenant, String, Call> call,
            Function<String, Call> undo)
            implements TenantProbe {
        @Override
        public void asForeigner() {
            var random = id.random();
            var answer = call.apply(foreigner, id.value()).send(foreigner.api).expect(201);
            var other = call.apply(foreigner, random).send(foreigner.api).expect(201);
            assertThat(answer.text()).doesNotContain(owner.secret);
            assertThat(ObservedResponse.of(answer, id.value()).withoutGeneratedValues())
                    .isEqualTo(ObservedResponse.of(other, random).withoutGeneratedValues());
            for (var created : List.of(id.value(), random)) {
                var undoCall = undo.apply(created);
                if (undoCall != null) {
                    undoCall.send(foreigner.api).expect(200);
                }
            }
        }

        @Override
        public void asOwner() {
            call.apply(owner, id.value()).send(owner.api).expect(201);
        }

        @Override
        public boolean creates() {
            return true;
        }
    }

    /** References an object of the owner in a request about an object of the caller. */
    private record OwnObjectProbe(
            String location,
            Tenant owner,
            Tenant foreigner,
            ForeignId id,
            int expectedStatus,
            BiFunction<Tenant, String, Call> call)
            implements TenantProbe {
        private Http as(Tenant caller) {
            return new Http(
                    location,
                    foreigner.api,
                    owner.api,
                    id,
                    expectedStatus,
                    owner.secret,
                    reference -> call.apply(caller, reference));
        }

        /** Forks once beforehand, because every fork first puts the caller's session to sleep. */
        @Override
        public boolean prepare() {
            if (location.endsWith("#turnId")) {
                var path = "/api/sessions/" + foreigner.session.value() + "/fork";
                foreigner.api.post(path, Map.of()).expect(201);
            }
            return location.endsWith("#turnId");
        }

        @Override
        public void asForeigner() {
            as(foreigner).asForeigner();
        }

        @Override
        public void asOwner() {
            as(owner).asOwner();
        }
    }

    private void agent(String method, String action, Object body) {
        add(
                method + " /api/agents/{name}" + action,
                owner.agent,
                name -> Call.of(method, "/api/agents/" + name + action, body));
    }

    private void agents() {
        probes.add(new ListProbe("GET /api/agents", owner, foreigner, "/api/agents"));
        probes.add(new ListProbe("GET /api/credentials", owner, foreigner, "/api/credentials"));
        probes.add(new ListProbe("GET /api/devices", owner, foreigner, "/api/devices"));
        probes.add(new ListProbe("GET /api/api-keys", owner, foreigner, "/api/api-keys"));
        probes.add(
                new CreateProbe(
                        "POST /api/agents#name",
                        owner,
                        foreigner,
                        owner.agent,
                        (_, name) -> Call.of("POST", "/api/agents", Tenant.agent(name, "more")),
                        name -> Call.of("DELETE", "/api/agents/" + name)));
        agent("GET", "", null);
        agent("GET", "/config", null);
        agent("GET", "/files", null);
        add(
                "GET /api/agents/{name}/files/{path}",
                owner.agent,
                name -> Call.of("GET", "/api/agents/" + name + "/files/more/notes.txt"));
        agent("PATCH", "", Map.of("env", Map.of("COLOR", "green")));
        agent("PATCH", "/config", Map.of("model", "other"));
        agent("POST", "/files", Map.of("files", List.of(Tenant.upload("new.txt", "new"))));
        add(
                "DELETE /api/agents/{name}/files/{path}",
                owner.agent,
                name -> Call.of("DELETE", "/api/agents/" + name + "/files/new.txt"));
    }

    private void approvals() {
        probes.add(new ListProbe("GET /api/approvals", owner, foreigner, "/api/approvals"));
        probes.add(
                new ListProbe(
                        "GET /api/approvals#sessionId",
                        owner,
                        foreigner,
                        "/api/approvals?sessionId=" + owner.askingSession.value()));
        add(
                "GET /api/approvals#after",
                owner.approval(),
                id -> Call.of("GET", "/api/approvals?after=" + id));
        add(
                "GET /api/approvals/{id}",
                owner.approval(),
                id -> Call.of("GET", "/api/approvals/" + id));
        add(
                "POST /api/approvals/{id}",
                owner.approval(),
                id -> Call.of("POST", "/api/approvals/" + id, Map.of("decision", "approved")));
    }

    private void ends() {
        session("POST", "/stop", null);
        session("DELETE", "", null);
        agent("DELETE", "", null);
        add(
                "DELETE /api/credentials/{id}",
                owner.credential,
                id -> Call.of("DELETE", "/api/credentials/" + id));
        add(
                "DELETE /api/api-keys/{id}",
                owner.apiKey,
                id -> Call.of("DELETE", "/api/api-keys/" + id));
        add(
                "DELETE /api/devices/{id}",
                owner.device,
                id -> Call.of("DELETE", "/api/devices/" + id));
    }

    private static String emptyArchive() {
        var bytes = new ByteArrayOutputStream();
        try (var zipped = new GZIPOutputStream(bytes)) {
            zipped.write(new byte[1024]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
