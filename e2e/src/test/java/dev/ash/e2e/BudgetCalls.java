package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.model.MeteredModelApi;
import dev.ash.e2e.model.MeteredModelApi.Ending;
import dev.ash.e2e.model.MeteredModelApi.Reply;
import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Generates model calls of one session and sends them to the socket of its sandbox, as a hostile
 * program inside would. Not thread-safe.
 */
final class BudgetCalls {
    private static final String MODEL = "claude-opus-4-1-20250805";
    private static final double INPUT_USD = 15e-6;
    private static final double OUTPUT_USD = 75e-6;

    private enum Client {
        READS,
        CLOSES_BEFORE_RESPONSE,
        CLOSES_DURING_RESPONSE
    }

    /** {@code request} contains head and body; the estimate follows from its size. */
    private record Call(
            Reply reply,
            Client client,
            byte[] request,
            long estimatedTokens,
            double estimatedUsd) {}

    /** Total cost in dollars and tokens. */
    record Spent(double usd, long tokens) {
        Spent plus(double moreUsd, long moreTokens) {
            return new Spent(usd + moreUsd, tokens + moreTokens);
        }
    }

    private final MeteredModelApi model;
    private final Random random;
    private final boolean codex;
    private final boolean money;
    private final String placeholder;
    private TestSession session;
    private AshServer server;

    BudgetCalls(AshServer server, MeteredModelApi model, Random random, boolean codex) {
        this.server = server;
        this.model = model;
        this.random = random;
        this.codex = codex;
        this.money = !codex && random.nextInt(3) > 0;
        session =
                server.session(
                        Map.of(
                                "agent",
                                "spender",
                                "engine",
                                codex ? "codex" : "demo",
                                money ? "maxBudgetUsd" : "maxTokens",
                                1));
        placeholder =
                session.exec("printenv " + (codex ? "ASH_MODEL_KEY" : "ANTHROPIC_API_KEY"))
                        .path("stdout")
                        .asString()
                        .strip();
    }

    void on(AshServer other) {
        server = other;
        session = session.on(other);
    }

    /** Runs one schedule: sets a new limit, then makes calls in waves of parallel calls. */
    void schedule(String name) throws Exception {
        var before = recorded();
        double usd = 0.001 + random.nextDouble() * 0.3;
        long tokens = 1 + random.nextInt(8_000);
        limit(before.usd() + usd, before.tokens() + tokens);
        int waves = random.nextInt(10) == 0 ? 1 : 1 + random.nextInt(2);
        var answered = new Spent(0, 0);
        var most = new Spent(0, 0);
        double maxUsd = 0;
        long maxTokens = 0;
        for (int i = 0; i < waves; i++) {
            int size = random.nextInt(20) == 0 ? 64 : 1 + random.nextInt(8);
            for (var call : wave(size)) {
                boolean charged = call.reply().ending() != Ending.ERROR;
                long count = charged ? call.reply().input() + call.reply().charged() : 0;
                double cost = charged ? usd(call.reply().input(), call.reply().charged()) : 0;
                answered = answered.plus(cost, count);
                most =
                        exact(call)
                                ? most.plus(cost, count)
                                : most.plus(call.estimatedUsd(), call.estimatedTokens());
                maxUsd = Math.max(maxUsd, cost);
                maxTokens = Math.max(maxTokens, count);
            }
            awaitSettled();
        }
        var after = recorded();
        if (money) {
            assertThat(answered.usd()).as(name).isLessThanOrEqualTo(usd + maxUsd + 1e-9);
        } else {
            assertThat(answered.tokens()).as(name).isLessThanOrEqualTo(tokens + maxTokens);
        }
        assertThat(after.tokens() - before.tokens())
                .as(name)
                .isBetween(answered.tokens(), most.tokens());
        // each call is rounded up to a millionth of a dollar
        assertThat(after.usd() - before.usd())
                .as(name)
                .isBetween(answered.usd() - 1e-9, most.usd() + 64e-6);
    }

    private static boolean exact(Call call) {
        return switch (call.reply().ending()) {
            case WHOLE, OBJECT, ERROR -> true;
            case BREAKS_WITHIN, BREAKS_BEFORE_HEAD -> false;
        };
    }

    /** Kills the server while the model processes calls; all of them must be charged. */
    void crash(Crash kill) throws Exception {
        var before = recorded();
        limit(before.usd() + 100, before.tokens() + 1_000_000);
        var calls = new ArrayList<Call>();
        var clients = new ArrayList<SocketChannel>();
        for (int i = 0; i < 5; i++) {
            var call = call();
            var client = connect();
            write(client, call.request());
            call.reply().arrived().get(1, TimeUnit.MINUTES);
            calls.add(call);
            clients.add(client);
        }

        on(kill.restart());
        for (int i = 0; i < calls.size(); i++) {
            calls.get(i).reply().released().complete(null);
            clients.get(i).close();
        }

        long tokens = calls.stream().mapToLong(Call::estimatedTokens).sum();
        assertThat(reservations()).isZero();
        assertThat(recorded().tokens() - before.tokens()).isEqualTo(tokens);
    }

