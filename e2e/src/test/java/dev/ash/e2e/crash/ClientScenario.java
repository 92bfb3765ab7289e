package dev.ash.e2e.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.Api;
import dev.ash.e2e.ApiResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The client requests of a crash run: the same for every number of server deaths. */
final class ClientScenario {
    private final Plan plan;
    private final CrashServers servers;
    private final List<TestedSession> sessions = new ArrayList<>();
    private int commands;

    ClientScenario(Plan plan, CrashServers servers) {
        this.plan = plan;
        this.servers = servers;
    }

    List<TestedSession> sessions() {
        return sessions;
    }

    void run() {
        deploy("first");
        var plain = create("plain", Map.of("agent", "worker"));
        var asking = create("asking", Map.of("agent", "worker", "permissionMode", "ask"));
        ask(asking);
        if (!plan.answersLate()) {
            answer(asking);
        }
        prompt(plain, "sleep 0.2;");
        for (int i = 0; i < plan.queued(); i++) {
            prompt(plain, "");
        }
        if (plan.redeploysFirst()) {
            deploy("second");
        }
        if (plan.answersLate()) {
            servers.await(
                    "the question is deferred",
                    () -> servers.database().isDeferred(asking.id()) || hasNoOpenTurn(asking));
            answer(asking);
        }
        idle(plain);
        servers.await("the session sleeps", () -> servers.database().isAsleep(plain.sandbox()));
        prompt(plain, "");
        if (!plan.redeploysFirst()) {
            deploy("second");
        }
        prompt(fork(plain), "");
    }

    private void deploy(String text) {
        var file = Map.of("path", "CLAUDE.md", "content", base64("You are the " + text + ".\n"));
        var agent = Map.of("name", "worker", "files", List.of(file));
        servers.call(api -> api.post("/api/agents", agent).expect(201));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private TestedSession create(String key, Map<String, ?> request) {
        return session(
                servers.call(api -> api.postOnce("create-" + key, "/api/sessions", request)));
    }

    private TestedSession session(ApiResponse created) {
        var json = created.expect(201).at("/session");
        var id = json.path("id").asString();
        var sandbox = json.path("sandboxId").asString();
        var session = new TestedSession(id, sandbox, new StreamSubscriber(servers, id));
        sessions.add(session);
        return session;
    }

    private void ask(TestedSession session) {
        var word = prompt(session, "");
        switch (plan.decision()) {
            case "rejected" -> session.effects().removeLast();
            case "modified" -> session.effects().set(0, word + "-modified");
            default -> {}
        }
    }

    /** Sends a command that appends a line to a file, so that its executions can be counted. */
    private String prompt(TestedSession session, String before) {
        var word = "word-" + ++commands;
        var prompt = "demo: run " + before + "echo " + word + " >> effects.txt";
        var body = Map.of("content", prompt, "whenBusy", "queue");
        servers.call(api -> accepted(api, session, word, body));
        session.prompts().add(prompt);
        session.effects().add(word);
        return word;
    }

    private boolean accepted(Api api, TestedSession session, String key, Object body) {
        while (true) {
            var response = api.openOnce(key, session.path() + "/messages", body);
            try (var in = response.body()) {
                if (response.statusCode() == 200) {
                    return plan.disconnects() || in.read() >= 0;
                }
                var refusal = new String(in.readAllBytes(), UTF_8);
                assertThat(servers.bridgesKilled())
                        .as("rejected without killed bridges: " + refusal)
                        .isTrue();
                api.postNothing(session.path() + "/resume").expect(200);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void answer(TestedSession session) {
        var pending = "/api/approvals?status=pending&sessionId=" + session.id();
        servers.await(
                "a question is pending",
                () ->
                        hasNoOpenTurn(session)
                                || servers.call(
                                        api -> api.get(pending).at("/approvals").size() > 0));
        var body = new HashMap<String, Object>(Map.of("decision", plan.decision()));
        if (plan.decision().equals("modified")) {
            var line = "echo " + session.effects().getFirst() + " >> effects.txt";
            body.put("input", Map.of("command", line));
        }
        for (var question : servers.call(api -> api.get(pending).at("/approvals"))) {
            var path = "/api/approvals/" + question.path("id").asString();
            var answer = servers.call(api -> api.post(path, body));
            if (answer.status() == 409) { // decided by the attempt whose response was lost
                assertThat(servers.deathCount()).isPositive();
                var decided = servers.call(api -> api.get(path)).at("/approval/status").asString();
                assertThat(decided).isEqualTo(plan.decision());
            } else {
                answer.expect(200);
            }
        }
    }

    private boolean hasNoOpenTurn(TestedSession session) {
        return servers.database().openTurns(session.id()) == 0;
    }

    private void idle(TestedSession session) {
        servers.await("a session is idle", () -> resumeIfFailed(session) && hasNoOpenTurn(session));
    }

    /** Waits until all turns have ended. */
    void awaitIdle() {
        sessions.forEach(this::idle);
    }

    private boolean resumeIfFailed(TestedSession session) {
        if (servers.bridgesKilled()) {
            servers.call(
                    api -> {
                        var status = api.get(session.path()).at("/session/status").asString();
                        return status.equals("error")
                                ? api.postNothing(session.path() + "/resume").status()
                                : 0;
                    });
        }
        return true;
    }

    private TestedSession fork(TestedSession original) {
        idle(original);
        var copy = session(servers.call(api -> api.post(original.path() + "/fork", Map.of())));
        copy.prompts().addAll(original.prompts());
        copy.effects().addAll(original.effects());
        return copy;
    }
}
