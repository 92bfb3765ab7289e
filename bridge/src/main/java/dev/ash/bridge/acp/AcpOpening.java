package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.rpc.RpcException;
import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Opens the conversation of a session: the earlier one if there is one and the agent can continue
 * it, else a new one. In a copied home, the agent continues its copy of the conversation.
 */
final class AcpOpening {
    private static final long LOGIN_REQUIRED = -32000;
    private static final long NOT_FOUND = -32002;

    /** How agents describe a conversation that they do not have. */
    private static final List<String> LOST =
            List.of(
                    "not found",
                    "no such",
                    "does not exist",
                    "unknown session",
                    "invalid session",
                    "no previous sessions");

    private final RpcPeer peer;
    private final AcpContext context;
    private final AcpAgent agent;
    private final Duration timeout;

    AcpOpening(RpcPeer peer, AcpContext context, AcpAgent agent, Duration timeout) {
        this.peer = peer;
        this.context = context;
        this.agent = agent;
        this.timeout = timeout;
    }

    OpenConversation open() throws EngineException, RpcException, MalformedJsonException {
        var conversation = context.setup().conversation();
        var known = conversation.idFor(context.engine());
        requireNoCut();
        if (known.isEmpty() || !(agent.resumes() || agent.loads())) {
            return begin();
        }
        try {
            var method = agent.resumes() ? "session/resume" : "session/load";
            var params = JsonWriter.object().put("sessionId", known.get());
            return OpenConversation.of(known.get(), !agent.resumes(), call(method, params));
        } catch (RpcException e) {
            if (!isLost(e)) {
                throw e;
            }
            if (!conversation.hasCompletedTurn(context.engine())) {
                return begin(); // agents do not store a conversation without a turn
            }
            conversation.clear();
            throw new EngineException(
                    "The earlier conversation is no longer in this sandbox. The next message begins"
                            + " a new one");
        }
    }

    private void requireNoCut() throws EngineException {
        var setup = context.setup();
        if (setup.conversation().isCopyFor(setup.sessionId()) && setup.config().forkAt() != null) {
            throw new EngineException(
                    context.profile().product()
                            + " cannot truncate a conversation; fork the session without a turn");
        }
    }

    private OpenConversation begin() throws EngineException, RpcException, MalformedJsonException {
        RawJson response;
        try {
            response = call("session/new", JsonWriter.object());
        } catch (RpcException e) {
            logIn(e);
            response = call("session/new", JsonWriter.object());
        }
        var id = JsonObject.parse(response).requireString("sessionId");
        return OpenConversation.of(id, false, response);
    }

    /** Logs in with the key in the environment, if the agent requires it and offers that. */
    private void logIn(RpcException failure) throws RpcException {
        var login = agent.logins().stream().filter(id -> id.contains("api-key")).findFirst();
        if (failure.code() != LOGIN_REQUIRED || login.isEmpty()) {
            throw failure;
        }
        var params = JsonWriter.object().put("methodId", login.get()).end();
        peer.call("authenticate", params, timeout);
    }

    private RawJson call(String method, JsonWriter params) throws EngineException, RpcException {
        var setup = context.setup();
        params.put("cwd", setup.directories().workspace().toString());
        params.put("mcpServers", AcpMcpServers.of(context.servers(), agent, setup.environment()));
        return peer.call(method, params.end(), timeout);
    }

    private static boolean isLost(RpcException failure) {
        if (failure.kind() != RpcException.Kind.ERROR_RESPONSE) {
            return false;
        }
        var text = failure.message().toLowerCase(Locale.ROOT);
        return failure.code() == NOT_FOUND || LOST.stream().anyMatch(text::contains);
    }
}
