package dev.ash.protocol.notice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NoticesTest {
    private static List<Notice> of(String message) throws MalformedJsonException {
        return Notices.ofSystemMessage(JsonObject.parse(message.replace('\'', '"')));
    }

    private static Notice blocked(String host, int port, String reason) {
        var data = "{\"host\":\"%s\",\"port\":%d,\"reason\":\"%s\"}".formatted(host, port, reason);
        return Notices.ofBlockedHost(RawJson.of(data)).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "401, authentication_failed, model_key_rejected, ash credentials add",
        "403, permission_error, model_key_rejected, ash credentials add",
        "429, rate_limit, model_rate_limited, --credential ID",
        "529, overloaded, model_overloaded, --model",
        "503, overloaded, model_overloaded, --model",
        "502, server_error, model_unreachable, ANTHROPIC_BASE_URL",
        "500, server_error, model_error, --model",
        "null, unknown, model_unreachable, ANTHROPIC_BASE_URL",
        "null, authentication_failed, model_key_rejected, ash credentials add",
    })
    void explainsRetriesOfModelApi(String status, String error, String kind, String remedy)
            throws Exception {
        var message =
                "{'type':'system','subtype':'api_retry','attempt':%d,'max_retries':10,'retry_delay_ms':503.8,'error_status':%s,'error':'%s'}";

        var first = of(message.formatted(1, status, error));
        var second = of(message.formatted(2, status, error));

        assertThat(first).hasSize(1);
        assertThat(first.getFirst().kind()).isEqualTo(kind);
        assertThat(first.getFirst().text()).endsWith("; the engine retries up to 10 times.");
        if (!status.equals("null")) {
            assertThat(first.getFirst().text()).contains("HTTP " + status);
        }
        assertThat(first.getFirst().remedy()).contains(remedy);
        assertThat(second).as("equal, so that clients show it once").isEqualTo(first);
    }

    @Test
    void namesEachMcpServerThatIsNotConnected() throws Exception {
        var notices =
                of(
                        "{'type':'system','subtype':'init','mcp_servers':[{'name':'a','status':'connected'},{'name':'b','status':'failed'},{'name':'c','status':'needs-auth'},{'name':'d','status':'pending'},{'name':'e','status':'disabled'}]}");

        assertThat(notices)
                .extracting(Notice::text)
                .containsExactly(
                        "The MCP server b failed to start; its tools are missing.",
                        "The MCP server c requires authentication; its tools are missing.",
                        "The MCP server d has not connected yet; its tools are missing.");
        assertThat(notices)
                .allSatisfy(notice -> assertThat(notice.remedy()).contains(".mcp.json"))
                .extracting(Notice::kind)
                .containsOnly(Notices.MCP_SERVER_FAILED);
    }

    @Test
    void explainsUpdatesOfCodex() throws Exception {
        assertThat(
                        of(
                                "{'type':'system','subtype':'engine_update','method':'mcpServer/startupStatus/updated','raw':{'method':'x','params':{'name':'echo','status':'failed','error':'No such\\nfile'}}}"))
                .extracting(Notice::text)
                .containsExactly(
                        "The MCP server echo failed to start (No such file); its tools are missing.");
        assertThat(
                        of(
                                "{'type':'system','subtype':'engine_update','method':'error','raw':{'params':{'error':{'message':'Reconnecting... 1/5','codexErrorInfo':{'responseStreamDisconnected':{'httpStatusCode':502}}},'willRetry':true}}}"))
                .extracting(Notice::text)
                .containsExactly("The model API cannot be reached (HTTP 502); the engine retries.");
    }

    @Test
    void namesOptionThatAllowsBlockedHost() {
        assertThat(
                        blocked(
                                "packages.acme.test",
                                443,
                                "Ash: packages.acme.test is not allowed; add it to network.allow"))
                .isEqualTo(
                        new Notice(
                                "network_blocked",
                                "The sandbox may not reach packages.acme.test.",
                                "Allow it for a new session with --allow packages.acme.test, or in network.allow of the agent."));
        assertThat(blocked("h.example", 8443, "add h.example:8443 to network.allow").remedy())
                .contains("--allow h.example:8443,");
        assertThat(blocked("10.0.0.1", 80, "list 10.0.0.1:80 in ASH_NETWORK_ALLOW").remedy())
                .contains("operator", "add 10.0.0.1:80 to ASH_NETWORK_ALLOW");
        assertThat(blocked("api.anthropic.com", 443, "Ash rejected the model request: x").line())
                .isEqualTo("Ash rejected the model request: x.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'subtype':'init'}",
                "{'subtype':'init','mcp_servers':'x'}",
                "{'subtype':'init','mcp_servers':[1,null]}",
                "{'subtype':'init','mcp_servers':[{'name':7,'status':{}}]}",
                "{'subtype':'api_retry','error_status':'x'}",
                "{'subtype':'engine_update','method':'error','raw':'x'}",
                "{'subtype':'engine_update','method':'error','raw':{'params':{'willRetry':false}}}",
                "{'subtype':'compact_boundary'}",
            })
    void hasNoNoticeForUnexpectedMessages(String message) throws Exception {
        assertThat(of(message)).isEmpty();
        assertThat(Notices.ofBlockedHost(RawJson.of(message.replace('\'', '"')))).isEmpty();
    }

    @Test
    void limitsNumberAndLengthOfNotices() throws Exception {
        var server = "{'name':'%s\\u001b[2J','status':'failed'}".formatted("n".repeat(10_000));
        var many = String.join(",", java.util.Collections.nCopies(1_000, server));

        var notices = of("{'subtype':'init','mcp_servers':[%s]}".formatted(many));

        assertThat(notices).hasSize(20);
        assertThat(notices.getFirst().text()).hasSizeLessThan(300).doesNotContain("\u001b");
    }

    @Test
    void roundTripsAsJson() throws Exception {
        var notice = new Notice("k", "Text.", "Remedy.");

        assertThat(notice.toJson())
                .hasToString("{\"kind\":\"k\",\"text\":\"Text.\",\"remedy\":\"Remedy.\"}");
        assertThat(Notice.parse(notice.toJson())).isEqualTo(notice);
        assertThat(Notice.parse(new Notice("k", "Text.", "").toJson()).line()).isEqualTo("Text.");
    }
}
