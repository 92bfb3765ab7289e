package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.rpc.RpcException;
import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import java.time.Duration;

/** An agent that has opened the conversation of its session. */
record OpenAgent(AcpAgent agent, OpenConversation conversation, AcpSettings settings) {
    /** Opens the conversation of the session; waits at most the timeout for each response. */
    static OpenAgent open(RpcPeer peer, AcpContext context, Duration timeout)
            throws EngineException, RpcException, MalformedJsonException {
        var agent = AcpAgent.of(peer.call("initialize", AcpAgent.initialize(), timeout));
        var conversation = new AcpOpening(peer, context, agent, timeout).open();
        var setup = context.setup();
        setup.conversation().recordOpened(setup.sessionId(), context.engine(), conversation.id());
        var settings = new AcpSettings(peer, context, conversation, timeout);
        return new OpenAgent(agent, conversation, settings);
    }

    String sessionId() {
        return conversation.id();
    }

    /** Returns the beginning of the parameters of a call about the conversation. */
    JsonWriter params() {
        return JsonWriter.object().put("sessionId", sessionId());
    }
}
