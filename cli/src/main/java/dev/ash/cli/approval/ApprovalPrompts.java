package dev.ash.cli.approval;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.AshException;
import dev.ash.sdk.SseFrame;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Handles approvals in an event stream. On a terminal, a separate thread asks the user one approval
 * after the other while the stream continues; otherwise prints a line with the command for
 * answering. Its monitor guards the open approvals.
 */
public final class ApprovalPrompts implements AutoCloseable {
    private final Host host;
    private final AshClient client;
    private final boolean json;
    private final Map<String, Approval> open = new LinkedHashMap<>();
    private final Set<String> answeredHere = new HashSet<>();
    private @Nullable Thread asker;
    private boolean closed;

    public ApprovalPrompts(Host host, AshClient client, boolean json) {
        this.host = host;
        this.client = client;
        this.json = json;
    }

    public void handle(SseFrame frame) {
        if (json) {
            return; // the JSON lines contain the approvals
        }
        switch (frame.toEvent()) {
            case AshStreamEvent.ApprovalRequired(var approval, _) -> required(approval);
            case AshStreamEvent.ApprovalResolved(var approval, _) -> resolved(approval);
            default -> {}
        }
    }

    private synchronized void required(Approval approval) {
        if (!host.terminals().in()) {
            var id = ApprovalText.shortId(approval);
            var how = ApprovalText.isQuestion(approval) ? " --answer TEXT" : "";
            print(
                    "? %s\n  Waiting for an answer: ash approvals approve %s%s, or ash approvals reject %s"
                            .formatted(ApprovalText.summary(approval), id, how, id));
            return;
        }
        open.put(approval.id(), approval);
        if (asker == null) {
            asker = Thread.ofVirtual().start(this::askAll);
        }
        notifyAll();
    }

    private synchronized void resolved(Approval approval) {
        var wasAsked = open.remove(approval.id()) != null;
        if (!answeredHere.remove(approval.id())) {
            print(
                    "%s→ %s: %s"
                            .formatted(
                                    wasAsked ? "\n" : "",
                                    Printable.line(approval.tool()),
                                    ApprovalText.outcome(approval)));
        }
        notifyAll();
    }

    private void askAll() {
        try {
            for (var approval = nextOpen(); approval != null; approval = nextOpen()) {
                var id = approval.id();
                if (!isPending(approval)) {
                    remove(id);
                    continue;
                }
                var answer = new ApprovalPrompt(host, approval, () -> isOpen(id)).ask();
                if (answer != null) {
                    send(id, answer);
                }
            }
        } catch (IOException e) {
            print("ash: cannot read the answer: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void send(String id, ApprovalPrompt.Answer answer) {
        synchronized (this) {
            if (!isOpen(id)) {
                return; // answered elsewhere; the outcome has been printed
            }
            answeredHere.add(id);
        }
        try {
            answer.send(client.approvals());
            remove(id);
        } catch (AshApiException e) {
            remove(id);
            print("ash: " + Printable.text(e.getMessage()));
        } catch (AshException e) {
            print("ash: " + Printable.text(e.getMessage())); // the question is repeated
        }
    }

    /** Checks the current status: a replayed stream contains answered approvals. */
    private boolean isPending(Approval approval) {
        try {
            return client.approvals().get(approval.id()).status().equals("pending");
        } catch (AshException e) {
            return true;
        }
    }

    private synchronized @Nullable Approval nextOpen() throws InterruptedException {
        while (!closed && open.isEmpty()) {
            wait();
        }
        return closed ? null : open.values().iterator().next();
    }

    private synchronized boolean isOpen(String id) {
        return !closed && open.containsKey(id);
    }

    private synchronized void remove(String id) {
        open.remove(id);
    }

    private void print(String text) {
        host.err().println(text);
        host.err().flush();
    }

    @Override
    public void close() {
        Thread thread;
        synchronized (this) {
            closed = true;
            notifyAll();
            thread = asker;
        }
        if (thread != null) {
            try {
                thread.join(
                        Duration.ofSeconds(
                                1)); // otherwise it would consume input of the next prompt
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
