package dev.ash.bridge.demo;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The scripted response of the demo as a peer of a pair, which demonstrates a run with a rejection,
 * a fix and an approval. The demo has no memory, so it recognizes the prompts of a pair by their
 * text.
 *
 * @param command the command that it runs, or null
 */
record DemoPeer(String opening, @Nullable String command, String closing) {
    private static final String FILE = "PAIR_DEMO.md";

    /** Returns the response to a prompt of a pair; empty for other prompts. */
    static Optional<DemoPeer> of(String prompt) {
        if (prompt.contains("write a plan") || prompt.startsWith("The plan was not approved")) {
            return Optional.of(plan());
        }
        if (prompt.contains("Review this plan")) {
            return Optional.of(
                    new DemoPeer("The demo reads the plan.", null, "The plan will do.\nPASS"));
        }
        if (prompt.contains("check your own work as a strict reviewer")) {
            return Optional.of(
                    check("The demo looks at its own work.", "It is as it should be.\nPASS"));
        }
        if (prompt.startsWith("You are the reviewer of a pair")) {
            return Optional.of(
                    check(
                            "This is Ash's demo engine as a reviewer: no model is behind it.",
                            FILE + " does not say who reviewed it. Add that.\nFAIL"));
        }
        if (prompt.startsWith("The worker handed over new work")) {
            return Optional.of(check("The demo looks at what is new.", "Now it does.\nPASS"));
        }
        if (prompt.startsWith("You are the worker of a pair")) {
            return Optional.of(
                    work(
                            "This is Ash's demo engine as a worker: no model is behind it.",
                            "# Written by the demo of a pair"));
        }
        boolean again =
                prompt.startsWith("The work is not approved yet")
                        || prompt.startsWith("The proof failed")
                        || prompt.startsWith("Your turn ended without")
                        || prompt.startsWith("You said that you are done");
        return again
                ? Optional.of(work("The demo fixes its work.", "Reviewed by its twin."))
                : Optional.empty();
    }

    private static DemoPeer plan() {
        return new DemoPeer(
                "The demo makes a plan.",
                "ls",
                "1. There is a file " + FILE + ".\nStep: write it.\nRisk: none.");
    }

    private static DemoPeer work(String opening, String line) {
        return new DemoPeer(
                opening, "echo '" + line + "' >>" + FILE, "It is in " + FILE + ".\nDONE");
    }

    private static DemoPeer check(String opening, String closing) {
        return new DemoPeer(opening, "git log --oneline -n 5 && cat " + FILE, closing);
    }
}
