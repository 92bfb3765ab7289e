package dev.ash.protocol.rest;

import dev.ash.protocol.WhenBusy;
import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests and responses of {@code /api/sessions}. */
public interface SessionApi {
    /**
     * Creates a session. {@code network} is {@code "closed"}, {@code "open"} or {@code
     * {"allow":["host"]}}; {@code credentialId} identifies a stored key of a model provider; {@code
     * maxBudgetUsd} and {@code maxTokens} limit the model usage of the whole session; {@code
     * workingDirectory} is a directory of the server's host to use instead of a workspace.
     */
    record CreateSession(
            String agent,
            @Nullable Map<String, String> extraEnv,
            @Nullable String engine,
            @Nullable String model,
            @Nullable String systemPrompt,
            @FieldSchema(values = {"bypassPermissions", "permissionsByAgent", "ask", "default"})
                    @Nullable String permissionMode,
            @FieldSchema(ref = "McpServers") @Nullable RawJson mcpServers,
            @Nullable List<String> allowedTools,
            @Nullable List<String> disallowedTools,
            @Nullable List<String> betas,
            @FieldSchema(ref = "Subagents") @Nullable RawJson subagents,
            @Nullable String initialAgent,
            @Nullable String credentialId,
            @Nullable ResourceLimits limits,
            @FieldSchema(ref = "Network") @Nullable RawJson network,
            @Nullable Double maxBudgetUsd,
            @Nullable Long maxTokens,
            @Nullable String workingDirectory) {

        /** Returns a request that uses the agent's defaults. */
        public static CreateSession of(String agent) {
            return builder(agent).build();
        }

        public static CreateSessionBuilder builder(String agent) {
            return new CreateSessionBuilder(agent);
        }

        /** Returns a builder with the values of this request. */
        public CreateSessionBuilder toBuilder() {
            return new CreateSessionBuilder(this);
        }
    }

    /** Changes the configuration from the next turn on; absent values stay unchanged. */
    record UpdateConfig(
            @Nullable String model,
            @Nullable List<String> allowedTools,
            @Nullable List<String> disallowedTools,
            @Nullable List<String> betas,
            @FieldSchema(ref = "Subagents") @Nullable RawJson subagents,
            @Nullable String initialAgent,
            @FieldSchema(values = {"bypassPermissions", "permissionsByAgent", "ask", "default"})
                    @Nullable String permissionMode,
            @Nullable Double maxBudgetUsd,
            @Nullable Long maxTokens) {

        public static UpdateConfig permissionMode(String mode) {
            return new UpdateConfig(null, null, null, null, null, null, mode, null, null);
        }

        /** Sets the budget of the whole session, including previous usage. */
        public static UpdateConfig budget(@Nullable Double usd, @Nullable Long tokens) {
            return new UpdateConfig(null, null, null, null, null, null, null, usd, tokens);
        }
    }

    /**
     * Sends a prompt. {@code content} is a string or an array of text, image and document blocks;
     * {@code whenBusy} is {@code reject} (default) or {@code queue}.
     */
    record SendMessage(
            @FieldSchema(ref = "MessageContent") RawJson content,
            @Nullable Boolean includePartialMessages,
            @Nullable String model,
            @Nullable Integer maxTurns,
            @Nullable Double maxBudgetUsd,
            @FieldSchema(values = {"low", "medium", "high", "max"}) @Nullable String effort,
            @FieldSchema(ref = "Thinking") @Nullable RawJson thinking,
            @FieldSchema(ref = "OutputFormat") @Nullable RawJson outputFormat,
            @FieldSchema(of = WhenBusy.class) @Nullable String whenBusy) {

        public static SendMessage text(String prompt, boolean includePartialMessages) {
            return of(RawJson.string(prompt), includePartialMessages);
        }

        public static SendMessage of(RawJson content, boolean includePartialMessages) {
            return new SendMessage(
                    content, includePartialMessages, null, null, null, null, null, null, null);
        }

        /** Returns a copy that is queued if another turn is running. */
        public SendMessage queued() {
            return new SendMessage(
                    content,
                    includePartialMessages,
                    model,
                    maxTurns,
                    maxBudgetUsd,
                    effort,
                    thinking,
                    outputFormat,
                    "queue");
        }
    }

    /** Forks a session; {@code turnId} is the last turn in the copy, or absent for all turns. */
    record ForkSession(@Nullable String turnId) {}

    record SessionResponse(Session session) {}

    record Sessions(List<Session> sessions, long total) {}

    /** {@code timeout} in milliseconds. */
    record Exec(String command, @Nullable Long timeout) {}

    record ExecResult(int exitCode, String stdout, String stderr) {}

    record Interrupted(boolean interrupted) {}

    /** Adds a message to the running turn; {@code content} is as in {@link SendMessage}. */
    record Steer(@FieldSchema(ref = "MessageContent") RawJson content) {}

    /** Whether the engine has the message; otherwise the reason. */
    record Steered(boolean steered, @Nullable String reason) {}

    /** A row of {@code GET …/messages}; {@code content} is the message's JSON as a string. */
    record Message(
            String id,
            String sessionId,
            String tenantId,
            @FieldSchema(values = {"user", "assistant"}) String role,
            String content,
            long sequence,
            String createdAt,
            long seq,
            @Nullable String turnId) {}

    record Messages(List<Message> messages) {}

    /** A row of {@code GET …/events}; {@code data} is JSON as a string. */
    record Event(
            String id,
            String sessionId,
            String tenantId,
            String type,
            @Nullable String data,
            long sequence,
            String createdAt,
            long seq) {}

    record Events(List<Event> events) {}

    record LogLine(long index, String level, String text, String ts) {}

    record Logs(List<LogLine> logs, String source) {}

    record Files(List<FileEntry> files, String source) {}

    record WriteFiles(List<AgentApi.FileUpload> files, @Nullable String targetPath) {}

    record WrittenFile(String path, boolean written, @Nullable Long size, @Nullable String error) {}

    record WrittenFiles(List<WrittenFile> files) {}

    record DeletedFile(String path, boolean deleted) {}

    /** {@code bundle} is a tar.gz in base64. */
    record UploadWorkspace(String bundle) {}

    record Note(String message) {}
}
