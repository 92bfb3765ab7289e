package dev.ash.e2e.engine;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsEngine;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs the contract on the real goose. */
@NeedsEngine("goose")
class GooseContractTest extends EngineContract {
    @RegisterExtension
    static final AshExtension ash = ContractServer.extension(TestedEngines.GOOSE);

    GooseContractTest() {
        super(TestedEngines.GOOSE, ash);
    }
}
