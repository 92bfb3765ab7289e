package dev.ash.e2e.conformance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.ApiResponse;
import dev.ash.e2e.AshExtension;
import dev.ash.e2e.TestSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 001: the REST API, its description and the storage, with the demo engine. */
class ArchitectureServerTest {
    private static final String RUNNERS = "docs/differences.md#coordinator-mode-and-runners";

    @RegisterExtension static final AshExtension ash = SharedServers.DEMO;

    private static ArchitectureDatabase database;
    private static JsonNode agent;
    private static TestSession session;

    @BeforeAll
    static void start() {
        database = new ArchitectureDatabase(ash.data());
        agent = ash.deploy("stored", Map.of("CLAUDE.md", "You are stored.\n"));
        session = ash.session("stored");
    }

    @Test
    @Statement(id = "001-01", says = "Clients reach the server by HTTP + SSE")
    void answersAMessageWithAnEventStreamOverHttp() {
        try (var turn = session.send("hello")) {
            assertThat(turn.headers().firstValue("content-type").orElseThrow())
                    .startsWith("text/event-stream");
            turn.rest();
        }
    }

    @Test
    @Statement(
            id = "001-27",
            says = "Sandbox limits are constants of ash-shared",
            verdict = Verdict.DIFFERS,
            instead = "they are server settings with defaults, and a session may have its own",
            see = "docs/isolation.md#limits")
    void showsTheLimitsOfASession() {
        var limits = session.created().path("limits");

        assertThat(limits.path("memoryMb").asInt()).isEqualTo(2048);
        assertThat(limits.path("cpuPercent").asInt()).isEqualTo(100);
        assertThat(limits.path("pids").asInt()).isEqualTo(512);
        assertThat(limits.path("diskMb").asInt()).isEqualTo(1024);
    }

    @Test
    @Statement(id = "001-44", says = "REST API: agents are created")
    void createsAnAgent() {
        var answer =
                ash.api()
                        .post("/api/agents", Map.of("name", "created", "systemPrompt", "You are."));

        answer.expect(201);
        assertThat(answer.at("/agent/name").asString()).isEqualTo("created");
        assertThat(answer.at("/agent/version").asInt()).isEqualTo(1);
    }

    @Test
    @Statement(id = "001-45", says = "REST API: agents are read")
    void readsAnAgent() {
        assertThat(ash.api().get("/api/agents/stored").expect(200).at("/agent/name").asString())
                .isEqualTo("stored");
        assertThat(
                        ash.api()
                                .get("/api/agents")
                                .expect(200)
                                .at("/agents")
                                .findValuesAsString("name"))
                .contains("stored");
    }

    @Test
    @Statement(id = "001-46", says = "REST API: agents are updated")
    void updatesAnAgent() {
        ash.deploy("updated", Map.of("CLAUDE.md", "First.\n"));

        var second = ash.deploy("updated", Map.of("CLAUDE.md", "Second.\n"));

        assertThat(second.path("version").asInt()).isEqualTo(2);
        ash.api().patch("/api/agents/updated", Map.of("env", Map.of("A", "b"))).expect(200);
    }

    @Test
    @Statement(id = "001-47", says = "REST API: agents are deleted")
    void deletesAnAgent() {
        ash.deploy("deleted");

        assertThat(ash.api().delete("/api/agents/deleted").status()).isBetween(200, 204);

        ash.api().get("/api/agents/deleted").refused(404, "AGENT_NOT_FOUND");
    }

    @Test
    @Statement(id = "001-48", says = "REST API: session lifecycle")
    void servesTheLifecycleOfASession() {
        assertThat(operations())
                .contains(
                        "POST /api/sessions",
                        "GET /api/sessions",
                        "GET /api/sessions/{}",
                        "POST /api/sessions/{}/messages",
                        "POST /api/sessions/{}/pause",
                        "POST /api/sessions/{}/resume",
                        "DELETE /api/sessions/{}");
    }

    @Test
    @Statement(id = "001-49", says = "REST API: health check")
    void answersTheHealthCheckWithoutAKey() {
        var health = open("/health").expect(200);

        assertThat(health.at("/status").asString()).isEqualTo("ok");
        assertThat(health.at("/activeSessions").asInt()).isPositive();
    }

    @Test
    @Statement(id = "001-54", says = "OpenAPI: the spec is generated")
    void servesAGeneratedOpenApiDocument() {
        assertThat(open("/docs/json").expect(200).at("/openapi").asString()).startsWith("3.");
        assertThat(operations()).hasSizeGreaterThan(30);
    }

    @Test
    @Statement(id = "001-55", says = "Swagger UI at /docs")
    void servesSwaggerUi() {
        assertThat(open("/docs").expect(200).text()).contains("swagger-ui");
        assertThat(open("/docs/swagger-ui-bundle.js").expect(200).body().length)
                .isGreaterThan(100_000);
    }

