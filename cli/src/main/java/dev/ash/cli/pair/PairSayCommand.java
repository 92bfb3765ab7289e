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

@Command(
        name = "say",
        description = "Say something to the peers of a run; they get it with their next turn.")
final class PairSayCommand extends PairCommand {
    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "TEXT",
            description = "What to say; - reads it from standard input.")
    List<String> words = new ArrayList<>();

    @Option(names = "--to", paramLabel = "PEER", description = "To one of them only.")
    @Nullable String to;

    PairSayCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var text = String.join(" ", words);
        var pair = pair();
        var said = pairs().say(pair.id(), text.equals("-") ? StandardInput.read(host) : text, to);
        var whom = said.to().isEmpty() ? PairText.everybody(pair) : Printable.line(said.to());
        return print(said, "Said to %s, for %s".formatted(whom, when(pair)));
    }

    private String when(Pair pair) {
        return PairText.isResumable(pair)
                ? "when the run is resumed: ash pair resume " + run
                : "the next turn.";
    }
}
