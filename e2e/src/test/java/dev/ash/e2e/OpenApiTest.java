package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.loop.Mode;
import dev.ash.pair.mcp.Role;
import dev.ash.pair.verdict.FindingStatus;
import dev.ash.pair.verdict.Severity;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.WhenBusy;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.sandbox.limits.Limit;
import dev.ash.server.identity.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checks that the OpenAPI document of a real server is complete and matches the server. */
class OpenApiTest {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Set<String> PERMISSION_MODES =
            Set.of("bypassPermissions", "permissionsByAgent", "ask", "default");

    /** Values of each field with an enum, read from the Java enum if there is one. */
    private static final Map<String, Set<String>> ENUMS = new TreeMap<>();

    static {
        ENUMS.put("Session.status", wireNames(SessionStatus.class));
        ENUMS.put("Session.permissionMode", wireNames(PermissionMode.class));
        ENUMS.put("SendMessage.whenBusy", wireNames(WhenBusy.class));
        ENUMS.put("SendMessage.effort", Set.of("low", "medium", "high", "max"));
        ENUMS.put("ErrorBody.code", wireNames(ErrorCode.class));
        ENUMS.put("CreateSession.permissionMode", PERMISSION_MODES);
        ENUMS.put("UpdateConfig.permissionMode", PERMISSION_MODES);
        ENUMS.put("CreatePair.permissionMode", PERMISSION_MODES);
        ENUMS.put("AgentConfiguration.permissionMode", PERMISSION_MODES);
        ENUMS.put("AgentConfiguration.systemPrompt", Set.of("append", "replace"));
        ENUMS.put("Message.role", Set.of("user", "assistant"));
        for (var record : List.of("CreateKey", "CreateTenantKey", "CreatedKey", "Key")) {
            ENUMS.put(record + ".scopes", wireNames(Scope.class));
        }
        for (var record : List.of("Device", "PairDevice", "Pairing")) {
            ENUMS.put(record + ".scopes", Set.of("watch", "approve", "steer"));
        }
        ENUMS.put("Approval.kind", wireNames("dev.ash.protocol.bridge.BridgeEvent$Approval$Kind"));
        ENUMS.put("Approval.status", wireNames("dev.ash.server.approval.ApprovalStatus"));
        ENUMS.put("Approval.scope", Set.of("once", "session"));
        ENUMS.put("Approval.source", Set.of("hooks", "pair"));
        ENUMS.put("Decide.decision", Set.of("approved", "rejected", "modified"));
        ENUMS.put("Decide.scope", Set.of("once", "session"));
        ENUMS.put("CreateCredential.type", wireNames(ModelProvider.class));
        ENUMS.put("Credential.type", wireNames(ModelProvider.class));
        ENUMS.put("TerminalSession.status", Set.of("active", "ended"));
        ENUMS.put("Isolation.kind", Set.of("bubblewrap", "none"));
        ENUMS.put("Isolation.network", Set.of("closed", "open", "host"));
        ENUMS.put(
                "Isolation.limits",
                Stream.of(Limit.values()).map(Limit::label).collect(Collectors.toSet()));
        ENUMS.put("Isolation.disk", Set.of("image", "watch"));
        ENUMS.put("MailboxPeer.role", lowerCaseNames(Role.class));
        ENUMS.put("PeerConnection.role", lowerCaseNames(Role.class));
        ENUMS.put("CreatePair.mode", wireNames(Mode.class));
        ENUMS.put("Pair.mode", wireNames(Mode.class));
        ENUMS.put(
                "Pair.state", Set.of("running", "paused", "input-required", "interrupted", "over"));
        ENUMS.put("Pair.outcome", with(wireNames("dev.ash.pair.loop.Outcome"), "failed"));
        ENUMS.put("Finding.severity", wireNames(Severity.class));
        ENUMS.put("Finding.fate", wireNames(FindingStatus.class));
        ENUMS.put("PairDecision.decision", lowerCaseNames("dev.ash.pair.loop.Arbiter$Decision"));
        ENUMS.put(
                "RotateSecrets.secrets",
                Set.of("sealing-key", "hook-token", "certificates", "all"));
        ENUMS.put("Secret.state", Set.of("current", "rotating", "overlap", "fixed"));
        ENUMS.put("BlockSource.type", Set.of("base64", "text", "content"));
    }

    @RegisterExtension static final AshExtension ash = AshExtension.demo();
    private static JsonNode document;

    @BeforeAll
    static void start() {

        document = ash.api().get("/docs/json").expect(200).json();
    }

