package dev.ash.pair.loop;

/** The objects that the steps of a run share. */
record StepContext(
        RunSpec spec,
        Progress progress,
        PairLoop.Parts parts,
        Prompts prompts,
        RoundTracker tracker,
        PeerTurns peerTurns,
        BudgetTracker budget) {}
