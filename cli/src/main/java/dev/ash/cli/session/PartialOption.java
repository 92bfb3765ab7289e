package dev.ash.cli.session;

import picocli.CommandLine.Option;

/** Whether a turn shows messages while they grow. */
final class PartialOption {
    @Option(
            names = "--no-partial",
            description = "Show each message when it is complete, not in pieces.")
    boolean none;

    boolean isPartial() {
        return !none;
    }
}
