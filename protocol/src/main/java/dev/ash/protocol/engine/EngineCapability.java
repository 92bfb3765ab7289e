package dev.ash.protocol.engine;

import java.util.Locale;

/** What an engine can do with its driver. */
public enum EngineCapability {
    /** Sends its answer in parts while it generates it. */
    STREAM,
    /** Reports the tools that it runs, with their inputs and results. */
    TOOLS,
    /** Asks before it runs a tool. */
    APPROVALS,
    /** Accepts an approval with another input. */
    MODIFIED_INPUT,
    /** Asks the user questions that are not about a tool. */
    QUESTIONS,
    /** Lets its session sleep while a question is open. */
    DEFER,
    /** Ends a turn early and keeps the conversation. */
    INTERRUPT,
    /** Accepts messages during a turn. */
    STEER,
    /** Continues a conversation in a new process. */
    RESUME,
    /** Continues a conversation in a copy of its session. */
    FORK,
    /** Uses the MCP servers of the session. */
    MCP,
    /** Calls its model through the proxy of the sandbox, which meters and limits the calls. */
    BUDGET,
    /** Enforces the permission rules and modes of the session. */
    PERMISSION_RULES,
    /** Runs the subagents that the session defines. */
    SUBAGENTS,
    /** Answers in the format of a JSON schema. */
    OUTPUT_FORMAT,
    /** Follows the system prompt of the session. */
    SYSTEM_PROMPT;

    /** Returns the name in the API, such as {@code modified-input}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