    @Test
    void describesEveryOperation() {
        operations(
                (name, operation) -> {
                    var description =
                            operation
                                    .path("description")
                                    .asString("")
                                    .replaceAll("Needs a key with the scope.*", "")
                                    .strip();
                    assertThat(operation.path("summary").asString("")).as(name).isNotBlank();
                    assertThat(description).as("description of " + name).hasSizeGreaterThan(15);
                    assertThat(operation.path("operationId").asString("")).as(name).isNotBlank();
                    for (var parameter : operation.path("parameters")) {
                        assertThat(parameter.path("description").asString(""))
                                .as("%s: %s", name, parameter.path("name"))
                                .isNotBlank();
                    }
                });
    }

    @Test
    void describesOnlyExistingOperations() {
        // The resource has a section for each method and path; one without an endpoint is outdated.
        var described = new TreeSet<String>();
        resource("operations.md")
                .lines()
                .filter(line -> line.startsWith("## "))
                .forEach(line -> described.add(line.substring(3)));
        var served = new TreeSet<String>();
        operations((name, _) -> served.add(name));
        assertThat(described).isEqualTo(served);
        assertThat(document.toString()).doesNotContain("```");
    }

    @Test
    void everyResponseHasSchema() {
        operations(
                (name, operation) -> {
                    for (var response : operation.path("responses").properties()) {
                        var content = response.getValue().path("content");
                        if (!response.getKey().equals("204")) {
                            assertThat(content.isEmpty()).as(name + response.getKey()).isFalse();
                        }
                        content.forEach(
                                type ->
                                        assertThat(type.path("schema").isEmpty())
                                                .as(name)
                                                .isFalse());
                    }
                    var body = operation.path("requestBody");
                    if (!body.isMissingNode()) {
                        assertThat(body.at("/content/application~1json/schema").isEmpty())
                                .as(name)
                                .isFalse();
                    }
                });
    }

    @Test
    void everyReferenceResolvesToSchema() {
        var references = document.findValuesAsString("$ref");

        assertThat(references).isNotEmpty();
        assertThat(references)
                .allSatisfy(
                        reference ->
                                assertThat(document.at(reference.substring(1)).isObject())
                                        .as(reference)
                                        .isTrue());
    }

    @Test
    void enumsMatchJavaEnums() {
        var found = new TreeMap<String, Set<String>>();
        for (var schema : document.at("/components/schemas").properties()) {
            for (var property : schema.getValue().path("properties").properties()) {
                var values = property.getValue().path("enum");
                values = values.isMissingNode() ? property.getValue().at("/items/enum") : values;
                if (!values.isMissingNode()) {
                    var name = schema.getKey() + "." + property.getKey();
                    found.put(name, strings(values));
                }
            }
        }

        assertThat(found).containsAllEntriesOf(ENUMS);
        assertThat(strings(parameter("GET /api/sessions", "status").at("/schema/enum")))
                .isEqualTo(wireNames(SessionStatus.class));
        assertThat(strings(parameter("GET /api/approvals", "status").at("/schema/enum")))
                .isEqualTo(wireNames("dev.ash.server.approval.ApprovalStatus"));
    }

    @Test
    void everyFieldHasTypeOrDescription() {
        for (var schema : document.at("/components/schemas").properties()) {
            for (var property : schema.getValue().path("properties").properties()) {
                assertThat(property.getValue().propertyNames())
                        .as(schema.getKey() + "." + property.getKey())
                        .containsAnyOf("type", "$ref", "oneOf", "description");
            }
        }
        assertThat(
                        document.at("/components/schemas/SendMessage/properties/content/$ref")
                                .asString())
                .endsWith("/MessageContent");
    }

    @Test
    void explainsAuthentication() {
        assertThat(document.at("/info/description").asString())
                .contains("Authorization: Bearer", "initial-api-key", "~/.ash/config.json");
        assertThat(document.at("/components/securitySchemes/key/description").asString())
                .contains("initial-api-key", "~/.ash/config.json");
        operations(
                (name, operation) ->
                        assertThat(operation.path("security").isEmpty())
                                .as(name)
                                .isEqualTo(operation.path("x-ash-scope").isMissingNode()));
    }

    @Test
    void requestExamplesHaveOnlyKnownFields() {
        var examples = new ArrayList<String>();
        operations(
                (name, operation) -> {
                    var content = operation.at("/requestBody/content/application~1json");
                    var schema = content.at("/schema/$ref").asString("");
                    for (var example : content.path("examples")) {
                        examples.add(name);
                        assertThat(schema).as(name).isNotEmpty();
                        assertThat(
                                        document.at(schema.substring(1))
                                                .path("properties")
                                                .propertyNames())
                                .as(name)
                                .containsAll(example.path("value").propertyNames());
                    }
                });
        assertThat(examples).contains("POST /api/sessions", "POST /api/sessions/{id}/messages");
    }

