package dev.ash.server.pair;

import dev.ash.pair.PeerName;
import dev.ash.pair.archive.PeerAssignment;
import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.Mode;
import dev.ash.pair.loop.RunSpec;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.CreateSessionBuilder;
import dev.ash.protocol.rest.PairApi;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.http.Json;
import dev.ash.server.isolation.IsolationRules;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A validated request for a run, with defaults applied: its specification and its peers. */
record PairRequest(
        RunSpec spec, Optional<PeerAssignment> worker, Optional<PeerAssignment> reviewer) {
    private static final int MAX_TASK = 200_000;
    private static final int MAX_PROOF = 10_000;

    /**
     * The peers that the server has.
     *
     * @param names the names of the available engines and agents
     */
    record Candidates(List<String> names, EngineTable engines) {
        private Optional<String> find(String name) {
            // Sessions on an engine are started by its public name.
            return Stream.concat(
                            Stream.of(name),
                            engines.find(name).map(EngineProfile::publicName).stream())
                    .filter(names::contains)
                    .findFirst();
        }
    }

    static PairRequest of(PairApi.CreatePair request, Candidates candidates) {
        var mode = mode(request.mode());
        boolean plan = Boolean.TRUE.equals(request.plan());
        if (plan && mode == Mode.REVIEW_ONLY) {
            throw ApiException.invalid("plan", "requires a worker; omit review-only");
        }
        var worker =
                mode == Mode.REVIEW_ONLY
                        ? Optional.<PeerAssignment>empty()
                        : Optional.of(
                                assignment(
                                        "worker",
                                        request.worker(),
                                        PairApi.DEFAULT_WORKER,
                                        candidates,
                                        sharedSettings(request).model(request.workerModel())));
        var reviewer =
                mode == Mode.SINGLE
                        ? Optional.<PeerAssignment>empty()
                        : Optional.of(
                                assignment(
                                        "reviewer",
                                        request.reviewer(),
                                        PairApi.DEFAULT_REVIEWER,
                                        candidates,
                                        sharedSettings(request).model(request.reviewerModel())));
        var workerName = worker.map(assignment -> name(assignment.agent(), candidates.engines()));
        var reviewerName = reviewer.map(assignment -> name(assignment.agent(), candidates.engines()));
        if (workerName.equals(reviewerName)) {
            reviewerName = reviewerName.map(name -> new PeerName(name + "-2"));
        }
        var spec =
                new RunSpec(
                        text("task", request.task(), MAX_TASK),
                        mode,
                        plan,
                        workerName.orElse(null),
                        reviewerName.orElse(null),
                        proof(request.proof(), mode),
                        done(request.doneSignal()),
                        budget(request),
                        Boolean.TRUE.equals(request.asksPerson()));
        return new PairRequest(spec, worker, reviewer);
    }

    private static Mode mode(@Nullable String requested) {
        if (requested == null) {
            return Mode.PAIR;
        }
        return Arrays.stream(Mode.values())
                .filter(mode -> mode.wire().equals(requested))
                .findFirst()
                .orElseThrow(
                        () -> ApiException.invalid("mode", "must be pair, single or review-only"));
    }

    private static PeerAssignment assignment(
            String field,
            @Nullable String requested,
            String defaultAgent,
            Candidates candidates,
            CreateSessionBuilder request) {
        var agent = candidates.find(requested == null ? defaultAgent : requested);
        if (agent.isEmpty() && requested != null) {
            throw ApiException.invalid(
                    field,
                    "\"%s\" is neither an engine of this server nor a deployed agent; expected one of %s"
                            .formatted(
                                    requested,
                                    candidates.names().stream()
                                            .sorted()
                                            .collect(Collectors.joining(", "))));
        }
        var name = agent.orElseGet(candidates.names()::getFirst);
        return new PeerAssignment(name, new RawJson(Json.write(request.agent(name).build())), null);
    }

    /** Returns the session settings that both peers share. */
    private static CreateSessionBuilder sharedSettings(PairApi.CreatePair request) {
        return SessionApi.CreateSession.builder("")
                .permissionMode(request.permissionMode())
                .credentialId(request.credentialId())
                .limits(request.limits())
                .network(request.network());
    }

    /** Returns the request that creates the session of a peer. */
    static SessionApi.CreateSession session(PeerAssignment assignment) {
        return Json.read(assignment.request().toBytes(), SessionApi.CreateSession.class);
    }

    /** Derives a peer name from an agent name, which may contain other characters. */
    private static PeerName name(String agent, EngineTable engines) {
        var engine = engines.find(agent);
        if (engine.isPresent()) {
            return new PeerName(engine.get().name().value());
        }
        var plain = agent.toLowerCase(Locale.ROOT).replaceAll("^[_-]+", "");
        var shortened = plain.substring(0, Math.min(plain.length(), 60));
        boolean reserved = shortened.equals(PeerName.SYSTEM) || shortened.equals(PeerName.HUMAN);
        return new PeerName(shortened.isEmpty() || reserved ? "peer-" + shortened : shortened);
    }

    private static @Nullable String proof(@Nullable String command, Mode mode) {
        if (command != null && mode == Mode.REVIEW_ONLY) {
            throw ApiException.invalid("proof", "requires a worker; omit review-only");
        }
        return command == null ? null : text("proof", command, MAX_PROOF);
    }

    private static String done(@Nullable String signal) {
        if (signal == null) {
            return RunSpec.DONE;
        }
        var line = text("doneSignal", signal, 100).strip();
        if (line.lines().count() != 1 || line.equals("PASS") || line.equals("FAIL")) {
            throw ApiException.invalid("doneSignal", "must be one line, and neither PASS nor FAIL");
        }
        return line;
    }

    private static String text(String field, String text, int max) {
        if (text.isBlank() || text.length() > max || text.indexOf('\0') >= 0) {
            throw ApiException.invalid(
                    field, "must have 1 to %,d characters, not all blank".formatted(max));
        }
        return text;
    }

    private static Budget budget(PairApi.CreatePair request) {
        var defaults = Budget.DEFAULT;
        return new Budget(
                rounds(request.maxRounds(), defaults.rounds()),
                time("timeout", request.timeout(), defaults.time()),
                time("turnTimeout", request.turnTimeout(), defaults.turn()),
                IsolationRules.positive("maxTokens", request.maxTokens()),
                IsolationRules.positive("maxCostUsd", request.maxCostUsd()),
                between(
                        "stalemateRounds",
                        request.stalemateRounds(),
                        defaults.stalemateRounds(),
                        2));
    }

    static int rounds(@Nullable Integer requested, int defaultValue) {
        return between("maxRounds", requested, defaultValue, 1);
    }

    static Duration time(String field, @Nullable Long millis, Duration defaultValue) {
        if (millis == null) {
            return defaultValue;
        }
        if (millis < 1 || millis > Duration.ofDays(30).toMillis()) {
            throw ApiException.invalid(field, "must be 1 millisecond to 30 days");
        }
        return Duration.ofMillis(millis);
    }

    private static int between(
            String field, @Nullable Integer requested, int defaultValue, int min) {
        int value = Objects.requireNonNullElse(requested, defaultValue);
        if (value < min || value > 1000) {
            throw ApiException.invalid(field, "must be %d to 1000".formatted(min));
        }
        return value;
    }
}
