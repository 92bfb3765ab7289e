package dev.ash.server.pair;

import dev.ash.pair.PeerName;
import dev.ash.pair.archive.Manifest;
import dev.ash.pair.archive.Report;
import dev.ash.pair.loop.Arbiter;
import dev.ash.pair.mailbox.Draft;
import dev.ash.pair.mailbox.Entry;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mailbox.MessageType;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.PairApi;
import dev.ash.server.approval.DecidedBy;
import dev.ash.server.event.EventPosition;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.SseStream;
import dev.ash.server.identity.Scope;
import dev.ash.server.session.store.IdempotencyKey;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The endpoints below {@code /api/pairs}. */
public final class PairRoutes {
    private static final String PAIR = "/api/pairs/{id}";
    private static final int MAX_MESSAGES = 500;

    private final Pairs pairs;

    public PairRoutes(Pairs pairs) {
        this.pairs = pairs;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/api/pairs")
                        .scope(Scope.RUN)
                        .summary("Start a pair: a worker changes a repository, a reviewer reviews")
                        .accepts(PairApi.CreatePair.class)
                        .returns(201, PairApi.PairResponse.class)
                        .handledBy(this::create),
                Endpoint.get("/api/pairs")
                        .summary("List pairs")
                        .returns(200, PairApi.Pairs.class)
                        .handledBy(this::list),
                Endpoint.get(PAIR)
                        .summary("Get a pair: its state, findings and rounds")
                        .returns(200, PairApi.PairResponse.class)
                        .handledBy(this::show),
                Endpoint.get(PAIR + "/stream")
                        .summary("Follow the events of a pair until it is over")
                        .query("after", "integer", "Only events with a greater id (0)")
                        .query(
                                "follow",
                                "boolean",
                                "false ends the stream after the past events (true)")
                        .returns(200, SseStream.class)
                        .handledBy(this::follow),
                Endpoint.get(PAIR + "/messages")
                        .summary("Read the mailbox of a pair")
                        .query("after", "integer", "Only messages with a greater seq (0)")
                        .returns(200, PairApi.Messages.class)
                        .handledBy(this::messages),
                Endpoint.post(PAIR + "/messages")
                        .scope(Scope.RUN)
                        .summary("Send a message of the user to the peers")
                        .accepts(PairApi.SendPeerMessage.class)
                        .returns(201, PairApi.Message.class)
                        .handledBy(this::say),
                Endpoint.get(PAIR + "/report")
                        .summary("Get the report of a pair in Markdown")
                        .returns(200, PairApi.Text.class)
                        .handledBy(this::report),
                Endpoint.post(PAIR + "/answer")
                        .scope(Scope.APPROVE)
                        .summary("Decide a disagreement of the peers")
                        .accepts(PairApi.PairDecision.class)
                        .returns(202, PairApi.PairResponse.class)
                        .handledBy(this::answer),
                Endpoint.post(PAIR + "/pause")
                        .scope(Scope.RUN)
                        .summary("Pause a pair after its current step")
                        .returns(200, PairApi.PairResponse.class)
                        .handledBy(exchange -> pause(exchange, true)),
                Endpoint.post(PAIR + "/stop")
                        .scope(Scope.RUN)
                        .summary("Stop a pair; its commits are kept")
                        .returns(202, PairApi.PairResponse.class)
                        .handledBy(this::stop),
                Endpoint.post(PAIR + "/clean")
                        .scope(Scope.RUN)
                        .summary(
                                "Remove the clones of a pair if the repository contains all their commits")
                        .returns(200, PairApi.CleanupResult.class)
                        .handledBy(this::clean),
                Endpoint.post(PAIR + "/resume")
                        .scope(Scope.RUN)
                        .summary("Resume a pair that was paused, stopped or reached a limit")
                        .accepts(PairApi.Resume.class)
                        .returns(200, PairApi.PairResponse.class)
                        .handledBy(this::resume));
    }

    private void create(Exchange exchange) throws InterruptedException {
        var key = IdempotencyKey.of(exchange, "POST /api/pairs");
        var pair = pairs.create(tenant(exchange), exchange.body(PairApi.CreatePair.class), key);
        exchange.respond(201, new PairApi.PairResponse(pair));
    }

    private void list(Exchange exchange) {
        exchange.respond(200, new PairApi.Pairs(pairs.list(tenant(exchange))));
    }

    private void show(Exchange exchange) {
        respond(exchange, 200);
    }

    private void respond(Exchange exchange, int status) {
        exchange.respond(
                status, new PairApi.PairResponse(pairs.find(tenant(exchange), id(exchange))));
    }

    private void follow(Exchange exchange) throws IOException, InterruptedException {
        var transcript = pairs.transcript(tenant(exchange), id(exchange));
        long after = EventPosition.parse(exchange.query("after"), exchange.header("Last-Event-ID"));
        boolean follows = isFollowing(exchange);
        var stream = exchange.sse();
        long offset = 0;
        long seq = 0;
        while (true) {
            // Checked before reading: once a run is over, the file is complete.
            boolean over = !follows || !pairs.isRunning(id(exchange));
            var page = transcript.read(offset, seq);
            for (var line : page.lines()) {
                if (line.seq() > after) {
                    stream.frame("pair", line.data(), line.seq());
                }
            }
            offset = page.nextOffset();
            seq = page.nextSeq();
            if (over && page.lines().isEmpty()) {
                return;
            }
            if (page.lines().isEmpty() && !transcript.await(offset, Limits.HEARTBEAT_INTERVAL)) {
                stream.comment("");
            }
        }
    }

    private static boolean isFollowing(Exchange exchange) {
        return switch (exchange.query("follow").orElse("true")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw ApiException.invalid("follow", "must be true or false");
        };
    }

    private void messages(Exchange exchange) throws IOException {
        var directory = pairs.directory(tenant(exchange), id(exchange));
        long after = EventPosition.parse(exchange.query("after"), Optional.empty());
        try (var mailbox = Mailbox.open(directory.path(), directory.runId())) {
            var messages =
                    mailbox.read(after, MAX_MESSAGES).stream().map(PairRoutes::toApi).toList();
            exchange.respond(200, new PairApi.Messages(messages));
        }
    }

    private void say(Exchange exchange) throws IOException {
        var request = exchange.body(PairApi.SendPeerMessage.class);
        if (request.content().isBlank()) {
            throw ApiException.invalid("content", "must not be blank");
        }
        var directory = pairs.directory(tenant(exchange), id(exchange));
        Manifest.read(directory.path()).ifPresent(RunPreconditions::requireNotCompleted);
        var to = request.to() == null ? "" : requirePeer(directory, request.to());
        try (var mailbox = Mailbox.open(directory.path(), directory.runId())) {
            var draft = Draft.of(MessageType.CHAT, PeerName.HUMAN, to, request.content());
            exchange.respond(201, toApi(mailbox.append(draft).entry()));
        }
    }

    private static String requirePeer(RunDirectory directory, String peer) {
        var run = Manifest.read(directory.path()).map(Manifest::ashRun).orElse(null);
        var names =
                run == null
                        ? List.<String>of()
                        : Stream.of(run.setup().spec().worker(), run.setup().spec().reviewer())
                                .flatMap(Stream::ofNullable)
                                .map(PeerName::value)
                                .toList();
        if (!names.contains(peer)) {
            throw ApiException.invalid(
                    "to",
                    "must be one of %s, or absent for both".formatted(String.join(", ", names)));
        }
        return peer;
    }

    private static PairApi.Message toApi(Entry entry) {
        var message = entry.message();
        return new PairApi.Message(
                entry.seq(),
                message.id(),
                message.type(),
                message.from(),
                message.to(),
                message.content(),
                message.signal(),
                message.timestamp(),
                message.iteration());
    }

    private void report(Exchange exchange) {
        var directory = pairs.directory(tenant(exchange), id(exchange));
        var run = Manifest.read(directory.path()).map(Manifest::ashRun).orElse(null);
        exchange.respond(200, new PairApi.Text(run == null ? "" : Report.of(run)));
    }

    private void answer(Exchange exchange) throws InterruptedException {
        var request = exchange.body(PairApi.PairDecision.class);
        var decision =
                Stream.of(Arbiter.Decision.values())
                        .filter(d -> d.name().toLowerCase(Locale.ROOT).equals(request.decision()))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "decision", "must be go_on, accept or reject"));
        var run = pairs.requireRunning(tenant(exchange), id(exchange), "answer");
        run.answer(
                decision, request.message(), DecidedBy.fromHeader(exchange.header("X-Ash-Source")));
        respond(exchange, 202);
    }

    private void pause(Exchange exchange, boolean paused) {
        pairs.requireRunning(tenant(exchange), id(exchange), "pause").setPaused(paused);
        respond(exchange, 200);
    }

    private void stop(Exchange exchange) {
        pairs.requireRunning(tenant(exchange), id(exchange), "stop").stop();
        respond(exchange, 202);
    }

    private void clean(Exchange exchange) throws InterruptedException {
        exchange.respond(200, pairs.clean(tenant(exchange), id(exchange)));
    }

    private void resume(Exchange exchange) {
        var resume = exchange.body(PairApi.Resume.class);
        if (pairs.isRunning(id(exchange))) {
            pause(exchange, false);
            return;
        }
        exchange.respond(
                200,
                new PairApi.PairResponse(pairs.resume(tenant(exchange), id(exchange), resume)));
    }

    private static TenantId tenant(Exchange exchange) {
        return exchange.caller().tenant();
    }

    private static String id(Exchange exchange) {
        return exchange.path("id");
    }
}
