package dev.ash.cli.pair;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.stream.InterruptHandler;
import dev.ash.cli.stream.JsonLinesSink;
import dev.ash.cli.stream.ReconnectNotices;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.ConnectionLostException;
import dev.ash.sdk.PairEvent;
import dev.ash.sdk.ServerUnreachableException;
import java.util.function.Consumer;

/** Follows a run until it ends. Ctrl-C stops following, not the run. */
final class PairWatch {
    private final Host host;
    private final AshClient client;
    private final Pair pair;
    private final boolean json;
    private volatile boolean detached;

    PairWatch(Host host, AshClient client, Pair pair, boolean json) {
        this.host = host;
        this.client = client;
        this.pair = pair;
        this.json = json;
    }

    /** Returns the exit code of the run's outcome. */
    int run(long after, Consumer<Pair> atEnd) {
        var pairs = client.pairs();
        var sink = json ? new JsonLinesSink(host) : new PairPrinter(host, pairs, pair);
        var reconnecting = client.with(ReconnectNotices.policy(host, sink)).pairs();
        try (var question = new DisagreementPrompt(host, pairs, pair, json);
                var events = reconnecting.follow(pair.id(), after);
                var _ = InterruptHandler.install(() -> detach(events))) {
            for (var frame = events.nextFrame(); frame != null; frame = events.nextFrame()) {
                sink.show(frame);
                PairEvent.of(frame).ifPresent(question::handle);
            }
        } catch (ConnectionLostException | ServerUnreachableException e) {
            if (!detached) {
                throw connectionLost();
            }
        }
        if (detached) {
            return ExitCode.INTERRUPTED;
        }
        var last = pairs.get(pair.id());
        host.out().flush();
        atEnd.accept(last);
        if (last.exitCode() != null) {
            return last.exitCode();
        }
        return "completed".equals(last.outcome())
                ? ExitCode.OK
                : ExitCode.FAILED; // a run of another tool
    }

    private CommandException connectionLost() {
        return new CommandException(
                ExitCode.UNREACHABLE,
                "The connection was lost before the run ended, and the server is still unreachable. The run resumes when the server restarts; then follow it with: ash pair watch "
                        + pair.id());
    }

    private void detach(AutoCloseable events) {
        detached = true;
        host.out().flush();
        if (!json) {
            host.err()
                    .printf(
                            "%nThe run continues. Follow it with: ash pair watch %s. Stop it with: ash pair stop %s%n",
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
