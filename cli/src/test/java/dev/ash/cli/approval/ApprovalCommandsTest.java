package dev.ash.cli.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApprovalCommandsTest {
    private static final String FIRST = "11112222-0000-4000-8000-000000000001";
    private static final String SECOND = "11113333-0000-4000-8000-000000000002";
    private static final String QUESTION = "aaaabbbb-0000-4000-8000-000000000003";

    @TempDir Path root;
    private FakeServer server;

    static String approval(String id, String kind, String tool, String input, String status) {
        return "{\"id\":\"%s\",\"sessionId\":\"s1\",\"kind\":\"%s\",\"tool\":\"%s\",\"input\":%s,\"status\":\"%s\",\"createdAt\":\"t1\"}"
                .formatted(id, kind, tool, input, status);
    }

    private static String bash(String id, String status) {
        return approval(id, "tool", "Bash", "{\"command\":\"rm \\u001b[2J x\"}", status);
    }

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        var question =
                approval(
                        QUESTION,
                        "question",
                        "AskUserQuestion",
                        "{\"questions\":[{\"question\":\"Which?\",\"options\":[{\"label\":\"Red\",\"description\":\"warm\"},{\"label\":\"Blue\"}]}]}",
                        "pending");
        server.on(
                "GET /api/approvals",
                "{\"approvals\":[%s,%s,%s]}"
                        .formatted(bash(FIRST, "pending"), bash(SECOND, "pending"), question));
        for (var id : new String[] {FIRST, SECOND}) {
            server.on("GET /api/approvals/" + id, "{\"approval\":" + bash(id, "pending") + "}");
        }
        var decided =
                bash(FIRST, "approved").replace("}}", "}").replaceFirst("\\}$", "")
                        + ",\"decidedBy\":\"cli\"}";
        for (var id : new String[] {FIRST, SECOND, QUESTION}) {
            server.on("POST /api/approvals/" + id, "{\"approval\":" + decided + "}");
        }
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Result run(String... args) {
        return new Ash(root).server(server).run(args);
    }

    @Test
    void listsPendingApprovalsSanitized() {
        assertThat(run("approvals", "list").out())
                .isEqualTo(
                        """
                        ID        SESSION  STATUS   ASKED  WHAT
                        11112222  s1       pending  t1     Bash  rm �[2J x
                        11113333  s1       pending  t1     Bash  rm �[2J x
                        aaaabbbb  s1       pending  t1     Which?
                        """);
        run("approvals", "list", "--all", "--session", "s1", "--limit", "2");
        assertThat(server.lines())
                .containsExactly(
                        "GET /api/approvals?status=pending",
                        "GET /api/approvals?sessionId=s1&limit=2");
        assertThat(run("--json", "approvals", "list").out()).startsWith("{\"approvals\":[{");
        server.on("GET /api/approvals", "{\"approvals\":[]}");
        assertThat(run("approvals", "list"))
                .isEqualTo(new Result(0, "", "No pending approvals.\n"));
    }

    @Test
    void showsCompleteInput() {
        assertThat(run("approvals", "show", FIRST).out())
                .contains("tool     Bash", "status   pending", "\ncommand: rm �[2J x\n");
        assertThat(run("approvals", "show", FIRST, "--json").out()).startsWith("{\"approval\":{");
    }

    @Test
    void approvesByIdPrefix() {
        var result = run("approvals", "approve", "11112");

        assertThat(result).isEqualTo(new Result(0, "Bash: approved by cli\n", ""));
        run("approvals", "approve", "11112", "--session");
        run("approvals", "approve", SECOND, "--input", "{\"command\":\n\"ls\"}");
        assertThat(server.lines())
                .contains(
                        "GET /api/approvals?status=pending&limit=1000",
                        "POST /api/approvals/" + FIRST + " {\"decision\":\"approved\"}",
                        "POST /api/approvals/"
                                + FIRST
                                + " {\"decision\":\"approved\",\"scope\":\"session\"}")
                .last()
                .asString()
                .startsWith("POST /api/approvals/" + SECOND + " {\"decision\":\"modified\"")
                .contains("\"ls\"");
        assertThat(server.requests())
                .allSatisfy(request -> assertThat(request.header("X-Ash-Source")).contains("cli"));
    }

    @Test
    void readsInputFromFile() throws IOException {
        Files.writeString(root.resolve("input.json"), "{\"command\":\"ls\"}\n");

        assertThat(run("approvals", "approve", "11112", "--input", "@input.json").exitCode())
                .isZero();
        assertThat(server.lines().getLast()).endsWith("\"input\":{\"command\":\"ls\"}}");
        assertThat(run("approvals", "approve", "11112", "--input", "@nowhere").err())
                .contains("nowhere", "does not exist");
        var wrong = run("approvals", "approve", "11112", "--input", "ls");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("--input is not a JSON object", "@FILE");
        assertThat(run("approvals", "approve", "11112", "--input", "{}", "--session").exitCode())
                .isEqualTo(2);
    }

    @Test
    void rejectsShortUnknownAndAmbiguousIds() {
        var ambiguous = run("approvals", "approve", "1111");
        assertThat(ambiguous.exitCode()).isEqualTo(2);
        assertThat(ambiguous.err()).contains("matches 2 approvals", FIRST, SECOND);
        assertThat(run("approvals", "reject", "111").err())
                .contains("at least the first 4 characters");
        var unknown = run("approvals", "reject", "9999");
        assertThat(unknown.exitCode()).isEqualTo(4);
        assertThat(unknown.err()).contains("ash approvals list --all");
        assertThat(server.lines()).noneMatch(line -> line.startsWith("POST"));
    }

    @Test
    void rejectsWithReason() {
        run("approvals", "reject", "11113", "-m", "too early");

        assertThat(server.lines().getLast())
                .isEqualTo(
                        "POST /api/approvals/"
                                + SECOND
                                + " {\"decision\":\"rejected\",\"message\":\"too early\"}");
    }

    @Test
    void answersQuestionByNumberOrText() {
        run("approvals", "approve", "aaaa", "--answer", "2");
        assertThat(server.lines().getLast())
                .endsWith(
                        "{\"decision\":\"modified\",\"input\":{\"answers\":{\"Which?\":\"Blue\"}}}");
        run("approvals", "approve", "aaaa", "--answer", "Green");
        assertThat(server.lines().getLast()).contains("\"Which?\":\"Green\"");

        var none = run("approvals", "approve", "aaaa");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("--answer", "Which?", "1  Red  (warm)", "2  Blue");
        assertThat(run("approvals", "approve", "11112", "--answer", "2").exitCode()).isEqualTo(2);
    }

    @Test
    void reportsAnEarlierAnswer() {
        server.on(
                "POST /api/approvals/" + FIRST,
                409,
                "{\"error\":\"approved by console at t\",\"code\":\"APPROVAL_RESOLVED\"}");

        assertThat(run("approvals", "approve", "11112"))
                .isEqualTo(new Result(6, "", "ash: approved by console at t\n"));
    }

    @Test
    void printsHelp() {
        assertThat(run("approvals", "--help").out()).contains("list", "show", "approve", "reject");
        for (var command : new String[] {"list", "show", "approve", "reject"}) {
            assertThat(run("approvals", command, "--help").out())
                    .startsWith("Usage: ash approvals " + command);
        }
        assertThat(run("help", "session", "fork").out()).contains("--turn");
        assertThat(run("approvals").exitCode()).isEqualTo(2);
    }
}
