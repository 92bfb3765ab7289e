package dev.ash.e2e.engine;

import dev.ash.e2e.AshExtension;
import org.junit.jupiter.api.TestInstance;

/**
 * The contract of an engine: one test for each {@link Property}. A test of a property that an
 * engine does not have checks the answer instead.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EngineContract
        implements ConversationContract,
                ApprovalContract,
                ClientContract,
                FailureContract,
                LimitContract {
    private final ContractServer server;

    EngineContract(TestedEngine engine, AshExtension ash) {
        this.server = new ContractServer(engine, ash);
    }

    @Override
    public ContractServer server() {
        return server;
    }
}
