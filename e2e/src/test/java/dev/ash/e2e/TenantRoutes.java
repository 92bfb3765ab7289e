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
 * Every request that names something every tenant has, in an order in which each succeeds for its
 * owner: what ends or deletes something comes after what needs it.
 */
final class TenantRoutes {
    private final Tenant owner;
    private final Tenant foreigner;
    private final List<TenantProbe> probes = new ArrayList<>();

    private TenantRoutes(Tenant owner, Tenant foreigner) {
        this.owner = owner;
        this.foreigner = foreigner;
    }

    /** What leaves the session and the agent there. */
    static List<TenantProbe> of(Tenant owner, Tenant foreigner) {
        var routes = new TenantRoutes(owner, foreigner);
        routes.sessions();
        routes.agents();
        routes.approvals();
        return routes.probes;
    }

    /** What ends and deletes them. */
    static List<TenantProbe> last(Tenant owner, Tenant foreigner) {
        var routes = new TenantRoutes(owner, foreigner);
        routes.ends();
        return routes.probes;
    }

    private void add(String place, ForeignId id, Function<String, Call> call) {
        add(place, id, 404, call);
    }

    private void add(String place, ForeignId id, int refusal, Function<String, Call> call) {
        probes.add(
                new TenantProbe.Http(
                        place, foreigner.api, owner.api, id, refusal, owner.secret, call));
    }

    private void session(String method, String action, Object body) {
        add(
                method + " /api/sessions/{id}" + action,
                owner.session,
                id -> Call.of(method, "/api/sessions/" + id + action, body));
    }

    private void sessions() {
        probes.add(new Listing("GET /api/sessions", owner, foreigner, "/api/sessions"));
        probes.add(
                new Listing(
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
                new OwnSession(
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
                new Making(
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
                new OwnSession(
                        "POST /api/sessions/{id}/fork#turnId",
                        owner,
                        foreigner,
                        owner.turn,
                        400, // the turn is looked for in a session that the caller does have
                        (tenant, id) ->
                                Call.of(
                                        "POST",
                                        "/api/sessions/" + tenant.session.value() + "/fork",
                                        Map.of("turnId", id))));
        session("POST", "/pause", null);
        session("POST", "/resume", null);
    }

    /** A list has everything of the one who asks, and nothing of anybody else. */
    record Listing(String place, Tenant owner, Tenant foreigner, String path)
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

    /** A name that both may use: each gets something of its own. */
    record Making(
            String place,
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
            assertThat(Seen.of(answer, id.value()).withoutWhatWasMade())
                    .isEqualTo(Seen.of(other, random).withoutWhatWasMade());
            for (var made : List.of(id.value(), random)) {
                var undone = undo.apply(made);
                if (undone != null) {
                    undone.send(foreigner.api).expect(200);
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

    /** Names a thing of the owner in a request about a thing of the caller's own. */
    private record OwnSession(
            String place,
            Tenant owner,
            Tenant foreigner,
            ForeignId id,
            int refusal,
            BiFunction<Tenant, String, Call> call)
            implements TenantProbe {
        private Http as(Tenant caller) {
            return new Http(
                    place,
                    foreigner.api,
                    owner.api,
                    id,
                    refusal,
                    owner.secret,
                    named -> call.apply(caller, named));
        }

        /** A fork puts the caller's own session to sleep first, whatever comes of it. */
        @Override
        public boolean prepare() {
            if (place.endsWith("#turnId")) {
                var path = "/api/sessions/" + foreigner.session.value() + "/fork";
                foreigner.api.post(path, Map.of()).expect(201);
            }
            return place.endsWith("#turnId");
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
        probes.add(new Listing("GET /api/agents", owner, foreigner, "/api/agents"));
        probes.add(new Listing("GET /api/credentials", owner, foreigner, "/api/credentials"));
        probes.add(new Listing("GET /api/devices", owner, foreigner, "/api/devices"));
        probes.add(new Listing("GET /api/api-keys", owner, foreigner, "/api/api-keys"));
        probes.add(
                new Making(
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
        probes.add(new Listing("GET /api/approvals", owner, foreigner, "/api/approvals"));
        probes.add(
                new Listing(
                        "GET /api/approvals#sessionId",
                        owner,
                        foreigner,
                        "/api/approvals?sessionId=" + owner.asking.value()));
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
