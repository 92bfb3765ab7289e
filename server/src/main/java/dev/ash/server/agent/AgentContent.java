package dev.ash.server.agent;

import dev.ash.server.workspace.FileTree;
import java.io.IOException;

/** Writes the files of a new version into its directory. */
interface AgentContent {
    /** The file with an agent's system prompt, which every agent has. */
    String PROMPT = "CLAUDE.md";

    void fill(FileTree tree) throws IOException;
}
