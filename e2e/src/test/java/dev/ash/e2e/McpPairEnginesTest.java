package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.model.ScriptedModelApi;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunDirectories;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Checks that two real engines exchange messages alternately: {@code c-1}, {@code r-1}, {@code c-2}
 * …, so that the number of each message is known in advance. Each engine is killed once, with its
 * MCP server.
 */
@NeedsClaude
class McpPairEnginesTest {
    private static final Pattern MESSAGE = Pattern.compile("\\b[cr]-[0-9]+\\b");

    private final TestDirectory directory = TestDirectory.create();
    private final List<AutoCloseable> resources = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (var resource : resources.reversed()) {
            resource.close();
        }
        directory.close();
    }

    @Test
    void d3_twoClaudeEnginesExchangeMessagesAcrossKills() throws Exception {
        var api = api();
        exchange(
                "claude-2",
                this::stdio,
                connection -> new McpPairClaude(api, home("claude-2"), connection));
    }

    @Test
    @NeedsCodex
    void d3_claudeAndCodexExchangeMessagesAcrossKills() throws Exception {
        var api = api();
        exchange(
                "codex",
                this::stdio,
                connection -> new McpPairCodex(api, home("codex"), connection));
    }

    @Test
    @NeedsCodex
    void d3_claudeAndCodexExchangeMessagesOverHttp() throws Exception {
        var api = api();
        var server =
                AshServer.start(
                        Map.of(
                                "ASH_PROJECT_ROOTS", directory.path().toString(),
                                "ASH_PAIR_DIR", directory.path().resolve("pairs").toString()));
        resources.add(server);
        var mailbox =
                server.api()
                        .post(
                                "/api/mailboxes",
                                Map.of(
                                        "repository",
                                        directory.path().toString(),
                                        "run",
                                        "1",
                                        "peers",
                                        List.of(Map.of("name", "claude"), Map.of("name", "codex"))))
                        .expect(201);

        exchange(
                "codex",
                (peer, _) -> http(server, mailbox, peer),
                connection -> new McpPairCodex(api, home("codex"), connection));
    }

    private static MailboxConnection http(AshServer server, ApiResponse mailbox, String peer) {
        var entry =
                mailbox.at("/mailbox/peers")
                        .valueStream()
                        .filter(one -> one.path("name").asString().equals(peer))
                        .findFirst()
                        .orElseThrow();
        assertThat(entry.path("url").asString()).startsWith(server.api().base() + "/mcp/pair/");
        return new MailboxConnection.Http(
                entry.path("url").asString(), entry.path("token").asString());
    }

    private void exchange(
            String partner,
            BiFunction<String, String, MailboxConnection> connections,
            Function<MailboxConnection, McpPairEngine> engine)
            throws Exception {
        var api = api();
        Supplier<McpPairEngine> startAsker =
                () ->
                        closedAfterTest(
                                new McpPairClaude(
                                        api, home("claude"), connections.apply("claude", partner)));
        Supplier<McpPairEngine> startAnswerer =
                () -> closedAfterTest(engine.apply(connections.apply(partner, partner)));
        var askers = new ArrayList<McpPairEngine>(List.of(startAsker.get()));
        var answerers = new ArrayList<McpPairEngine>(List.of(startAnswerer.get()));
        exchangeRounds(askers.getLast(), answerers.getLast(), partner, 1, 4);

        askers.getLast().kill();
        askers.add(startAsker.get());
        exchangeRounds(askers.getLast(), answerers.getLast(), partner, 5, 8);

        // The message is read but neither answered nor acknowledged.
        askers.getLast().begin(List.of(ask(askers.getLast(), partner, 9)));
        askers.getLast().awaitEnd();
        answerers.getLast().begin(List.of(receive(answerers.getLast(), 16), "HOLD"));
        await().atMost(Duration.ofSeconds(90)).until(() -> messages(answerers).contains("c-9"));
        answerers.getLast().kill();
        var before = messages(answerers);

        answerers.add(startAnswerer.get());
        var rest = new ArrayList<String>();
        rest.add(receive(askers.getLast(), 17));
        rest.addAll(asking(askers.getLast(), partner, 10, 12));
        answerers.getLast().begin(answering(answerers.getLast(), 9, 12));
        askers.getLast().begin(rest);
        askers.getLast().awaitEnd();
        answerers.getLast().awaitEnd();

        assertThat(mailboxContents())
                .isEqualTo(
                        IntStream.rangeClosed(1, 12)
                                .boxed()
                                .flatMap(n -> List.of("c-" + n, "r-" + n).stream())
                                .toList());
        assertThat(messages(askers)).isEqualTo(numbered("r-", 1, 12));
        assertThat(before).isEqualTo(numbered("c-", 1, 9));
        assertThat(messages(List.of(answerers.getLast()))).isEqualTo(numbered("c-", 9, 12));
    }

    private static void exchangeRounds(
            McpPairEngine asker, McpPairEngine answerer, String partner, int from, int to) {
        answerer.begin(answering(answerer, from, to));
        asker.begin(asking(asker, partner, from, to));
        asker.awaitEnd();
        answerer.awaitEnd();
    }

    private static List<String> asking(McpPairEngine engine, String partner, int from, int to) {
        var steps = new ArrayList<String>();
        for (int n = from; n <= to; n++) {
            steps.add(ask(engine, partner, n));
            steps.add(receive(engine, 2 * n - 1));
        }
        steps.add(acknowledge(engine, 2 * to));
        return steps;
    }

    private static List<String> answering(McpPairEngine engine, int from, int to) {
        var steps = new ArrayList<String>();
        for (int n = from; n <= to; n++) {
            steps.add(receive(engine, 2 * n - 2));
            steps.add(send(engine, "claude", "r-" + n));
        }
        steps.add(acknowledge(engine, 2 * to));
        return steps;
    }

    private static String ask(McpPairEngine engine, String partner, int n) {
        return send(engine, partner, "c-" + n);
    }

    private static String send(McpPairEngine engine, String to, String text) {
        return "TOOL:%s {\"to\":\"%s\",\"message_type\":\"chat\",\"content\":\"%s\",\"client_id\":\"%s\"}"
                .formatted(engine.tool("send_to_agent"), to, text, text);
    }

    private static String receive(McpPairEngine engine, int acknowledged) {
        return "TOOL:%s {\"wait_seconds\":60%s}"
                .formatted(
                        engine.tool("receive_messages"),
                        acknowledged == 0 ? "" : ",\"ack\":" + acknowledged);
    }

    private static String acknowledge(McpPairEngine engine, int seq) {
        return "TOOL:%s {\"ack\":%d}".formatted(engine.tool("receive_messages"), seq);
    }

    /** Returns the messages that the models received, in order. */
    private static List<String> messages(Collection<McpPairEngine> engines) {
        var found = new ArrayList<String>();
        for (var engine : engines) {
            for (var answer : engine.toolAnswers()) {
                // Some engines pass both text and structured content to their model.
                MESSAGE.matcher(answer)
                        .results()
                        .map(match -> match.group())
                        .distinct()
                        .forEach(found::add);
            }
        }
        return found;
    }

    private List<String> mailboxContents() throws IOException {
        var run =
                new RunDirectories(directory.path().resolve("pairs"))
                        .find(Repository.of(directory.path()), "1")
                        .orElseThrow();
        try (var mailbox = Mailbox.open(run.path(), 1)) {
            assertThat(mailbox.status().skipped() + mailbox.status().flagged()).isZero();
            return mailbox.read(0, 100).stream().map(entry -> entry.message().content()).toList();
        }
    }

    private static List<String> numbered(String prefix, int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(n -> prefix + n).toList();
    }

    private ScriptedModelApi api() {
        var api = ScriptedModelApi.start();
        resources.add(api);
        return api;
    }

    private McpPairEngine closedAfterTest(McpPairEngine engine) {
        resources.add(engine);
        return engine;
    }

    private Path home(String peer) {
        return directory.path().resolve(peer);
    }

    private MailboxConnection stdio(String peer, String partner) {
        return new MailboxConnection.Stdio(
                McpPairProgram.command(directory.path(), peer, "--peers", "claude," + partner));
    }
}
