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

/** A client that does its part with one session, whatever happens to the server meanwhile. */
final class CrashClient {
    private final CrashRun run;
    private final CrashHistory history;
    private final CrashPlan.Client plan;
    private final Random random;
    private final String name;
    private int prompts;
    private volatile String doing = "create";

    CrashClient(CrashRun run, CrashPlan.Client plan, String name, long seed) {
        this.run = run;
        this.history = run.history();
        this.plan = plan;
        this.name = name;
        this.random = new Random(seed);
    }

    void work() {
        var session = create();
        follow(session);
        for (var op : plan.ops()) {
            doing = op + " as " + name + " with " + session;
            act(session, op);
        }
        doing = "nothing more";
    }

    @Override
    public String toString() {
        return doing;
    }

    private void act(SessionId session, CrashPlan.Op op) {
        switch (op) {
            case PROMPT -> awaitOver(session, prompt(session, false));
            case PROMPT_AND_LEAVE -> prompt(session, false);
            case QUEUE -> prompt(session, true);
            case TWICE -> twice(session);
            case INTERRUPT ->
                    run.once(server -> server.turns.interrupt(CrashServer.TENANT, session));
            case PAUSE -> {
                run.once(server -> server.sessions.pause(CrashServer.TENANT, session));
                resume(session);
            }
            case SLEEP -> run.once(server -> server.live.find(session).map(server.live::sleep));
            case FORK -> fork(session);
            case STOP -> {
                history.stopped(session);
                run.once(server -> server.sessions.stop(CrashServer.TENANT, session));
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
        return run.until(
                server -> {
                    var row =
                            server.sessions.register(CrashServer.TENANT, request, Optional.of(key));
                    row = server.sessions.start(row);
                    var id = row.id();
                    server.life.act(() -> history.created(key.key(), id));
                    return id;
                });
    }

    private String prompt(SessionId session, boolean queue) {
        var script = new ModelScript(name + "." + prompts++, CrashPlan.steps(random, plan.asks()));
        return prompt(session, script, queue);
    }

    /** Sends it, with one key, until it is accepted; returns its turn. */
    private String prompt(SessionId session, ModelScript script, boolean queue) {
        return run.until(
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

    private String accept(
            CrashServer server, SessionId session, ModelScript script, boolean queue) {
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
            server.life.act(() -> history.accepted(script.label(), session, id));
            return id;
        }
    }

    /** The same prompt by two connections at once makes one turn. */
    private void twice(SessionId session) {
        var script = new ModelScript(name + "." + prompts++, CrashPlan.steps(random, plan.asks()));
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
                run.once(
                        server -> {
                            var made =
                                    server.forks.fork(
                                            CrashServer.TENANT, session, Optional.empty());
                            server.life.act(() -> history.forked(session, made.id()));
                            return made.id();
                        });
        if (copy.isPresent()) {
            follow(copy.get());
            awaitOver(copy.get(), prompt(copy.get(), false));
        }
    }

    private void resume(SessionId session) {
        run.until(server -> server.sessions.resume(CrashServer.TENANT, session));
    }

    private void awaitOver(SessionId session, String turn) {
        try {
            while (!history.awaitOver(turn, 100)) {
                run.nudge(session);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void follow(SessionId session) {
        var answering = new Random(random.nextLong());
        run.start(() -> follow(session, answering));
    }

    private void follow(SessionId session, Random answering) {
        while (true) {
            var server = run.server();
            try (var subscription =
                    server.core.events().subscribe(session, history.lastSeen(session))) {
                while (!server.life.isDead()) {
                    var event = subscription.next(Duration.ofMillis(20));
                    if (event != null && !event.isTransient()) {
                        server.life.act(() -> history.saw(session, event));
                        answer(event, answering);
                    }
                }
            } catch (InterruptedException e) {
                return; // the run is over
            } catch (RuntimeException | CrashLife.Killed e) {
                if (!server.life.isDead()) {
                    throw e;
                }
            }
        }
    }

    private void answer(LoggedEvent event, Random answering) {
        if (event.type() != EventType.APPROVAL_REQUIRED) {
            return;
        }
        var id = text(event.data(), "id");
        int kind = answering.nextInt(8);
        int delay = answering.nextInt(3) == 0 ? answering.nextInt(8_000_000) : 0;
        run.start(
                () -> {
                    LockSupport.parkNanos(delay);
                    decide(run, id, kind);
                });
        if (answering.nextInt(3) == 0) {
            run.start(() -> decide(run, id, 7 - kind));
        }
    }

    /** Answers until the server says that the question is resolved. */
    static void decide(CrashRun run, String id, int kind) {
        var decision = kind == 0 ? "rejected" : kind == 1 ? "modified" : "approved";
        var input = kind == 1 ? RawJson.of("{\"call\":\"changed\"}") : null;
        run.until(
                server -> {
                    try {
                        server.answers.decide(
                                CrashServer.TENANT,
                                new ApprovalId(id),
                                new ApprovalApi.Decide(
                                        decision, input, null, kind == 2 ? "session" : null),
                                "test");
                        server.life.act(() -> run.history().decided(id, decision));
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
