package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.bridge.BridgeEvent.Resting;
import dev.ash.protocol.bridge.BridgeEvent.Steered;
import dev.ash.protocol.json.RawJson;
import dev.ash.sandbox.BridgeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to the bridge and waits for their replies: {@code exec}, {@code steer}, {@code
 * rest}, and {@code resume} before the first turn.
 */
public final class PendingReplies {
    private static final Duration SLACK = Duration.ofSeconds(10);
    private static final Duration RESUME_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration REST_TIMEOUT = Duration.ofSeconds(10);

    private final Map<String, CompletableFuture<ExecResult>> execs = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<Steered>> steers = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable PendingResume> resuming = new AtomicReference<>();
    private final AtomicReference<@Nullable CompletableFuture<Resting>> resting =
            new AtomicReference<>();

    private final BridgeClient bridge;
    private final PlainResume plainResume;

    PendingReplies(BridgeClient bridge, PlainResume plainResume) {
        this.bridge = bridge;
        this.plainResume = plainResume;
    }

    private static final class PendingResume {
        private final CompletableFuture<Boolean> done = new CompletableFuture<>();
        private volatile @Nullable String error;
    }

    ExecResult exec(String command, long timeoutMs) {
        if (bridge.isPlain()) {
            throw new ApiException(
                    ErrorCode.NOT_SUPPORTED,
                    "The bridge of this session does not support exec: its ready event has no"
                            + " nonce, so it receives only the commands of the plain protocol. Use"
                            + " Ash's own bridge to run commands");
        }
        var id = UUID.randomUUID().toString();
        var reply = new CompletableFuture<ExecResult>();
        execs.put(id, reply);
        try {
            bridge.send(new BridgeCommand.Exec(id, command, timeoutMs));
            return await(reply, Duration.ofMillis(timeoutMs).plus(SLACK), "exec");
        } catch (IOException e) {
            throw gone("The sandbox has exited", e);
        } finally {
            execs.remove(id);
        }
    }

    void exec(ExecResult result) {
        // A result without id belongs to the only pending command.
        var waiting =
                result.id().isEmpty() && execs.size() == 1
                        ? execs.values().stream().findFirst().orElse(null)
                        : execs.get(result.id());
        if (waiting != null) {
            waiting.complete(result);
        }
    }

    /** Adds a message to the running turn; the reply states whether the turn has it. */
    Steered steer(TurnId turn, RawJson prompt) {
        var id = UUID.randomUUID().toString();
        if (bridge.isPlain()) {
            return new Steered(id, "its bridge accepts no messages during a turn");
        }
        var reply = new CompletableFuture<Steered>();
        steers.put(id, reply);
        try {
            bridge.send(new BridgeCommand.Steer(id, turn.value(), prompt));
            return await(reply, SLACK, "steer");
        } catch (IOException e) {
            throw gone("The sandbox has exited", e);
        } finally {
            steers.remove(id);
        }
    }

    void steered(Steered reply) {
        var waiting = steers.get(reply.id());
        if (waiting != null) {
            waiting.complete(reply);
        }
    }

    /** Resumes the conversation. Waits for the reply, except with a plain bridge. */
    public void resume(SessionId session) {
        if (bridge.isPlain()) {
            resumePlain(session);
            return;
        }
        var wait = new PendingResume();
        resuming.set(wait);
        try {
            bridge.send(new BridgeCommand.Resume(session.value()));
            await(wait.done, RESUME_TIMEOUT, "resume");
        } catch (IOException e) {
            throw gone("The sandbox has exited", e);
        } finally {
            resuming.set(null);
        }
        var error = wait.error;
        if (error != null) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED, "The conversation could not be resumed: " + error);
        }
    }

    private void resumePlain(SessionId session) {
        plainResume.onSent();
        try {
            bridge.send(new BridgeCommand.Resume(session.value()));
        } catch (IOException e) {
            throw gone("The sandbox has exited", e);
        }
    }

    /** Requests the bridge to rest. A bridge that does not reply is not ready. */
    Resting rest() {
        if (bridge.isPlain()) {
            return new Resting(true, null, null); // the plain protocol has no such command
        }
        var reply = new CompletableFuture<Resting>();
        resting.set(reply);
        try {
            bridge.send(new BridgeCommand.Rest());
            return await(reply, REST_TIMEOUT, "rest");
        } catch (IOException | ApiException e) {
            return new Resting(false, "its bridge did not reply", null);
        } finally {
            resting.set(null);
        }
    }

    /** Returns whether a caller was waiting for it. */
    boolean onResting(Resting reply) {
        var waiting = resting.get();
        return waiting != null && waiting.complete(reply);
    }

    /** Returns whether the error belongs to a resume. */
    boolean onError(String error) {
        var wait = resuming.get();
        if (wait != null) {
            wait.error = error;
        }
        return wait != null || plainResume.onError(error);
    }

    /** Returns whether the {@code done} belongs to a resume. */
    boolean onDone() {
        var wait = resuming.get();
        return plainResume.onDone() || (wait != null && wait.done.complete(true));
    }

    void failAll(String why) {
        execs.values().forEach(reply -> reply.completeExceptionally(gone(why, null)));
        steers.values().forEach(reply -> reply.completeExceptionally(gone(why, null)));
        plainResume.abandon();
        var wait = resuming.get();
        if (wait != null) {
            wait.done.completeExceptionally(gone(why, null));
        }
        var waiting = resting.get();
        if (waiting != null) {
            waiting.completeExceptionally(gone(why, null));
        }
    }

    private static ApiException gone(String why, @Nullable Throwable cause) {
        return new ApiException(ErrorCode.SANDBOX_FAILED, why, cause);
    }

    private static <T> T await(CompletableFuture<T> reply, Duration timeout, String command) {
        try {
            return reply.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw gone(
                    "The bridge did not reply to %s within %d s"
                            .formatted(command, timeout.toSeconds()),
                    e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ApiException known ? known : ApiException.from(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        }
    }
}