    interface Crash {
        AshServer restart() throws Exception;
    }

    /** Returns the calls that reached the model. */
    private List<Call> wave(int size) throws Exception {
        var calls = new ArrayList<Call>();
        var answeredOrArrived = new CountDownLatch(size);
        var threads = new ArrayList<Thread>();
        var failures = new ArrayList<Throwable>();
        for (int i = 0; i < size; i++) {
            var call = call();
            calls.add(call);
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            run(call, answeredOrArrived);
                                        } catch (Exception e) {
                                            synchronized (failures) {
                                                failures.add(e);
                                            }
                                        } finally {
                                            answeredOrArrived.countDown();
                                        }
                                    }));
        }
        assertThat(answeredOrArrived.await(1, TimeUnit.MINUTES)).isTrue();
        calls.forEach(call -> call.reply().released().complete(null));
        for (var thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        return calls.stream().filter(call -> call.reply().arrived().isDone()).toList();
    }

    private void run(Call call, CountDownLatch answeredOrArrived) throws Exception {
        try (var client = connect()) {
            write(client, call.request());
            var rejected =
                    CompletableFuture.supplyAsync(
                            () -> read(client, 12), Thread::startVirtualThread);
            CompletableFuture.anyOf(rejected, call.reply().arrived()).get(1, TimeUnit.MINUTES);
            if (call.client() == Client.CLOSES_BEFORE_RESPONSE) {
                return;
            }
            answeredOrArrived.countDown();
            rejected.get(1, TimeUnit.MINUTES);
            if (call.client() == Client.READS) {
                while (!read(client, 4096).isEmpty()) {
                    // skip to the end of the response
                }
            }
        }
    }

    private Call call() {
        var id = UUID.randomUUID().toString();
        int max = 100 + random.nextInt(2_000);
        var prompt = "PLAN:" + id + " " + "word ".repeat(random.nextInt(200));
        var body =
                codex
                        ? "{\"model\":\"gpt-x\",\"store\":false,\"stream\":true,\"max_output_tokens\":%d,\"input\":\"%s\"}"
                                .formatted(max, prompt)
                        : "{\"model\":\"%s\",\"stream\":true,\"max_tokens\":%d,\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}"
                                .formatted(MODEL, max, prompt);
        int kind = random.nextInt(10);
        var ending = kind < 6 ? Ending.WHOLE : Ending.values()[kind - 5];
        int input = body.length() / 2;
        var reply =
                Reply.of(
                        ending,
                        codex ? "gpt-x" : MODEL,
                        random.nextInt(input + 1),
                        random.nextInt(max + 1),
                        random.nextInt(4));
        model.plan(id, reply);
        double estimate = codex ? 0 : input * INPUT_USD * 1.25 + max * OUTPUT_USD;
        return new Call(
                reply,
                Client.values()[random.nextInt(Client.values().length)],
                request(body),
                input + max,
                estimate);
    }

    private double usd(long input, long output) {
        return codex ? 0 : input * INPUT_USD + output * OUTPUT_USD;
    }

    private byte[] request(String body) {
        var head =
                "POST %s HTTP/1.1\r\nHost: m\r\nConnection: close\r\nAuthorization: Bearer %s\r\n"
                        .formatted(codex ? "/v1/responses" : "/v1/messages", placeholder);
        var text =
                random.nextBoolean()
                        ? head + "Content-Length: " + body.length() + "\r\n\r\n" + body
                        : head
                                + "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                                        .formatted(body.length(), body);
        return text.getBytes(ISO_8859_1);
    }

    private void limit(double usd, long tokens) {
        server.api()
                .patch(
                        session.path() + "/config",
                        money ? Map.of("maxBudgetUsd", usd) : Map.of("maxTokens", tokens))
                .expect(200);
    }

    private Spent recorded() {
        var usage = server.api().get(session.path()).at("/session/usage");
        return new Spent(
                usage.path("costUsd").asDouble(),
                usage.path("inputTokens").asLong() + usage.path("outputTokens").asLong());
    }

    private void awaitSettled() {
        await().atMost(Duration.ofMinutes(1))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> reservations() == 0);
    }

    private long reservations() {
        try (var connection =
                        DriverManager.getConnection(
                                "jdbc:sqlite:" + server.data().resolve("ash.db"));
                var query =
                        connection.prepareStatement(
                                "SELECT count(*) FROM reservations WHERE session_id = ?")) {
            query.setString(1, session.id());
            try (var rows = query.executeQuery()) {
                return rows.next() ? rows.getLong(1) : 0;
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket()));
    }

    private Path socket() {
        var sandbox = new SandboxId(session.created().path("sandboxId").asString());
        return server.data().resolve("egress").resolve(sandbox.shortId()).resolve("proxy.sock");
    }

    private static void write(SocketChannel client, byte[] bytes) throws IOException {
        var buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            client.write(buffer);
        }
    }

    private static String read(SocketChannel client, int most) {
        try {
            var buffer = ByteBuffer.allocate(most);
            int count = client.read(buffer);
            return count <= 0 ? "" : new String(buffer.array(), 0, count, ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
