package dev.ash.server.egress;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;

/** One connection from a sandbox: request after request, until one of the two ends it. */
final class ClientConnection {
    private static final Duration GOODBYE = Duration.ofSeconds(1);

    private final Wire client;
    private final Gate gate;
    private final Wires wires;
    private final ModelCalls model;
    private final ToolCalls tools;
    private final EgressLimits limits;

    ClientConnection(
            Wire client,
            Gate gate,
            Wires wires,
            ModelCalls model,
            ToolCalls tools,
            EgressLimits limits) {
        this.client = client;
        this.gate = gate;
        this.wires = wires;
        this.model = model;
        this.tools = tools;
        this.limits = limits;
    }

    void serve() {
        try {
            client.deadline().within(limits.head());
            while (next()) {
                client.deadline().idle(limits.idle());
            }
        } catch (BadMessageException e) {
            refuse(client, new Refusal(e.status(), "Ash: the request has " + e.getMessage()));
        } catch (IOException e) {
            // The sandbox has ended or lost interest, or a host broke off; closing says so.
        }
    }

    /** For a connection that is one too many, or whose request cannot be read. */
    static void refuse(Wire client, Refusal refusal) {
        try {
            answer(client, refusal, Form.PLAIN, false);
            linger(client);
        } catch (IOException e) {
            // Then it does not learn why.
        }
    }

    private enum Form {
        PLAIN,
        MODEL,
        /** To a HEAD request. */
        BODILESS
    }

    private boolean next() throws IOException {
        if (!client.input().more()) {
            return false;
        }
        client.deadline().within(limits.head());
        var request = RequestHead.read(client.input());
        var body = Framing.of(request);
        client.deadline().idle(limits.clientIdle());
        var forwarding = new Forwarding(client, request, body, limits);
        var form = Form.PLAIN;
        try {
            var route = Route.of(request);
            form = route instanceof Route.Model ? Form.MODEL : Form.PLAIN;
            boolean again = serve(request, body, route, forwarding);
            if (!again) {
                linger(client);
            }
            return again;
        } catch (Refusal e) {
            form = request.method().equals("HEAD") ? Form.BODILESS : form;
            return refuse(request, forwarding.bodyLeft(), e, form);
        }
    }

    private boolean serve(RequestHead request, Framing body, Route route, Forwarding forwarding)
            throws IOException, Refusal {
        return switch (route) {
            case Route.Model(var target) -> {
                if (ModelCalls.isGreeting(request)) {
                    client.output()
                            .write(HttpInput.bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
                    yield request.keepsAlive();
                }
                yield model.serve(request, target, forwarding);
            }
            case Route.Tools() -> tools.serve(client, request, body);
            case Route.Plain(var host, var target) -> plain(request, host, target, forwarding);
            case Route.Tunnel(var host) -> tunnel(host, body);
        };
    }

    private boolean plain(
            RequestHead request, HostAndPort host, String target, Forwarding forwarding)
            throws IOException, Refusal {
        var upstream = gate.open(host);
        try {
            var headers =
                    request.headers()
                            .endToEnd()
                            .without(Set.of("host"))
                            .with(
                                    "Host",
                                    host.port() == 80 ? host.host().toString() : host.toString());
            return forwarding.run(upstream, target, headers, Tap.NONE);
        } finally {
            wires.end(upstream);
        }
    }

    private boolean tunnel(HostAndPort host, Framing body) throws IOException, Refusal {
        if (!(body instanceof Framing.None)) {
            throw new Refusal(400, "Ash: CONNECT has no body");
        }
        var upstream = gate.open(host);
        try {
            client.deadline().idle(limits.idle());
            client.output().write(HttpInput.bytes("HTTP/1.1 200 Connection established\r\n\r\n"));
            new Tunnel(client, upstream, host, gate).run();
            return false;
        } finally {
            wires.end(upstream);
        }
    }

    /** The body is read to its end, or its sender would not read the answer. */
    private boolean refuse(RequestHead request, Framing body, Refusal refusal, Form form)
            throws IOException {
        boolean again =
                request.keepsAlive()
                        && switch (body) {
                            case Framing.None() -> true;
                            case Framing.Length(var bytes) ->
                                    bytes <= EgressLimits.MAX_DRAINED_BYTES
                                            && !request.expectsContinue();
                            case Framing.Chunked(), Framing.UntilClose() -> false;
                        };
        answer(client, refusal, form, again);
        if (!again) {
            if (!(body instanceof Framing.UntilClose)) { // else another thread still reads
                linger(client);
            }
            return false;
        }
        body.open(client.input()).transferTo(OutputStream.nullOutputStream());
        return true;
    }

    private static void answer(Wire client, Refusal refusal, Form form, boolean again)
            throws IOException {
        var body = refusal.body(form == Form.MODEL);
        var head =
                "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n"
                        .formatted(
                                refusal.status(),
                                refusal.reason(),
                                body.length,
                                again ? "" : "Connection: close\r\n");
        client.output().write(HttpInput.bytes(head));
        if (form != Form.BODILESS) {
            client.output().write(body);
        }
    }

    /** Closing while bytes are unread would take back what was just answered. */
    private static void linger(Wire client) throws IOException {
        client.shutdownOutput();
        client.deadline().within(GOODBYE);
        var piece = new byte[BodyOutput.PIECE];
        int left = EgressLimits.MAX_DRAINED_BYTES;
        while (left > 0) {
            int count = client.input().read(piece);
            if (count < 0) {
                return;
            }
            left -= count;
        }
    }
}
