package dev.ash.protocol.notice;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Derives notices from the messages of an engine and from blocked hosts. A pure function of one
 * event, so that a replay derives the same notices again. Engines are not trusted: a message in an
 * unexpected shape has no notices, and quoted text is shortened.
 */
public final class Notices {
    public static final String MODEL_KEY_REJECTED = "model_key_rejected";
    public static final String MODEL_RATE_LIMITED = "model_rate_limited";
    public static final String MODEL_OVERLOADED = "model_overloaded";
    public static final String MODEL_UNREACHABLE = "model_unreachable";
    public static final String MODEL_ERROR = "model_error";
    public static final String MCP_SERVER_FAILED = "mcp_server_failed";
    public static final String NETWORK_BLOCKED = "network_blocked";

    private static final int MAX_QUOTED = 200;
    private static final int MAX_SERVERS = 20;
    private static final String CHECK_MCP_SERVER =
            "Check its command or URL in .mcp.json; a server on another host needs --allow HOST.";

    /** Returns whether a system message of this subtype can have notices; most messages cannot. */
    public static boolean isSource(String subtype) {
        return switch (subtype) {
            case "init", "api_retry", "engine_update" -> true;
            default -> false;
        };
    }

    /** Returns the notices of a message of type {@code system}. */
    public static List<Notice> ofSystemMessage(JsonObject message) {
        try {
            return switch (message.string("subtype").orElse("")) {
                case "init" -> ofMcpServers(message);
                case "api_retry" -> List.of(ofRetry(message));
                case "engine_update" -> ofUpdate(message).stream().toList();
                default -> List.of();
            };
        } catch (MalformedJsonException e) {
            return List.of();
        }
    }

