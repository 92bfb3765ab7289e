package dev.ash.pair.loop;

/** What the steps of one run share. */
record StepContext(
        RunSpec spec,
        Progress progress,
        PairLoop.Parts parts,
        Prompts prompts,
        RoundTracker tracker,
        PeerTurns peerTurns,
        BudgetTracker budget) {}
