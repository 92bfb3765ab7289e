package dev.ash.server.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.approval.ApprovalStore;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.AskerKind;
import dev.ash.server.approval.Askers;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.EventViews;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.HttpConfig;
import dev.ash.server.http.HttpServer;
import dev.ash.server.http.Json;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import dev.ash.server.store.Database;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;

/** Hooks and approvals on a real database with a real HTTP server. */
final class HookFixture implements AutoCloseable {
    static final String TOKEN = "the-token";

    final List<HookSession> changes = new ArrayList<>();
    final ConcurrentLinkedQueue<SessionId> woken = new ConcurrentLinkedQueue<>();
    final Database database;
    final SessionEvents events;
    final Approvals approvals;
    final ApprovalAnswers answers;
    final Hooks hooks;
    final int port;
    private final HttpServer server;

    private static HookToken token(Path directory, Clock clock) {
        try {
            return HookToken.open(
                    directory.resolve("hook-token"), Optional.of(TOKEN), new SecureRandom(), clock);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HookFixture(Path directory, Duration timeout) {
        this(directory, new HookTimeouts(timeout, Duration.ZERO), Clock.systemUTC());
    }

    HookFixture(Path directory, HookTimeouts timeouts, Clock clock) {
        database = Database.open(directory.resolve("ash.db"));
        var eventStore = new EventStore(database);
        events = new SessionEvents(database, eventStore, clock);
        var store = new ApprovalStore(database);
        approvals = new Approvals(store, events, clock, Optional.empty());
        hooks = new Hooks(database, events, approvals, clock, timeouts);
        hooks.onChange(changes::add);
        answers = new ApprovalAnswers(approvals, noSandboxes(), Map.of(AskerKind.HOOKS, hooks));
        hooks.recover();
        answers.start();
        var endpoints = new ArrayList<Endpoint>();
        endpoints.addAll(
                new HookRoutes(hooks, token(directory, clock), new EventViews(eventStore))
                        .endpoints());
        endpoints.addAll(answers.endpoints());
        server =
                new HttpServer(
                        new HttpConfig(
                                "127.0.0.1",
                                0,
                                Duration.ofSeconds(30),
                                Duration.ofMillis(50),
                                Set.of(),
                                Set.of(),
                                0),
                        TestIdentities.authenticator(
                                key ->
                                        Optional.of(
                                                new ApiKeyIdentity(
                                                        TenantId.DEFAULT, key, Scope.ALL))),
                        endpoints);
        port = server.start();
    }

    private Askers noSandboxes() {
        return new Askers() {
            @Override
            public Optional<Asker> askerOf(SessionId session) {
                return Optional.empty();
            }

            @Override
            public void wake(SessionId session) {
                woken.add(session);
            }
        };
    }

    record Answer(int status, String body) {}

    Answer hook(String body) throws IOException {
        return call("/hooks/event", body, Map.of("Authorization", "Bearer " + TOKEN));
    }

    Answer askingHook(String body) throws IOException {
        return call(
                "/hooks/event",
                body,
                Map.of("Authorization", "Bearer " + TOKEN, "X-Ash-Ask", "ask"));
    }

    /** A hook that waits for the answer to its question. */
    record Waiting(CompletableFuture<Answer> answer, Approval approval) {}

    Waiting startAskingHook(String body) throws Exception {
        return start(() -> askingHook(body));
    }

    Waiting startHook(String body) throws Exception {
        return start(() -> hook(body));
    }

    private interface Call {
        Answer send() throws IOException;
    }

    private Waiting start(Call call) throws Exception {
        var waiting =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return call.send();
                            } catch (IOException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        Executors.newVirtualThreadPerTaskExecutor());
        return new Waiting(waiting, awaitPending());
    }

    /** Waits until the question is visible, which follows its commit. */
    Approval awaitPending() throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (true) {
            var pending = approvals("?status=pending");
            if (!pending.isEmpty()) {
                return pending.getFirst();
            }
            assertThat(System.nanoTime())
                    .as("timed out waiting for a question")
                    .isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    List<Approval> approvals(String query) throws IOException {
        var answer = call("/api/approvals" + query, "", Map.of("Authorization", "Bearer key"));
        return Json.read(
                        answer.body().getBytes(StandardCharsets.UTF_8), ApprovalApi.Approvals.class)
                .approvals();
    }

    Answer decide(Approval approval, String body) throws IOException {
        return call(
                "/api/approvals/" + approval.id(),
                body,
                Map.of("Authorization", "Bearer key", "X-Ash-Source", "phone"));
    }

    Answer get(String path) throws IOException {
        return call(path, "", Map.of("Authorization", "Bearer key"));
    }

    Answer call(String path, String body, Map<String, String> headers) throws IOException {
        var connection =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        headers.forEach(connection::setRequestProperty);
        if (!body.isEmpty()) {
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", "application/json");
            connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
        int status = connection.getResponseCode();
        try (var in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return new Answer(
                    status, new String(in.readAllBytes(), StandardCharsets.UTF_8).strip());
        }
    }

    @Override
    public void close() {
        hooks.close();
        server.close();
        answers.close();
        database.close();
    }
}
