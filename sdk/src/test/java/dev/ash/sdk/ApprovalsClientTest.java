package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.AshStreamEvent;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ApprovalsClientTest {
    private static final String APPROVAL =
            "{\"id\":\"a1\",\"sessionId\":\"s1\",\"kind\":\"tool\",\"tool\":\"Bash\",\"input\":{ \"command\": \"ls\" },\"status\":\"pending\",\"createdAt\":\"t\"}";

    @Test
    void sendsOneRequestForEachCall() throws IOException {
        try (var server = new FakeServer()) {
            server.on("GET /api/approvals", "{\"approvals\":[" + APPROVAL + "]}");
            server.on("GET /api/approvals/a1", "{\"approval\":" + APPROVAL + "}");
            server.on("POST /api/approvals/a1", "{\"approval\":" + APPROVAL + "}");
            var approvals = server.client().withSource("cli").approvals();

            approvals.list(ApprovalFilter.ALL);
            assertThat(approvals.list(new ApprovalFilter("pending", "s1", 5, "a0"))).hasSize(1);
            assertThat(approvals.get("a1").input())
                    .isEqualTo(RawJson.of("{ \"command\": \"ls\" }"));
            approvals.approve("a1");
            approvals.approveForSession("a1");
            approvals.modify("a1", RawJson.of("{\"command\":\"ls -l\"}"));
            approvals.reject("a1", "too early");
            approvals.reject("a1", null);

            assertThat(server.lines())
                    .containsExactly(
                            "GET /api/approvals",
                            "GET /api/approvals?status=pending&sessionId=s1&limit=5&after=a0",
                            "GET /api/approvals/a1",
                            "POST /api/approvals/a1 {\"decision\":\"approved\"}",
                            "POST /api/approvals/a1 {\"decision\":\"approved\",\"scope\":\"session\"}",
                            "POST /api/approvals/a1 {\"decision\":\"modified\",\"input\":{\"command\":\"ls -l\"}}",
                            "POST /api/approvals/a1 {\"decision\":\"rejected\",\"message\":\"too early\"}",
                            "POST /api/approvals/a1 {\"decision\":\"rejected\"}");
            assertThat(server.requests())
                    .allSatisfy(
                            request -> assertThat(request.header("X-Ash-Source")).contains("cli"));
        }
    }

    @Test
    void sendsItsSourceAndReportsAnEarlierAnswer() throws IOException {
        var body = "{\"error\":\"approved by cli at t\",\"code\":\"APPROVAL_RESOLVED\"}";
        try (var server = FakeServer.responding(409, body)) {
            assertThatThrownBy(() -> server.client().approvals().approve("a1"))
                    .isInstanceOfSatisfying(
                            AshApiException.class,
                            error -> assertThat(error.is(ErrorCode.APPROVAL_RESOLVED)).isTrue())
                    .hasMessage("approved by cli at t");
            assertThat(server.requests().getFirst().header("X-Ash-Source")).contains("sdk");
            assertThatThrownBy(() -> server.client().withSource("a\r\nb"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void readsNumberAndInputOfStreamedApprovals() {
        var frame = new SseFrame("approval_required", RawJson.of(APPROVAL), "7");

        assertThat(frame.toEvent())
                .isInstanceOfSatisfying(
                        AshStreamEvent.ApprovalRequired.class,
                        required -> {
                            assertThat(required.id()).isEqualTo(7);
                            assertThat(required.approval().tool()).isEqualTo("Bash");
                            assertThat(required.approval().input())
                                    .isEqualTo(RawJson.of("{ \"command\": \"ls\" }"));
                        });
        assertThat(new SseFrame("approval_resolved", RawJson.of(APPROVAL), "8").toEvent())
                .isInstanceOf(AshStreamEvent.ApprovalResolved.class);
    }

    @Test
    void mapsMalformedApprovalsToUnknown() {
        for (var data : new String[] {"{}", "[]", "{\"id\":\"a\"}", "nonsense", "{\"id\":{}}"}) {
            assertThat(new SseFrame("approval_required", RawJson.of(data), null).toEvent())
                    .isInstanceOf(AshStreamEvent.Unknown.class);
        }
    }
}
