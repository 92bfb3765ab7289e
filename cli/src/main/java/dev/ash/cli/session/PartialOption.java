package dev.ash.cli.session;

import picocli.CommandLine.Option;

/** Option to show only complete messages. */
final class PartialOption {
    @Option(names = "--no-partial", description = "Show each message only when it is complete.")
    boolean noPartial;

    boolean isPartial() {
        return !noPartial;
    }
}
