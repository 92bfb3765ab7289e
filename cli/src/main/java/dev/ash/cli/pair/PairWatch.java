package dev.ash.cli.pair;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.stream.Interrupts;
import dev.ash.cli.stream.JsonLinesSink;
import dev.ash.cli.stream.Reconnection;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.ConnectionLostException;
import dev.ash.sdk.PairEvent;
import dev.ash.sdk.ServerUnreachableException;
import java.util.function.Consumer;

/** Follows a run to its end. Ctrl-C ends the following, never the run. */
final class PairWatch {
    private final Host host;
    private final AshClient client;
    private final Pair pair;
    private final boolean json;
    private volatile boolean left;

    PairWatch(Host host, AshClient client, Pair pair, boolean json) {
        this.host = host;
        this.client = client;
        this.pair = pair;
        this.json = json;
    }

    /** The exit code of its outcome. */
    int run(long after, Consumer<Pair> atEnd) {
        var pairs = client.pairs();
        var sink = json ? new JsonLinesSink(host) : new PairPrinter(host, pairs, pair);
        var lasting = client.with(Reconnection.patience(host, sink)).pairs();
        try (var question = new PairQuestion(host, pairs, pair, json);
                var events = lasting.follow(pair.id(), after);
                var _ = Interrupts.handledBy(() -> leave(events))) {
            for (var frame = events.nextFrame(); frame != null; frame = events.nextFrame()) {
                sink.show(frame);
                PairEvent.of(frame).ifPresent(question::see);
            }
        } catch (ConnectionLostException | ServerUnreachableException e) {
            if (!left) {
                throw lost();
            }
        }
        if (left) {
            return ExitCode.INTERRUPTED;
        }
        var last = pairs.get(pair.id());
        host.out().flush();
        atEnd.accept(last);
        if (last.exitCode() != null) {
            return last.exitCode();
        }
        return "completed".equals(last.outcome()) ? ExitCode.OK : ExitCode.FAILED; // another tool's
    }

    private Failure lost() {
        return new Failure(
                ExitCode.UNREACHABLE,
                "The connection was lost before the run was over, and the server has not come back. A server that starts again goes on with it; to follow it then: ash pair watch "
                        + pair.id());
    }

    private void leave(AutoCloseable events) {
        left = true;
        host.out().flush();
        if (!json) {
            host.err()
                    .printf(
                            "%nThe run goes on. To follow it: ash pair watch %s. To stop it: ash pair stop %s%n",
                            pair.id(), pair.id());
            host.err().flush();
        }
        try {
            events.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
