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

/** The fake host: homes and bridges, which survive killed servers. */
final class FakeHost {
    private final Path directory;
    private final SideEffects effects = new SideEffects();
    private final Map<SandboxId, FakeHome> homes = new HashMap<>();
    private final Map<SandboxId, FakeBridge> running = new HashMap<>();
    private final List<FakeBridge> all = new ArrayList<>();
    private final AtomicInteger sockets = new AtomicInteger();

    FakeHost(Path directory) {
        this.directory = directory;
    }

    SideEffects effects() {
        return effects;
    }

    synchronized FakeBridge launch(SandboxId id, String nonce) {
        var former = running.get(id);
        if (former != null && former.alive()) {
            effects.addViolation("launched " + id + ", which is running");
            former.end(FakeBridge.End.KILLED_BY_SERVER);
        }
        var home = homes.computeIfAbsent(id, _ -> new FakeHome());
        var socket = directory.resolve("b" + sockets.incrementAndGet());
        var bridge = new FakeBridge(home, id.value(), nonce, socket, effects);
        running.put(id, bridge);
        all.add(bridge);
        return bridge;
    }

    synchronized Optional<FakeBridge> running(SandboxId id) {
        return Optional.ofNullable(running.get(id)).filter(FakeBridge::alive);
    }

    synchronized List<FakeBridge> running() {
        return running.values().stream().filter(FakeBridge::alive).toList();
    }

    synchronized List<FakeBridge> all() {
        return List.copyOf(all);
    }

    synchronized void copy(SandboxId from, SandboxId to) {
        if (running(from).isPresent()) {
            effects.addViolation("copied " + from + ", which is running");
        }
        homes.put(to, homes.getOrDefault(from, new FakeHome()).copy());
    }

    synchronized void discard(SandboxId id) {
        running(id).ifPresent(bridge -> bridge.end(FakeBridge.End.KILLED_BY_SERVER));
        homes.remove(id);
    }

    synchronized boolean hasHome(SandboxId id) {
        return homes.containsKey(id);
    }

    synchronized Set<SandboxId> homes() {
        return Set.copyOf(homes.keySet());
    }

    void disconnectServers() {
        running().forEach(FakeBridge::disconnectServer);
    }

    void reboot() {
        running().forEach(bridge -> bridge.end(FakeBridge.End.CRASHED));
    }
}