    /** Returns the notice of a {@code network_blocked} event. */
    public static Optional<Notice> ofBlockedHost(RawJson data) {
        try {
            var blocked = JsonObject.parse(data);
            var host = quoted(blocked.requireString("host"));
            long port = blocked.number("port").orElse(0);
            var reason = quoted(blocked.string("reason").orElse(""));
            var address = isDefaultPort(port) ? host : host + ":" + port;
            if (reason.contains("ASH_NETWORK_ALLOW")) {
                return Optional.of(
                        new Notice(
                                NETWORK_BLOCKED,
                                "The sandbox may not reach %s, which is not a public host."
                                        .formatted(address),
                                "The operator can allow it: add %s:%d to ASH_NETWORK_ALLOW of the server."
                                        .formatted(host, port)));
            }
            if (reason.contains("network.allow")) {
                return Optional.of(
                        new Notice(
                                NETWORK_BLOCKED,
                                "The sandbox may not reach %s.".formatted(address),
                                "Allow it for a new session with --allow %s, or in network.allow of the agent."
                                        .formatted(address)));
            }
            // A rejected request to the model: the reason names the setting, if there is one.
            return reason.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Notice(NETWORK_BLOCKED, withPeriod(reason), ""));
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private static boolean isDefaultPort(long port) {
        return port == 0 || port == 80 || port == 443;
    }

    private static List<Notice> ofMcpServers(JsonObject init) throws MalformedJsonException {
        var servers = init.raw("mcp_servers");
        var notices = new ArrayList<Notice>();
        if (servers.isEmpty()) {
            return notices;
        }
        for (var element : JsonObject.elements(servers.get())) {
            if (notices.size() == MAX_SERVERS) {
                break;
            }
            var server = JsonObject.parse(element);
            var name = quoted(server.string("name").orElse(""));
            switch (server.string("status").orElse("")) {
                case "failed" -> notices.add(failedServer(name, ""));
                case "needs-auth" ->
                        notices.add(
                                new Notice(
                                        MCP_SERVER_FAILED,
                                        "The MCP server %s requires authentication; its tools are missing."
                                                .formatted(name),
                                        "Add its credentials to headers or env of the server in .mcp.json."));
                case "pending" ->
                        notices.add(
                                new Notice(
                                        MCP_SERVER_FAILED,
                                        "The MCP server %s has not connected yet; its tools are missing."
                                                .formatted(name),
                                        CHECK_MCP_SERVER));
                default -> {}
            }
        }
        return notices;
    }

    private static Notice failedServer(String name, String reason) {
        return new Notice(
                MCP_SERVER_FAILED,
                "The MCP server %s failed to start%s; its tools are missing."
                        .formatted(name, reason.isEmpty() ? "" : " (" + reason + ")"),
                CHECK_MCP_SERVER);
    }

    /** Omits the number of the attempt, so that a client can show repeated notices once. */
    private static Notice ofRetry(JsonObject retry) throws MalformedJsonException {
        var status = retry.number("error_status");
        var attempts = retry.number("max_retries");
        var retries =
                attempts.isPresent()
                        ? "the engine retries up to %d times.".formatted(attempts.getAsLong())
                        : "the engine retries.";
        var error = quoted(retry.string("error").orElse(""));
        return error.equals("authentication_failed")
                ? rejectedKey(status, retries)
                : ofStatus(status, error, retries);
    }

    private static Notice ofStatus(OptionalLong status, String error, String retries) {
        return switch ((int) status.orElse(0)) {
            case 401, 403 -> rejectedKey(status, retries);
            case 429 ->
                    new Notice(
                            MODEL_RATE_LIMITED,
                            "The model API rate-limits this key (HTTP 429); " + retries,
                            "Wait, or use another key: ash credentials add, then --credential ID.");
            case 503, 529 ->
                    new Notice(
                            MODEL_OVERLOADED,
                            "The model API is overloaded (HTTP %d); %s"
                                    .formatted(status.getAsLong(), retries),
                            "Wait, or choose another model with --model.");
            case 0, 502, 504 ->
                    new Notice(
                            MODEL_UNREACHABLE,
                            "The model API cannot be reached%s; %s"
                                    .formatted(http(status), retries),
                            "Check the server's network and its ANTHROPIC_BASE_URL or OPENAI_BASE_URL.");
            default ->
                    new Notice(
                            MODEL_ERROR,
                            "The model API fails%s%s; %s"
                                    .formatted(
                                            http(status),
                                            error.isEmpty() ? "" : ": " + error,
                                            retries),
                            "Wait, or choose another model with --model.");
        };
    }

    private static Notice rejectedKey(OptionalLong status, String retries) {
        return new Notice(
                MODEL_KEY_REJECTED,
                "The model API rejects the key%s; %s".formatted(http(status), retries),
                "Store a valid one with `ash credentials add` and use --credential ID, or set the key of the server and restart it.");
    }

    private static String http(OptionalLong status) {
        return status.isPresent() ? " (HTTP %d)".formatted(status.getAsLong()) : "";
    }

    /** Derives a notice from an original message of another engine, in the field {@code raw}. */
    private static Optional<Notice> ofUpdate(JsonObject update) throws MalformedJsonException {
        var raw = update.object("raw");
        var params = raw.isPresent() ? raw.get().object("params") : raw;
        if (params.isEmpty()) {
            return Optional.empty();
        }
        return switch (update.string("method").orElse("")) {
            case "mcpServer/startupStatus/updated" ->
                    params.get().string("status").orElse("").equals("failed")
                            ? Optional.of(
                                    failedServer(
                                            quoted(params.get().string("name").orElse("")),
                                            quoted(params.get().string("error").orElse(""))))
                            : Optional.empty();
            case "error" ->
                    params.get().isTrue("willRetry")
                            ? Optional.of(ofCodexError(params.get()))
                            : Optional.empty();
            default -> Optional.empty();
        };
    }

    /** Does not quote the error message: Codex puts the number of the attempt into it. */
    private static Notice ofCodexError(JsonObject params) throws MalformedJsonException {
        var error = params.object("error").orElse(params);
        var status = OptionalLong.empty();
        var info = error.object("codexErrorInfo");
        if (info.isPresent()) {
            for (var kind : info.get().names()) {
                var detail = info.get().object(kind);
                if (detail.isPresent()) {
                    status = detail.get().number("httpStatusCode");
                }
            }
        }
        return ofStatus(status, "", "the engine retries.");
    }

    private static String quoted(String text) {
        return Excerpt.of(text.replaceAll("\\p{Cntrl}+", " ").strip(), MAX_QUOTED);
    }

    private static String withPeriod(String reason) {
        return reason.endsWith(".") ? reason : reason + ".";
    }

    private Notices() {}
}
