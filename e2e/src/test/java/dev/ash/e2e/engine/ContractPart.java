package dev.ash.e2e.engine;

/** A part of the {@link EngineContract}. */
interface ContractPart {
    ContractServer server();

    default TestedEngine engine() {
        return server().engine();
    }
}