    @Test
    @Statement(id = "001-69", says = "AshClient has methods for every API endpoint")
    void hasAClientForEachGroupOfEndpoints() throws Exception {
        var methods =
                Arrays.stream(Class.forName("dev.ash.sdk.AshClient").getMethods())
                        .map(method -> method.getName().toLowerCase(Locale.ROOT))
                        .toList();
        var groups = new TreeSet<String>();
        for (var operation : operations()) {
            if (operation.contains(" /api/")) {
                groups.add(operation.split("/")[2].replace("-", ""));
            }
        }
        groups.remove("internal"); // keys of other tenants are in apiKeys()
        groups.remove("tenants"); // in apiKeys() too

        assertThat(groups).contains("agents", "sessions");
        assertThat(methods).contains("health").containsAll(groups);
    }

    @Test
    @Statement(
            id = "001-86",
            says = "A client sends POST /sessions/:id/messages",
            verdict = Verdict.DIFFERS,
            instead = "paths have the prefix /api, as elsewhere in the documents",
            see = "docs/differences.md#paths")
    void servesMessagesUnderApi() {
        ash.api()
                .post("/sessions/" + session.id() + "/messages", Map.of("content", "hello"))
                .refused(404, "ROUTE_NOT_FOUND");
        session.ask("hello");
    }

    @Test
    @Statement(id = "001-87", says = "The server looks up session and sandbox")
    void looksUpTheSession() {
        ash.api()
                .post(
                        "/api/sessions/00000000-0000-4000-8000-000000000000/messages",
                        Map.of("content", "hello"))
                .refused(404, "SESSION_NOT_FOUND");
    }

    @Test
    @Statement(
            id = "001-13",
            says = "Runners register via internal endpoints",
            verdict = Verdict.NOT_YET,
            instead = "there is no such endpoint",
            see = RUNNERS)
    void registersNoRunner() {
        ash.api()
                .post("/api/internal/runners/register", Map.of("runnerId", "a", "host", "h"))
                .refused(404, "ROUTE_NOT_FOUND");
    }

    @Test
    @Statement(
            id = "001-14",
            says = "Runners send heartbeats",
            verdict = Verdict.NOT_YET,
            instead = "there is no such endpoint",
            see = RUNNERS)
    void acceptsNoHeartbeat() {
        ash.api()
                .post("/api/internal/runners/heartbeat", Map.of("runnerId", "a"))
                .refused(404, "ROUTE_NOT_FOUND");
    }

    @Test
    @Statement(
            id = "001-16",
            says = "The coordinator routes new sessions to the least-loaded runner",
            verdict = Verdict.NOT_YET,
            instead = "every session runs on the server itself",
            see = RUNNERS)
    void runsSessionsOnTheServerItself() {
        assertThat(session.created().path("runnerId").isNull()).isTrue();
        assertThat(open("/health").at("/remoteRunners").asInt(-1)).isZero();
    }

    @Test
    @Statement(
            id = "001-59",
            says = "A runner exposes sandbox management routes",
            verdict = Verdict.NOT_YET,
            instead = "there are no such routes",
            see = RUNNERS)
    void exposesNoRoutesOfARunner() {
        ash.api().get("/runner/health").refused(404, "ROUTE_NOT_FOUND");
        assertThat(operations()).noneMatch(operation -> operation.contains("runner"));
    }

    @Test
    @Statement(id = "001-08", says = "The server stores its state in SQLite: data/ash.db")
    void keepsASqliteDatabase() throws Exception {
        var head = Files.newInputStream(database.file()).readNBytes(15);

        assertThat(new String(head, ISO_8859_1)).isEqualTo("SQLite format 3");
    }

    @Test
    @Statement(id = "001-150", says = "Storage: ash.db is in the data directory")
    void keepsTheDatabaseInTheDataDirectory() {
        assertThat(ash.data().resolve("ash.db")).isRegularFile();
    }

    @Test
    @Statement(id = "001-151", says = "Storage: the database is in WAL mode")
    void usesWalMode() throws SQLException {
        assertThat(database.pragma("journal_mode")).isEqualTo("wal");
    }

    @Test
    @Statement(
            id = "001-152",
            says = "Storage: sandboxes/<sandbox-id>/workspace is the sandbox working directory")
    void worksInTheDirectoryOfTheSandbox() throws Exception {
        session.exec("echo here > where.txt");

        var workspace = ash.data().resolve("sandboxes").resolve(sandboxId()).resolve("workspace");
        assertThat(workspace.resolve("where.txt")).hasContent("here");
    }

    @Test
    @Statement(id = "001-153", says = "Table agents: name")
    void storesTheNameOfAnAgent() throws SQLException {
        assertThat(agentRow()).containsEntry("name", "stored");
    }

    @Test
    @Statement(id = "001-154", says = "Table agents: version")
    void storesTheVersionOfAnAgent() throws SQLException {
        assertThat(agentRow()).containsEntry("version", agent.path("version").asInt());
    }

    @Test
    @Statement(id = "001-155", says = "Table agents: path")
    void storesThePathOfAnAgent() throws SQLException {
        assertThat(Path.of((String) agentRow().get("path")).resolve("CLAUDE.md")).exists();
    }

    @Test
    @Statement(id = "001-156", says = "Table agents: timestamps")
    void storesWhenAnAgentWasDeployed() throws SQLException {
        assertTime(agentRow(), "created_at", agent.path("createdAt"));
        assertTime(agentRow(), "updated_at", agent.path("updatedAt"));
    }

