package dev.ash.pair.archive;

import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.ProgressJson;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a run, {@code manifest.json}: the fields of the public tool under their original
 * names, followed by the state that Ash needs to resume the run. A manifest that the public tool
 * wrote is read-only and has no {@link AshRun}.
 */
public record Manifest(
        int id,
        String repository,
        String repoId,
        String task,
        String state,
        String worker,
        int rounds,
        int maxRounds,
        String createdAt,
        String updatedAt,
        @Nullable String error,
        @Nullable AshRun ashRun) {
    public static final String FILE = "manifest.json";
    private static final long MAX_BYTES = 64L * 1024 * 1024;

    /** The engines that the public tool supports. */
    private static final List<EngineProfile> PUBLIC_ENGINES =
            List.of(EngineProfiles.CLAUDE, EngineProfiles.CODEX);

    /** The part of a manifest that only runs of Ash have. */
    public record AshRun(
            RunSetup setup,
            @Nullable PeerAssignment worker,
            @Nullable PeerAssignment reviewer,
            boolean paused,
            Progress progress) {}

    /** Reads the manifest in a run directory; empty if it is missing or invalid. */
    public static Optional<Manifest> read(Path directory) {
        var file = directory.resolve(FILE);
        try {
            if (Files.size(file) > MAX_BYTES) {
                return Optional.empty();
            }
            return Optional.of(parse(new RawJson(Files.readAllBytes(file))));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Reads the manifest if it was modified at or after the given time. */
    public static Optional<Manifest> readSince(Path directory, Instant since) {
        try {
            var changed = Files.getLastModifiedTime(directory.resolve(FILE)).toInstant();
            return changed.isBefore(since) ? Optional.empty() : read(directory);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static Manifest parse(RawJson text) throws MalformedJsonException {
        var json = JsonObject.parse(text);
        var ash = json.object("ash");
        return new Manifest(
                json.integer("id").orElse(0),
                json.string("repo_path").orElse(""),
                json.string("repo_id").orElse(""),
                json.string("prompt").orElse(""),
                json.string("state").orElse(""),
                json.string("primary_agent").orElse(""),
                json.integer("current_iteration").orElse(0),
                json.integer("max_iterations").orElse(0),
                json.string("created_at").orElse(""),
                json.string("updated_at").orElse(""),
                json.string("error").orElse(null),
                ash.isEmpty() ? null : ashRun(json, ash.get()));
    }

    private static AshRun ashRun(JsonObject json, JsonObject ash) throws MalformedJsonException {
        var setup =
                new RunSetup(
                        json.integer("id").orElse(0),
                        ash.requireString("tenant"),
                        json.requireString("repo_path"),
                        json.requireString("repo_id"),
                        SpecJson.read(ash.raw("spec").orElse(RawJson.EMPTY_OBJECT)),
                        ash.requireString("base"),
                        ash.requireString("branch"),
                        ash.string("head").orElse(null),
                        json.requireString("created_at"),
                        request(ash));
        return new AshRun(
                setup,
                readAssignment(ash, "worker"),
                readAssignment(ash, "reviewer"),
                ash.isTrue("paused"),
                ProgressJson.read(ash.raw("progress").orElse(RawJson.EMPTY_OBJECT)));
    }

    private static RunSetup.@Nullable Request request(JsonObject ash)
            throws MalformedJsonException {
        var request = ash.object("request");
        return request.isEmpty()
                ? null
                : new RunSetup.Request(
                        request.get().requireString("key"), request.get().requireString("hash"));
    }

    private static @Nullable PeerAssignment readAssignment(JsonObject ash, String name)
            throws MalformedJsonException {
        var assignment = ash.object(name);
        return assignment.isEmpty()
                ? null
                : new PeerAssignment(
                        assignment.get().requireString("agent"),
                        assignment.get().raw("terms").orElse(RawJson.EMPTY_OBJECT),
                        assignment.get().string("session").orElse(null));
    }

    static RawJson write(AshRun run, String updatedAt) {
        var setup = run.setup();
        var spec = setup.spec();
        var progress = run.progress();
        var json =
                JsonWriter.object()
                        .put("id", setup.id())
                        .put("repo_path", setup.repository())
                        .put("repo_id", setup.repoId())
                        .put("prompt", spec.task())
                        .put("state", state(progress))
                        .put("primary_agent", spec.first().value())
                        .put("review_mode", spec.judge().value())
                        .put("max_iterations", spec.budget().rounds())
                        .put("current_iteration", progress.round());
        writeSession(json, run.worker());
        writeSession(json, run.reviewer());
        json.put("proof_command", spec.proof())
                .put("done_signal", spec.doneSignal())
                .put("created_at", setup.createdAt())
                .put("updated_at", updatedAt);
        if (progress.outcome() != null) {
            json.put("completed_at", updatedAt);
        }
        if (!progress.reason().isEmpty() && progress.outcome() != Outcome.COMPLETED) {
            json.put("error", progress.reason());
        }
        json.name("ash")
                .open('{')
                .put("tenant", setup.tenant())
                .put("spec", SpecJson.write(spec))
                .put("base", setup.base())
                .put("branch", setup.branch())
                .put("head", setup.head());
        if (setup.request() != null) {
            json.name("request")
                    .open('{')
                    .put("key", setup.request().key())
                    .put("hash", setup.request().hash())
                    .close('}');
        }
        writeAssignment(json, "worker", run.worker());
        writeAssignment(json, "reviewer", run.reviewer());
        return json.put("paused", run.paused())
                .put("progress", ProgressJson.write(progress))
                .close('}')
                .end();
    }

    /** Maps the progress to a state of the public tool. */
    private static String state(Progress progress) {
        var outcome = progress.outcome();
        if (outcome != null) {
            return switch (outcome) {
                case COMPLETED -> "completed";
                case CANCELLED -> "cancelled";
                default -> "failed";
            };
        }
        return switch (progress.step()) {
            case BEGIN -> "submitted";
            case PLAN_REVIEW, REVIEW, QUESTION -> "reviewing";
            default -> "working";
        };
    }

    /**
     * Writes the session id for the public tool, which has one field for each of its two engines.
     */
    private static void writeSession(JsonWriter json, @Nullable PeerAssignment assignment) {
        if (assignment != null && assignment.session() != null) {
            PUBLIC_ENGINES.stream()
                    .filter(engine -> engine.isNamed(assignment.agent()))
                    .findFirst()
                    .ifPresent(
                            engine ->
                                    json.put(engine.name() + "_session_id", assignment.session()));
        }
    }

    private static void writeAssignment(
            JsonWriter json, String name, @Nullable PeerAssignment assignment) {
        if (assignment != null) {
            json.name(name)
                    .open('{')
                    .put("agent", assignment.agent())
                    .put("terms", assignment.request())
                    .put("session", assignment.session())
                    .close('}');
        }
    }
}
