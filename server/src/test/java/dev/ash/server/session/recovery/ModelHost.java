package dev.ash.server.session.recovery;

import dev.ash.protocol.SandboxId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The machine: homes and bridges, which live on when a server is killed. */
final class ModelHost {
    private final Path folder;
    private final ModelEffects effects = new ModelEffects();
    private final Map<SandboxId, ModelHome> homes = new HashMap<>();
    private final Map<SandboxId, ModelBridge> running = new HashMap<>();
    private final List<ModelBridge> all = new ArrayList<>();
    private final AtomicInteger sockets = new AtomicInteger();

    ModelHost(Path folder) {
        this.folder = folder;
    }

    ModelEffects effects() {
        return effects;
    }

    synchronized ModelBridge launch(SandboxId id, String nonce) {
        var former = running.get(id);
        if (former != null && former.alive()) {
            effects.wrong("launched " + id + ", which runs");
            former.end(ModelBridge.End.BY_SERVER);
        }
        var home = homes.computeIfAbsent(id, _ -> new ModelHome());
        var socket = folder.resolve("b" + sockets.incrementAndGet());
        var bridge = new ModelBridge(home, id.value(), nonce, socket, effects);
        running.put(id, bridge);
        all.add(bridge);
        return bridge;
    }

    synchronized Optional<ModelBridge> running(SandboxId id) {
        return Optional.ofNullable(running.get(id)).filter(ModelBridge::alive);
    }

    synchronized List<ModelBridge> running() {
        return running.values().stream().filter(ModelBridge::alive).toList();
    }

    synchronized List<ModelBridge> all() {
        return List.copyOf(all);
    }

    synchronized void copy(SandboxId from, SandboxId to) {
        if (running(from).isPresent()) {
            effects.wrong("copied " + from + ", which runs");
        }
        homes.put(to, homes.getOrDefault(from, new ModelHome()).copy());
    }

    synchronized void discard(SandboxId id) {
        running(id).ifPresent(bridge -> bridge.end(ModelBridge.End.BY_SERVER));
        homes.remove(id);
    }

    synchronized boolean hasHome(SandboxId id) {
        return homes.containsKey(id);
    }

    synchronized Set<SandboxId> homes() {
        return Set.copyOf(homes.keySet());
    }

    void hangUp() {
        running().forEach(ModelBridge::hangUp);
    }

    void reboot() {
        running().forEach(bridge -> bridge.end(ModelBridge.End.BY_FATE));
    }
}