    @Test
    @Statement(id = "001-157", says = "Table sessions: id")
    void storesTheIdOfASession() throws SQLException {
        assertThat(sessionRow()).containsEntry("id", session.id());
    }

    @Test
    @Statement(id = "001-158", says = "Table sessions: agent_name")
    void storesTheAgentOfASession() throws SQLException {
        assertThat(sessionRow()).containsEntry("agent_name", "stored");
    }

    @Test
    @Statement(id = "001-159", says = "Table sessions: sandbox_id")
    void storesTheSandboxOfASession() throws SQLException {
        assertThat(sessionRow()).containsEntry("sandbox_id", sandboxId());
    }

    @Test
    @Statement(id = "001-160", says = "Table sessions: status")
    void storesTheStatusOfASession() throws SQLException {
        assertThat(sessionRow()).containsEntry("status", "active");
    }

    @Test
    @Statement(id = "001-161", says = "Table sessions: runner_id")
    void storesNoRunnerInStandaloneMode() throws SQLException {
        assertThat(sessionRow()).containsEntry("runner_id", null);
    }

    @Test
    @Statement(id = "001-162", says = "Table sessions: timestamps")
    void storesWhenASessionWasCreated() throws SQLException {
        assertTime(sessionRow(), "created_at", session.created().path("createdAt"));
        assertThat(sessionRow().get("last_active_at")).isInstanceOf(Long.class);
    }

    @Test
    @Statement(id = "001-163", says = "Table sandboxes: id")
    void storesTheIdOfASandbox() throws SQLException {
        assertThat(sandboxRow()).containsEntry("id", sandboxId());
    }

    @Test
    @Statement(id = "001-164", says = "Table sandboxes: session_id")
    void storesTheSessionOfASandbox() throws SQLException {
        assertThat(sandboxRow()).containsEntry("session_id", session.id());
    }

    @Test
    @Statement(id = "001-165", says = "Table sandboxes: agent_name")
    void storesTheAgentOfASandbox() throws SQLException {
        assertThat(sandboxRow()).containsEntry("agent_name", "stored");
    }

    @Test
    @Statement(id = "001-166", says = "Table sandboxes: state")
    void storesTheStateOfASandbox() throws SQLException {
        assertThat(sandboxRow().get("state")).isIn("waiting", "running");
    }

    @Test
    @Statement(id = "001-167", says = "Table sandboxes: workspace_dir")
    void storesTheWorkspaceOfASandbox() throws SQLException {
        assertThat(Path.of((String) sandboxRow().get("workspace_dir")))
                .isEqualTo(session.sandbox().resolve("workspace"));
    }

    @Test
    @Statement(id = "001-168", says = "Table sandboxes: timestamps")
    void storesWhenASandboxWasCreated() throws SQLException {
        assertThat(sandboxRow().get("created_at")).isInstanceOf(Long.class);
        assertThat(sandboxRow().get("last_used_at")).isInstanceOf(Long.class);
    }

    @Test
    @Statement(id = "003-21", says = "The server persists state to SQLite")
    void persistsTheSessionInSqlite() throws SQLException {
        assertThat(sessionRow()).containsEntry("id", session.id());
    }

    @Test
    @Statement(id = "003-18", says = "The server exposes the REST API")
    void listensForRestRequests() {
        assertThat(ash.api().get("/api/sessions").expect(200).at("/sessions").isArray()).isTrue();
    }

    @Test
    @Statement(id = "003-19", says = "The server manages the agent registry")
    void listsDeployedAgents() {
        ash.deploy("registered");

        assertThat(
                        ash.api()
                                .get("/api/agents")
                                .expect(200)
                                .at("/agents")
                                .findValuesAsString("name"))
                .contains("stored", "registered");
    }

    private static TreeSet<String> operations() {
        var listed = new TreeSet<String>();
        for (var path : open("/docs/json").expect(200).at("/paths").properties()) {
            for (var operation : path.getValue().properties()) {
                listed.add(
                        operation.getKey().toUpperCase(Locale.ROOT)
                                + " "
                                + path.getKey().replaceAll("\\{[^}]*}", "{}"));
            }
        }
        return listed;
    }

    /** Sends a request without an API key. */
    private static ApiResponse open(String path) {
        return ash.api().exchange("GET", path, null, r -> r.setHeader("Authorization", ""));
    }

    private static void assertTime(Map<String, Object> row, String column, JsonNode shown) {
        assertThat(row.get(column)).isEqualTo(Instant.parse(shown.asString()).toEpochMilli());
    }

    private static String sandboxId() {
        return session.created().path("sandboxId").asString();
    }

    private static Map<String, Object> agentRow() throws SQLException {
        return database.row("agents", "name", "stored");
    }

    private static Map<String, Object> sessionRow() throws SQLException {
        return database.row("sessions", "id", session.id());
    }

    private static Map<String, Object> sandboxRow() throws SQLException {
        return database.row("sandboxes", "id", sandboxId());
    }
}
