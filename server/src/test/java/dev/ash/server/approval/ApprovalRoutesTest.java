package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.http.HttpConfig;
import dev.ash.server.http.HttpServer;
import dev.ash.server.http.Json;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApprovalRoutesTest {
    private static final String UNKNOWN = "550e8400-e29b-41d4-a716-446655440000";

    @TempDir Path directory;
    private ApprovalFixture fixture;
    private HttpServer server;
    private int port;

    @BeforeEach
    void open() {
        fixture = new ApprovalFixture(directory);
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
                                                        key.equals("mine")
                                                                ? ApprovalFixture.TENANT
                                                                : ApprovalFixture.OTHER,
                                                        key,
                                                        Scope.ALL))),
                        fixture.answers.endpoints());
        port = server.start();
    }

    @AfterEach
    void close() {
        server.close();
        fixture.close();
    }

    private record Answer(int status, String body) {
        Approval approval() {
            return Json.read(
                            body.getBytes(StandardCharsets.UTF_8),
                            ApprovalApi.ApprovalResponse.class)
                    .approval();
        }

        List<String> tools() {
            return Json.read(body.getBytes(StandardCharsets.UTF_8), ApprovalApi.Approvals.class)
                    .approvals()
                    .stream()
                    .map(Approval::tool)
                    .toList();
        }
    }

    private Answer call(String key, String path, String body, String source) throws IOException {
        var connection =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setRequestProperty("Authorization", "Bearer " + key);
        connection.setRequestProperty("X-Ash-Source", source);
        if (!body.isEmpty()) {
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", "application/json");
            connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
        int status = connection.getResponseCode();
        try (var in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return new Answer(status, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private Answer get(String path) throws IOException {
        return call("mine", path, "", "");
    }

    private Answer post(Approval approval, String body) throws IOException {
        return call("mine", "/api/approvals/" + approval.id(), body, "cli");
    }

    private Approval ask(Kind kind) {
        fixture.bridge().ask(ApprovalFixture.call("q1", kind, "Tool", "{\"a\":1}"));
        return fixture.only();
    }

    @Test
    void rejectsSecondAnswer() throws Exception {
        var approval = ask(Kind.TOOL);

        assertThat(get("/api/approvals/" + approval.id()).approval()).isEqualTo(approval);
        var decided = post(approval, "{\"decision\":\"approved\",\"scope\":\"session\"}");
        var late = post(approval, "{\"decision\":\"rejected\"}");

        assertThat(decided.status()).isEqualTo(200);
        assertThat(decided.approval()).isEqualTo(fixture.only());
        assertThat(decided.approval().decidedBy()).isEqualTo("cli");
        assertThat(late.status()).isEqualTo(409);
        assertThat(late.body())
                .contains("APPROVAL_RESOLVED")
                .contains("already approved by cli at " + fixture.only().decidedAt())
                .contains(fixture.session.value());
    }

    @ParameterizedTest
    @CsvSource({"telegram-1, telegram-1", "rule, api", "Not this, api", "'', api"})
    void acceptsValidSourceNames(String source, String by) throws Exception {
        var path = "/api/approvals/" + ask(Kind.TOOL).id();

        var decided = call("mine", path, "{\"decision\":\"approved\"}", source);

        assertThat(decided.approval().decidedBy()).isEqualTo(by);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    TOOL | {"decision":"yes"} | decision: must be approved, modified or rejected, was \\"yes\\"
                    TOOL | {} | decision
                    TOOL | {"decision":"modified"} | input: is required with modified
                    TOOL | {"decision":"modified","input":[1]} | input: must be a JSON object
                    TOOL | {"decision":"approved","input":{}} | input: is allowed only with the decision modified
                    TOOL | {"decision":"rejected","input":{}} | omit it with rejected
                    TOOL | {"decision":"rejected","scope":"once"} | scope: is allowed only with approved
                    TOOL | {"decision":"modified","input":{},"scope":"session"} | a changed input applies only to this call
                    TOOL | {"decision":"approved","scope":"ever"} | scope: must be once or session, was \\"ever\\"
                    PLAN | {"decision":"approved","scope":"session"} | every plan needs its own answer
                    QUESTION | {"decision":"approved"} | a question needs an answer: send modified
                    QUESTION | {"decision":"modified","input":{"a":1}} | input: must contain the answers
                    """)
    void rejectsInvalidDecisions(Kind kind, String body, String message) throws Exception {
        var answer = post(ask(kind), body);

        assertThat(answer.status()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(message);
        assertThat(fixture.only().status()).isEqualTo("pending");
    }

    @Test
    void limitsLengthOfMessage() throws Exception {
        var approval = ask(Kind.TOOL);
        var body = "{\"decision\":\"rejected\",\"message\":\"%s\"}";

        var tooLong = post(approval, body.formatted("x".repeat(10_001)));
        var longest = post(approval, body.formatted("x".repeat(10_000)));

        assertThat(tooLong.status()).isEqualTo(400);
        assertThat(tooLong.body()).contains("message: must have at most 10000 characters");
        assertThat(longest.status()).isEqualTo(200);
    }

    @Test
    void acceptsAnswersToQuestion() throws Exception {
        var approval = ask(Kind.QUESTION);

        var decided =
                post(approval, "{\"decision\":\"modified\",\"input\":{\"answers\":{\"q\":\"a\"}}}");

        assertThat(decided.approval().status()).isEqualTo("modified");
        assertThat(decided.approval().decidedInput()).hasToString("{\"answers\":{\"q\":\"a\"}}");
    }

    @Test
    void hidesApprovalsOfOtherTenants() throws Exception {
        var approval = ask(Kind.TOOL);
        var path = "/api/approvals/" + approval.id();

        assertThat(call("other", path, "", "").status()).isEqualTo(404);
        assertThat(call("other", path, "{\"decision\":\"approved\"}", "").status()).isEqualTo(404);
        assertThat(call("other", "/api/approvals", "", "").tools()).isEmpty();
        assertThat(call("other", "/api/approvals?after=" + approval.id(), "", "").status())
                .isEqualTo(404);
        assertThat(get("/api/approvals/" + UNKNOWN).body()).contains("APPROVAL_NOT_FOUND");
        assertThat(get("/api/approvals/nonsense").status()).isEqualTo(400);
        assertThat(fixture.only().status()).isEqualTo("pending");
    }

    @Test
    void listsPagesInStableOrder() throws Exception {
        var bridge = fixture.bridge();
        for (var tool : List.of("A", "B", "C", "D")) {
            fixture.clock.add(Duration.ofSeconds(1));
            bridge.ask(tool, tool, "{}");
        }
        fixture.decide(fixture.pending().get(1), ApprovalFixture.approved());

        assertThat(get("/api/approvals").tools()).containsExactly("D", "C", "B", "A");
        assertThat(get("/api/approvals?status=pending").tools()).containsExactly("A", "C", "D");
        assertThat(get("/api/approvals?status=approved").tools()).containsExactly("B");
        var b = fixture.all().get(2);
        assertThat(b.tool()).isEqualTo("B");
        assertThat(get("/api/approvals?status=pending&limit=1&after=" + b.id()).tools())
                .containsExactly("C");
        assertThat(get("/api/approvals?after=" + b.id()).tools()).containsExactly("A");
        assertThat(get("/api/approvals?sessionId=" + fixture.session).tools()).hasSize(4);
        assertThat(get("/api/approvals?sessionId=" + UNKNOWN).tools()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "status=open, status: must be one of pending",
        "limit=0, limit: must be a whole number from 1 to 1000",
        "limit=x, limit: must be",
        "sessionId=x, sessionId: must be",
        "after=x, approvalId: must be"
    })
    void rejectsInvalidListParameters(String query, String message) throws Exception {
        var answer = get("/api/approvals?" + query);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains(message);
    }
}
