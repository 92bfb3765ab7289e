package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.identity.Scope;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class OpenApiTest {
    static final List<Endpoint> TABLE =
            List.of(
                    Endpoint.get("/health")
                            .summary("Whether the server works")
                            .open()
                            .returns(200, HealthResponse.class)
                            .handledBy(_ -> {}),
                    Endpoint.get("/api/agents")
                            .returns(200, AgentApi.Agents.class)
                            .handledBy(_ -> {}),
                    Endpoint.post("/api/agents")
                            .scope(Scope.ADMIN)
                            .accepts(AgentApi.CreateAgent.class)
                            .returns(201, AgentApi.AgentResponse.class)
                            .handledBy(_ -> {}),
                    Endpoint.get("/api/agents/{name}/files")
                            .returns(200, AgentApi.Files.class)
                            .handledBy(_ -> {}),
                    Endpoint.get("/api/agents/{name}/files/{path*}")
                            .query("format", "string", "json or raw")
                            .returns(200, byte[].class)
                            .handledBy(_ -> {}),
                    Endpoint.post("/api/sessions/{id}/messages")
                            .scope(Scope.RUN)
                            .accepts(SessionApi.SendMessage.class)
                            .returns(200, SseStream.class)
                            .handledBy(_ -> {}),
                    Endpoint.patch("/api/sessions/{id}/config")
                            .scope(Scope.RUN)
                            .accepts(SessionApi.UpdateConfig.class)
                            .returns(200, SessionApi.SessionResponse.class)
                            .handledBy(_ -> {}),
                    Endpoint.get("/api/sessions/{id}/files")
                            .returns(200, SessionApi.Files.class)
                            .handledBy(_ -> {}),
                    Endpoint.delete("/api/sessions/{id}")
                            .scope(Scope.RUN)
                            .returns(204, Void.class)
                            .handledBy(_ -> {}));

    private final JsonNode document = Json.MAPPER.readTree(Json.write(OpenApi.document(TABLE)));

    @Test
    void listsEveryEndpointWithUniqueOperationId() {
        var ids = new HashSet<String>();
        for (var endpoint : TABLE) {
            var operation =
                    document.get("paths")
                            .get(endpoint.path().replace("*", ""))
                            .get(endpoint.method().name().toLowerCase());
            ids.add(operation.get("operationId").asString());
            assertThat(operation.get("responses").has("" + endpoint.status())).isTrue();
            assertThat(operation.get("responses").has("default")).isTrue();
        }
        assertThat(ids)
                .hasSize(TABLE.size())
                .contains("getAgentsByNameFilesByPath", "postSessionsByIdMessages", "getHealth");
        assertThat(document.get("openapi").asString()).isEqualTo("3.1.0");
    }

    @Test
    void refersOnlyToExistingSchemas() {
        var references = document.findValuesAsString("$ref");

        assertThat(references).isNotEmpty();
        assertThat(references)
                .allSatisfy(
                        reference ->
                                assertThat(document.at(reference.substring(1)).isObject())
                                        .isTrue());
    }

    @Test
    void describesParametersBodyAndResponse() {
        var file = document.at("/paths/~1api~1agents~1{name}~1files~1{path}/get");
        var names = new ArrayList<String>();
        file.get("parameters")
                .forEach(p -> names.add(p.get("in").asString() + " " + p.get("name").asString()));
        assertThat(names).containsExactly("path name", "path path", "query format");
        assertThat(
                        file.at("/responses/200/content/application~1octet-stream/schema/format")
                                .asString())
                .isEqualTo("binary");

        var send = document.at("/paths/~1api~1sessions~1{id}~1messages/post");
        assertThat(send.at("/requestBody/required").asBoolean()).isTrue();
        assertThat(send.at("/responses/200/content").has("text/event-stream")).isTrue();
        assertThat(
                        document.at(
                                        "/paths/~1api~1sessions~1{id}~1config/patch/requestBody/required")
                                .asBoolean())
                .isFalse();
        assertThat(document.at("/paths/~1api~1sessions~1{id}/delete/responses/204").has("content"))
                .isFalse();
    }

    @Test
    void describesRecordsByTheirComponents() {
        var create = document.at("/components/schemas/CreateAgent");

        assertThat(create.get("required")).hasToString("[\"name\"]");
        assertThat(create.at("/properties/env").toString())
                .contains("\"additionalProperties\":{\"type\":\"string\"}");
        assertThat(create.at("/properties/files/items/$ref").asString())
                .isEqualTo("#/components/schemas/FileUpload");
        assertThat(create.at("/properties/config/$ref").asString())
                .isEqualTo("#/components/schemas/AgentConfiguration");
    }

    @Test
    void describesLimitsOfPrompts() {
        var content = document.at("/components/schemas/MessageContent/oneOf");

        assertThat(content.at("/0/maxLength").asInt()).isEqualTo(Limits.MAX_PROMPT_CHARS);
        assertThat(document.at("/components/schemas/TextBlock/properties/text/maxLength").asInt())
                .isEqualTo(Limits.MAX_PROMPT_CHARS);
        assertThat(content.at("/1/items/$ref").asString())
                .isEqualTo("#/components/schemas/ContentBlock");
    }

    @Test
    void distinguishesRecordsOfSameName() {
        assertThat(document.at("/components/schemas/Files/properties").has("source")).isFalse();
        assertThat(document.at("/components/schemas/SessionFiles/properties").has("source"))
                .isTrue();
    }

    @Test
    void declaresRequiredKeys() {
        assertThat(document.at("/paths/~1health/get/security")).hasToString("[]");
        assertThat(document.at("/paths/~1api~1agents/get/security")).hasToString("[{\"key\":[]}]");
        assertThat(document.at("/components/securitySchemes/key/scheme").asString())
                .isEqualTo("bearer");
        assertThat(document.at("/paths/~1api~1agents/get/tags")).hasToString("[\"agents\"]");
        assertThat(document.at("/tags/0/name").asString()).isEqualTo("health");
    }

    @Test
    void rejectsDuplicateOperationIds() {
        var twins =
                List.of(
                        Endpoint.get("/a/by-b").handledBy(_ -> {}),
                        Endpoint.get("/a/{b}").handledBy(_ -> {}));

        assertThatIllegalArgumentException().isThrownBy(() -> OpenApi.document(twins));
    }
}
