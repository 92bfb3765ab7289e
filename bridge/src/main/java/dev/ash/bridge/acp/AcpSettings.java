package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.rpc.RpcException;
import dev.ash.bridge.rpc.RpcPeer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The model and the effort of a conversation. Used only by the thread that prompts. */
final class AcpSettings {
    private static final int MAX_SHOWN = 20;

    private final RpcPeer peer;
    private final AcpContext context;
    private final OpenConversation conversation;
    private final Duration timeout;
    private final Map<AcpChoice, String> current = new HashMap<>();
    private String model;

    AcpSettings(RpcPeer peer, AcpContext context, OpenConversation conversation, Duration timeout) {
        this.peer = peer;
        this.context = context;
        this.conversation = conversation;
        this.timeout = timeout;
        this.model = Objects.requireNonNullElse(context.model(), conversation.initialModel());
    }

    /** Returns the model of the current turn; empty if unknown. */
    String model() {
        return model;
    }

    /** {@code requested} is null for the agent's default. */
    void selectModel(@Nullable String requested) throws EngineException {
        var models = conversation.models();
        var offered = models.flatMap(choice -> value(choice, requested));
        if (offered.isPresent()) {
            select(models.get(), offered.get());
        } else if (requested != null && !requested.equals(context.model())) {
            throw notOffered("model", requested, values(models));
        }
        model = Objects.requireNonNullElse(requested, conversation.initialModel());
    }

    /** {@code requested} is null for the agent's default. */
    void selectEffort(@Nullable String requested) throws EngineException {
        var efforts = conversation.efforts();
        var offered = efforts.flatMap(choice -> value(choice, requested));
        if (offered.isPresent()) {
            select(efforts.get(), offered.get());
        } else if (requested != null) {
            throw notOffered("effort", requested, values(efforts));
        }
    }

    private static Optional<String> value(AcpChoice choice, @Nullable String requested) {
        return requested == null
                ? Optional.of(choice.current()).filter(value -> !value.isEmpty())
                : choice.find(requested);
    }

    private void select(AcpChoice choice, String value) throws EngineException {
        if (current.getOrDefault(choice, choice.current()).equals(value)) {
            return;
        }
        try {
            var _ =
                    peer.call(
                            choice.method(), choice.parameters(conversation.id(), value), timeout);
            current.put(choice, value);
        } catch (RpcException e) {
            if (e.kind() != RpcException.Kind.DISCONNECTED) { // the prompt handles the exit
                throw new EngineException(
                        "%s rejected the setting %s: %s"
                                .formatted(context.profile().product(), value, e.message()));
            }
        }
    }

    private static List<String> values(Optional<AcpChoice> choice) {
        return choice.map(AcpChoice::values).orElse(List.of());
    }

    private EngineException notOffered(String name, String requested, List<String> values) {
        var shown = values.stream().limit(MAX_SHOWN).toList();
        return new EngineException(
                "%s does not offer the %s '%s'; %s"
                        .formatted(
                                context.profile().product(),
                                name,
                                requested,
                                shown.isEmpty()
                                        ? "omit it"
                                        : "expected one of " + String.join(", ", shown)));
    }
}
