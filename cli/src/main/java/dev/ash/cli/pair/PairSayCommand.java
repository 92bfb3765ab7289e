package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.StandardInput;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.PairApi.Pair;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code ash pair say}. */
@Command(name = "say", description = "Send a message to the peers of a run, for their next turn.")
final class PairSayCommand extends PairCommand {
    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "TEXT",
            description = "The message; - reads it from standard input.")
    List<String> words = new ArrayList<>();

    @Option(names = "--to", paramLabel = "PEER", description = "Recipient. Default: both peers.")
    @Nullable String to;

    PairSayCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var text = String.join(" ", words);
        var pair = pair();
        var sent = pairs().say(pair.id(), text.equals("-") ? StandardInput.read(host) : text, to);
        var recipient = sent.to().isEmpty() ? PairText.recipients(pair) : Printable.line(sent.to());
        return print(sent, "Sent to %s, delivered %s".formatted(recipient, when(pair)));
    }

    private String when(Pair pair) {
        return PairText.isResumable(pair)
                ? "when the run is resumed: ash pair resume " + run
                : "with the next turn.";
    }
}
