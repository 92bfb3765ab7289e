package dev.ash.server.session.recovery;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.approval.ApprovalId;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.session.store.IdempotencyKey;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A client that performs its operations on one session, and retries when a server is killed. */
final class CrashClient {
    private final CrashRun run;
    private final CrashHistory history;
    private final CrashPlan.Client plan;
    private final Random random;
    private final String name;
    private int prompts;
    private volatile String activity = "create";

    CrashClient(CrashRun run, CrashPlan.Client plan, String name, long seed) {
        this.run = run;
        this.history = run.history();
        this.plan = plan;
        this.name = name;
        this.random = new Random(seed);
    }

    void run() {
        var session = create();
        follow(session);
        for (var operation : plan.operations()) {
            activity = operation + " as " + name + " with " + session;
            perform(session, operation);
        }
        activity = "finished";
    }

    @Override
    public String toString() {
        return activity;
    }

    private void perform(SessionId session, CrashPlan.Operation operation) {
        switch (operation) {
            case PROMPT -> awaitEnd(session, prompt(session, false));
            case PROMPT_AND_LEAVE -> prompt(session, false);
            case QUEUE -> prompt(session, true);
            case PROMPT_TWICE -> promptTwice(session);
            case INTERRUPT ->
                    run.tryOnce(server -> server.turns.interrupt(CrashServer.TENANT, session));
            case PAUSE -> {
                run.tryOnce(server -> server.sessions.pause(CrashServer.TENANT, session));
                resume(session);
            }
            case SLEEP -> run.tryOnce(server -> server.live.find(session).map(server.live::sleep));
            case FORK -> fork(session);
            case STOP -> {
                history.stopped(session);
                run.tryOnce(server -> server.sessions.stop(CrashServer.TENANT, session));
                resume(session);
            }
            case KILL_BRIDGE -> run.killBridgeOf(session, random.nextInt(6));
        }
    }

    private SessionId create() {
        var key = new IdempotencyKey("create-" + name, "hash");
        var request =
                SessionApi.CreateSession.builder(CrashServer.AGENT)
                        .permissionMode(plan.asks() ? "ask" : "bypassPermissions")
                        .build();
        return run.retry(
                server -> {
                    var row =
                            server.sessions.register(CrashServer.TENANT, request, Optional.of(key));
                    row = server.sessions.start(row);
                    var id = row.id();
                    server.lifetime.callAtomically(() -> history.created(key.key(), id));
                    return id;
                });
    }

    private String prompt(SessionId session, boolean queue) {
        var script =
                new TurnScript(name + "." + prompts++, CrashPlan.randomSteps(random, plan.asks()));
        return prompt(session, script, queue);
    }

    /** Sends the prompt with one key until it is accepted; returns its turn. */
    private String prompt(SessionId session, TurnScript script, boolean queue) {
        return run.retry(
                server -> {
                    try {
                        return accept(server, session, script, queue);
                    } catch (ApiException e) {
                        return switch (e.code()) {
                            case SESSION_NOT_ACTIVE -> {
                                server.sessions.resume(CrashServer.TENANT, session);
                                yield accept(server, session, script, queue);
                            }
                            default -> throw e;
                        };
                    }
                });
    }

    private String accept(CrashServer server, SessionId session, TurnScript script, boolean queue) {
        var message =
                new SessionApi.SendMessage(
                        RawJson.string(script.prompt()),
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        queue ? "queue" : null);
        var key = Optional.of(new IdempotencyKey("prompt-" + script.label(), "hash"));
        try (var turn = server.turns.open(CrashServer.TENANT, session, message, key)) {
            var id = turn.id().value();
            server.lifetime.callAtomically(() -> history.accepted(script.label(), session, id));
            return id;
        }
    }

    /** Sends the same prompt twice concurrently, which must result in one turn. */
    private void promptTwice(SessionId session) {
        var script =
                new TurnScript(name + "." + prompts++, CrashPlan.randomSteps(random, plan.asks()));
        var other = Thread.ofVirtual().start(() -> prompt(session, script, true));
        prompt(session, script, true);
        try {
            other.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void fork(SessionId session) {
        var copy =
                run.tryOnce(
                        server -> {
                            var fork =
                                    server.forks.fork(
                                            CrashServer.TENANT, session, Optional.empty());
                            server.lifetime.callAtomically(
                                    () -> history.forked(session, fork.id()));
                            return fork.id();
                        });
        if (copy.isPresent()) {
            follow(copy.get());
            awaitEnd(copy.get(), prompt(copy.get(), false));
        }
    }

    private void resume(SessionId session) {
        run.retry(server -> server.sessions.resume(CrashServer.TENANT, session));
    }

    private void awaitEnd(SessionId session, String turn) {
        try {
            while (!history.awaitEnd(turn, 100)) {
                run.resumeIfInactive(session);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void follow(SessionId session) {
        var answers = new Random(random.nextLong());
        run.start(() -> follow(session, answers));
    }

    private void follow(SessionId session, Random answers) {
        while (true) {
            var server = run.server();
            try (var subscription =
                    server.core.events().subscribe(session, history.lastSeenSeq(session))) {
                while (!server.lifetime.isKilled()) {
                    var event = subscription.next(Duration.ofMillis(20));
                    if (event != null && !event.isTransient()) {
                        server.lifetime.callAtomically(() -> history.addSeen(session, event));
                        answer(event, answers);
                    }
                }
            } catch (InterruptedException e) {
                return; // the run has finished
            } catch (RuntimeException | ServerLifetime.Killed e) {
                if (!server.lifetime.isKilled()) {
                    throw e;
                }
            }
        }
    }

    private void answer(LoggedEvent event, Random answers) {
        if (event.type() != EventType.APPROVAL_REQUIRED) {
            return;
        }
        var id = text(event.data(), "id");
        int kind = answers.nextInt(8);
        int delay = answers.nextInt(3) == 0 ? answers.nextInt(8_000_000) : 0;
        run.start(
                () -> {
                    LockSupport.parkNanos(delay);
                    decide(run, id, kind);
                });
        if (answers.nextInt(3) == 0) {
            run.start(() -> decide(run, id, 7 - kind));
        }
    }

    /** Sends the decision until it is accepted or the question is resolved. */
    static void decide(CrashRun run, String id, int kind) {
        var decision = kind == 0 ? "rejected" : kind == 1 ? "modified" : "approved";
        var input = kind == 1 ? RawJson.of("{\"call\":\"changed\"}") : null;
        run.retry(
                server -> {
                    try {
                        server.answers.decide(
                                CrashServer.TENANT,
                                new ApprovalId(id),
                                new ApprovalApi.Decide(
                                        decision, input, null, kind == 2 ? "session" : null),
                                "test");
                        server.lifetime.callAtomically(() -> run.history().decided(id, decision));
                    } catch (ApiException e) {
                        if (e.code() != ErrorCode.APPROVAL_RESOLVED) {
                            throw e;
                        }
                    }
                    return id;
                });
    }

    static String text(RawJson data, String field) {
        try {
            return JsonObject.parse(data).requireString(field);
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
