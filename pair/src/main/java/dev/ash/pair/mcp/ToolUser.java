package dev.ash.pair.mcp;

import dev.ash.pair.PeerName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** The peer that uses the tools of a connection, its role, and the other peers of its run. */
public record ToolUser(PeerName peer, List<String> others, Role role) {
    /** The others among these peers, which may name this one too. */
    public static ToolUser of(PeerName peer, Collection<PeerName> peers, Role role) {
        var others = new TreeSet<String>();
        peers.forEach(other -> others.add(other.value()));
        others.remove(peer.value());
        return new ToolUser(peer, List.copyOf(others), role);
    }

    /** Whom this peer may write to; nothing is everybody. */
    List<String> targets() {
        var targets = new ArrayList<>(others);
        targets.addAll(List.of(PeerName.HUMAN, PeerName.SYSTEM, ""));
        return targets;
    }

    /** The one that this peer works with, or everybody where there are more. */
    String partner() {
        return others.size() == 1 ? others.getFirst() : "";
    }
}
