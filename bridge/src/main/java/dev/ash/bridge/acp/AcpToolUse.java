package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/** A tool call in Claude's terms; equal calls have byte-identical inputs. */
record AcpToolUse(String id, String tool, RawJson input) {
    /** Returns the command line of a shell command; empty for other tools. */
    String command() throws MalformedJsonException {
        return tool.equals(ToolNames.COMMAND)
                ? JsonObject.parse(input).string("command").orElse("")
                : "";
    }
}
