package dev.ash.e2e.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.Answer;
import dev.ash.e2e.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a client does in a run: the same whenever and however often its servers die. */
final class History {
    private final Plan plan;
    private final Host host;
    private final List<Subject> subjects = new ArrayList<>();
    private int words;

    History(Plan plan, Host host) {
        this.plan = plan;
        this.host = host;
    }

    List<Subject> subjects() {
        return subjects;
    }

    void play() {
        deploy("first");
        var plain = create("plain", Map.of("agent", "worker"));
        var asking = create("asking", Map.of("agent", "worker", "permissionMode", "ask"));
        ask(asking);
        prompt(plain, "sleep 0.2;");
        for (int i = 0; i < plan.queued(); i++) {
            prompt(plain, "");
        }
        if (plan.redeploysFirst()) {
            deploy("second");
        }
        if (plan.late()) {
            host.await(
                    "the question is laid aside",
                    () -> host.ledger().isLaidAside(asking.id()) || hasNoTurn(asking));
        }
        answer(asking);
        idle(plain);
        host.await("the session sleeps", () -> host.ledger().isAsleep(plain.sandbox()));
        prompt(plain, "");
        if (!plan.redeploysFirst()) {
            deploy("second");
        }
        prompt(fork(plain), "");
    }

    private void deploy(String text) {
        var file = Map.of("path", "CLAUDE.md", "content", base64("You are the " + text + ".\n"));
        var agent = Map.of("name", "worker", "files", List.of(file));
        host.call(api -> api.post("/api/agents", agent).expect(201));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private Subject create(String key, Map<String, ?> request) {
        return subject(host.call(api -> api.postOnce("create-" + key, "/api/sessions", request)));
    }

    private Subject subject(Answer created) {
        var session = created.expect(201).at("/session");
        var id = session.path("id").asString();
        var subject = new Subject(id, session.path("sandboxId").asString(), new Watch(host, id));
        subjects.add(subject);
        return subject;
    }

    private void ask(Subject subject) {
        var word = prompt(subject, "");
        switch (plan.decision()) {
            case "rejected" -> subject.effects().removeLast();
            case "modified" -> subject.effects().set(0, word + "-modified");
            default -> {}
        }
    }

    /** A command that leaves a line in a file: how often it ran can be counted. */
    private String prompt(Subject subject, String before) {
        var word = "word-" + ++words;
        var prompt = "demo: run " + before + "echo " + word + " >> effects.txt";
        var body = Map.of("content", prompt, "whenBusy", "queue");
        host.call(api -> accepted(api, subject, word, body));
        subject.prompts().add(prompt);
        subject.effects().add(word);
        return word;
    }

    private boolean accepted(Api api, Subject subject, String key, Object body) {
        while (true) {
            var response = api.openOnce(key, subject.path() + "/messages", body);
            try (var in = response.body()) {
                if (response.statusCode() == 200) {
                    return plan.hangsUp() || in.read() >= 0;
                }
                var refusal = new String(in.readAllBytes(), UTF_8);
                assertThat(host.bridgesDied()).as("no refusal: " + refusal).isTrue();
                api.postNothing(subject.path() + "/resume").expect(200);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void answer(Subject subject) {
        var pending = "/api/approvals?status=pending&sessionId=" + subject.id();
        host.await(
                "there is a question",
                () ->
                        hasNoTurn(subject)
                                || host.call(api -> api.get(pending).at("/approvals").size() > 0));
        var body = new HashMap<String, Object>(Map.of("decision", plan.decision()));
        if (plan.decision().equals("modified")) {
            var line = "echo " + subject.effects().getFirst() + " >> effects.txt";
            body.put("input", Map.of("command", line));
        }
        for (var question : host.call(api -> api.get(pending).at("/approvals"))) {
            var path = "/api/approvals/" + question.path("id").asString();
            var answer = host.call(api -> api.post(path, body));
            if (answer.status() == 409) { // by the attempt that was not answered
                assertThat(host.died()).isPositive();
                var decided = host.call(api -> api.get(path)).at("/approval/status").asString();
                assertThat(decided).isEqualTo(plan.decision());
            } else {
                answer.expect(200);
            }
        }
    }

    private boolean hasNoTurn(Subject subject) {
        return host.ledger().openTurns(subject.id()) == 0;
    }

    private void idle(Subject subject) {
        host.await("a session is idle", () -> mended(subject) && hasNoTurn(subject));
    }

    /** Lets everything end that was begun. */
    void comeToRest() {
        subjects.forEach(this::idle);
    }

    private boolean mended(Subject subject) {
        if (host.bridgesDied()) {
            host.call(
                    api -> {
                        var status = api.get(subject.path()).at("/session/status").asString();
                        return status.equals("error")
                                ? api.postNothing(subject.path() + "/resume").status()
                                : 0;
                    });
        }
        return true;
    }

    private Subject fork(Subject original) {
        idle(original);
        var copy = subject(host.call(api -> api.post(original.path() + "/fork", Map.of())));
        copy.prompts().addAll(original.prompts());
        copy.effects().addAll(original.effects());
        return copy;
    }
}
