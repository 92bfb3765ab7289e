package dev.ash.e2e.engine;

/** A property of the contract: one row of the table in {@code docs/engines.md}. */
enum Property {
    TURN("turn", "a prompt is answered with Claude-shaped messages, a result and its tokens"),
    STREAM("stream", "the answer arrives in parts while the model generates it"),
    TOOL("tool", "a command runs in the workspace and is reported as a call of `Bash`"),
    TOOL_OUTPUT("tool output", "the result of the call contains the output of the command"),
    MCP_TOOL("MCP tool", "the model calls a tool of an MCP server of the agent"),
    MCP_INPUT("MCP input", "the call of an MCP tool is reported with its input"),
    APPROVE("approve", "a call waits for its approval and then runs once"),
    APPROVE_MCP("approve MCP tool", "a call of an MCP tool waits for its approval"),
    REJECT("reject", "a rejected call does not run"),
    MODIFIED_INPUT("modified input", "a call runs with the input that its approval contains"),
    QUESTION("question", "the model asks the user and receives the answer"),
    CHAT("chat", "`ash chat` shows the answer, asks for an approval, and interrupts"),
    INTERRUPT(
            "interrupt", "an interrupt ends the turn and its processes, and the session continues"),
    RESUME("resume", "a new process continues the conversation"),
    FORK("fork", "a copy of the session continues the conversation, independently"),
    FORK_AT_TURN("fork at a turn", "a copy continues from an earlier turn"),
    CRASH("crash", "a killed engine fails its turn, and the session continues"),
    GARBAGE("garbage", "malformed output of the engine does not end the turn"),
    FLOOD("flood", "megabytes of output neither end the turn nor delay other sessions"),
    TOKENS("token limit", "`maxTokens` ends the session's model calls"),
    COST("cost limit", "`maxBudgetUsd` ends the session's model calls"),
    LIMIT_NOTICE("limit notice", "the answer names the limit that was reached"),
    KEY("key", "only the provider receives the key; the sandbox does not contain it"),
    PROCESSES("processes", "no process survives the session");

    private final String label;
    private final String meaning;

    Property(String label, String meaning) {
        this.label = label;
        this.meaning = meaning;
    }

    String label() {
        return label;
    }

    String meaning() {
        return meaning;
    }
}
