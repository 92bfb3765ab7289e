package dev.ash.e2e.engine;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsEngine;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs the contract on the real Codex. */
@NeedsEngine("codex")
class CodexContractTest extends EngineContract {
    @RegisterExtension
    static final AshExtension ash = ContractServer.extension(TestedEngines.CODEX);

    CodexContractTest() {
        super(TestedEngines.CODEX, ash);
    }
}
