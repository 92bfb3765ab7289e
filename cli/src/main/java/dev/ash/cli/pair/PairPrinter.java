package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.cli.stream.EventSink;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.sdk.PairEvent;
import dev.ash.sdk.PairsClient;
import dev.ash.sdk.SseFrame;
import java.util.HashSet;
import java.util.Set;

/** Prints the events of a pair run, one line each: round, actor and action. */
final class PairPrinter implements EventSink {
    private static final int WIDTH = 160;
    private static final int PROOF_LINES = 15;

    private final Host host;
    private final PairsClient pairs;
    private final Pair pair;
    private final Set<String> shownFindings = new HashSet<>();
    private boolean reviewFailed;

    PairPrinter(Host host, PairsClient pairs, Pair pair) {
        this.host = host;
        this.pairs = pairs;
        this.pair = pair;
    }

    @Override
    public void show(SseFrame frame) {
        PairEvent.of(frame).ifPresent(this::show);
        host.out().flush();
    }

    private void show(PairEvent event) {
        if (reviewFailed && !event.type().equals("iteration")) {
            reviewFailed = false;
            printFindings(); // stored only when the review step is over
        }
        switch (event.type()) {
            case "start" -> line(event, "ash", "task: " + event.content());
            case "execute" ->
                    line(event, event.agent(), isWorker(event) ? "is working" : "is reviewing");
            case "result" -> {
                if (isWorker(event)) {
                    line(
                            event,
                            event.agent(),
                            event.content()); // the result of a reviewer is its verdict
                }
            }
            case "signal" -> signal(event);
            case "commit" -> line(event, "ash", commit(event));
            case "proof" -> proof(event);
            case "iteration" -> {} // the next line shows the round
            case "question" -> line(event, "ash", "the peers disagree; waiting for your decision");
            case "answer" -> line(event, "you", event.content());
            case "state" -> line(event, "ash", event.content());
            case "error" -> line(event, "ash", "failed: " + event.content());
            case "end" -> line(event, "ash", event.content());
            default -> {} // event of a newer server
        }
    }

    private void signal(PairEvent event) {
        var signal = event.firstLine();
        if (!signal.equals("DONE")) {
            line(event, event.agent(), signal + "  " + event.rest());
            reviewFailed = signal.equals("FAIL");
        }
    }

    private void printFindings() {
        for (var finding : pairs.get(pair.id()).findings()) {
            if (shownFindings.add(finding.id())) {
                host.out().println("      " + PairText.finding(finding));
            }
        }
    }

    private void proof(PairEvent event) {
        boolean green = event.firstLine().equals("exit code 0");
        line(event, "ash", "the proof is " + (green ? "green" : "red, " + event.firstLine()));
        if (!green) {
            var lines = event.rest().stripTrailing().lines().toList();
            lines.subList(Math.max(0, lines.size() - PROOF_LINES), lines.size())
                    .forEach(
                            line ->
                                    host.out()
                                            .println(
                                                    "      | "
                                                            + Printable.abbreviate(line, WIDTH)));
        }
    }

    private static String commit(PairEvent event) {
        var total = event.rest().strip().lines().reduce("", (_, last) -> last).strip();
        return "commit "
                + PairText.commit(event.firstLine())
                + (total.isEmpty() ? "" : ", " + total);
    }

    private boolean isWorker(PairEvent event) {
        return pair.worker() != null && pair.worker().name().equals(event.agent());
    }

    private void line(PairEvent event, String actor, String text) {
        host.out()
                .println(
                        "%3d  %-10s %s"
                                .formatted(
                                        event.round(),
                                        Printable.line(actor),
                                        Printable.abbreviate(text.strip(), WIDTH)));
    }

    @Override
    public void note(String text) {
        host.out().flush();
        host.err().println("ash: " + text);
        host.err().flush();
    }
}
