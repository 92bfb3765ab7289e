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
 * The approvals that come up in a stream: asked one after the other on a person's terminal, by a
 * thread of its own, so that the stream goes on meanwhile; told in one line where nobody can be
 * asked. Its monitor guards what is open.
 */
public final class Questions implements AutoCloseable {
    private final Host host;
    private final AshClient client;
    private final boolean json;
    private final Map<String, Approval> open = new LinkedHashMap<>();
    private final Set<String> answeredHere = new HashSet<>();
    private @Nullable Thread asking;
    private boolean closed;

    public Questions(Host host, AshClient client, boolean json) {
        this.host = host;
        this.client = client;
        this.json = json;
    }

    public void see(SseFrame frame) {
        if (json) {
            return; // whoever reads the lines has it all
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
            say(
                    "? %s\n  It waits for an answer: ash approvals approve %s%s, or ash approvals reject %s"
                            .formatted(ApprovalText.summary(approval), id, how, id));
            return;
        }
        open.put(approval.id(), approval);
        if (asking == null) {
            asking = Thread.ofVirtual().start(this::askAll);
        }
        notifyAll();
    }

    private synchronized void resolved(Approval approval) {
        var wasAsked = open.remove(approval.id()) != null;
        if (!answeredHere.remove(approval.id())) {
            say(
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
            for (var approval = first(); approval != null; approval = first()) {
                var id = approval.id();
                if (!isPending(approval)) {
                    forget(id);
                    continue;
                }
                var answer = new Question(host, approval, () -> isOpen(id)).ask();
                if (answer != null) {
                    give(id, answer);
                }
            }
        } catch (IOException e) {
            say("ash: The answer cannot be read: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void give(String id, Question.Answer answer) {
        synchronized (this) {
            if (!isOpen(id)) {
                return; // somebody was faster, and the person has been told
            }
            answeredHere.add(id);
        }
        try {
            answer.give(client.approvals());
            forget(id);
        } catch (AshApiException e) {
            forget(id);
            say("ash: " + Printable.text(e.message()));
        } catch (AshException e) {
            say("ash: " + Printable.text(e.message())); // and asked again
        }
    }

    /** A stream that is read from an earlier place shows questions that are long answered. */
    private boolean isPending(Approval approval) {
        try {
            return client.approvals().get(approval.id()).status().equals("pending");
        } catch (AshException e) {
            return true;
        }
    }

    private synchronized @Nullable Approval first() throws InterruptedException {
        while (!closed && open.isEmpty()) {
            wait();
        }
        return closed ? null : open.values().iterator().next();
    }

    private synchronized boolean isOpen(String id) {
        return !closed && open.containsKey(id);
    }

    private synchronized void forget(String id) {
        open.remove(id);
    }

    private void say(String text) {
        host.err().println(text);
        host.err().flush();
    }

    @Override
    public void close() {
        Thread thread;
        synchronized (this) {
            closed = true;
            notifyAll();
            thread = asking;
        }
        if (thread != null) {
            try {
                thread.join(Duration.ofSeconds(1)); // or it would take the next prompt's first word
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