    @Test
    void everyFrameHasSchemaAndExample() {
        var streams = new ArrayList<String>();
        var eventsInExamples = new TreeMap<String, Set<String>>();
        operations(
                (name, operation) -> {
                    var stream = operation.at("/responses/200/content/text~1event-stream");
                    if (stream.isMissingNode()) {
                        return;
                    }
                    streams.add(name);
                    var schemas = new HashSet<>(stream.path("x-ash-frames").propertyNames());
                    assertThat(stream.path("examples").isEmpty()).as(name).isFalse();
                    for (var example : stream.path("examples")) {
                        for (var frame : example.path("value").asString().strip().split("\n\n")) {
                            var event = checkFrame(frame);
                            assertThat(schemas).contains(event);
                            eventsInExamples.computeIfAbsent(name, _ -> new TreeSet<>()).add(event);
                        }
                    }
                });
        assertThat(streams)
                .containsExactlyInAnyOrder(
                        "POST /api/sessions/{id}/messages",
                        "GET /api/sessions/{id}/stream",
                        "GET /api/pairs/{id}/stream");
        assertThat(eventsInExamples.get("POST /api/sessions/{id}/messages")).isEqualTo(frames());
    }

    private static String checkFrame(String frame) {
        var lines = frame.split("\n");
        assertThat(lines).hasSizeBetween(2, 3);
        assertThat(lines[0]).startsWith("event: ");
        assertThat(lines[1]).startsWith("data: ");
        assertThat(MAPPER.readTree(lines[1].substring(6)).isObject()).isTrue();
        if (lines.length == 3) {
            assertThat(lines[2]).matches("id: [0-9]+");
        }
        return lines[0].substring(7);
    }

    @Test
    void documentsFramesOfRealTurn() {
        ash.deploy("documented");
        var session = ash.session(Map.of("agent", "documented"));
        var sent =
                ash.api().stream(
                        session.path() + "/messages",
                        Map.of("content", "hello", "includePartialMessages", true));

        var names = Frame.names(sent.rest());

        assertThat(names).contains("session_start", "text_delta", "message", "done");
        assertThat(frames()).containsAll(names);
    }

    @Test
    void rootRedirectsToDocumentation() {
        var root = ash.api().exchange("GET", "/", null, r -> r.setHeader("Authorization", ""));

        assertThat(root.status()).isEqualTo(302);
        assertThat(root.headers().firstValue("location")).contains("/docs");
        ash.api()
                .exchange("POST", "/", "{}", r -> {})
                .refused(405, "METHOD_NOT_ALLOWED", "use GET");
    }

    private static Set<String> frames() {
        var path = "/paths/~1api~1sessions~1{id}~1messages/post/responses/200/content";
        return new TreeSet<>(
                document.at(path + "/text~1event-stream/x-ash-frames").propertyNames());
    }

    private static JsonNode parameter(String operation, String name) {
        var found = new ArrayList<JsonNode>();
        operations(
                (each, node) -> {
                    for (var parameter : node.path("parameters")) {
                        if (each.equals(operation)
                                && parameter.path("name").asString().equals(name)) {
                            found.add(parameter);
                        }
                    }
                });
        return found.getFirst();
    }

    private static void operations(BiConsumer<String, JsonNode> each) {
        for (var path : document.path("paths").properties()) {
            for (var operation : path.getValue().properties()) {
                each.accept(
                        operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(),
                        operation.getValue());
            }
        }
    }

    private static String resource(String name) {
        try (var in = Scope.class.getResourceAsStream("/dev/ash/server/http/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> strings(JsonNode values) {
        var strings = new TreeSet<String>();
        values.forEach(value -> strings.add(value.asString()));
        return strings;
    }

    private static Set<String> with(Set<String> values, String another) {
        var all = new TreeSet<>(values);
        all.add(another);
        return all;
    }

    private static Set<String> lowerCaseNames(String type) {
        return lowerCaseNames(find(type));
    }

    private static Set<String> lowerCaseNames(Class<?> type) {
        var names = new TreeSet<String>();
        Stream.of(type.getEnumConstants())
                .forEach(
                        constant ->
                                names.add(((Enum<?>) constant).name().toLowerCase(Locale.ROOT)));
        return names;
    }

    private static Set<String> wireNames(String type) {
        return wireNames(find(type));
    }

    /** Loads an enum that may be package-private. */
    private static Class<?> find(String type) {
        try {
            return Class.forName(type);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Set<String> wireNames(Class<?> type) {
        var wireNames = new TreeSet<String>();
        for (var constant : type.getEnumConstants()) {
            try {
                var wire = type.getDeclaredMethod("wire");
                wire.setAccessible(true);
                wireNames.add((String) wire.invoke(constant));
            } catch (NoSuchMethodException e) {
                wireNames.add(((Enum<?>) constant).name());
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        return wireNames;
    }
}
