package dev.ash.e2e.engine;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsEngine;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs the contract on the real Claude Code. */
@NeedsEngine("claude")
class ClaudeContractTest extends EngineContract {
    @RegisterExtension
    static final AshExtension ash = ContractServer.extension(TestedEngines.CLAUDE);

    ClaudeContractTest() {
        super(TestedEngines.CLAUDE, ash);
    }
}
