package dev.ash.pair.mcp;

import dev.ash.pair.PeerName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** The peer that uses the tools of a connection, its role, and the other peers of its run. */
public record ToolUser(PeerName peer, List<String> others, Role role) {
    /** {@code peers} may include the peer itself. */
    public static ToolUser of(PeerName peer, Collection<PeerName> peers, Role role) {
        var others = new TreeSet<String>();
        peers.forEach(other -> others.add(other.value()));
        others.remove(peer.value());
        return new ToolUser(peer, List.copyOf(others), role);
    }

    /** Returns the valid recipients; empty addresses all peers. */
    List<String> targets() {
        var targets = new ArrayList<>(others);
        targets.addAll(List.of(PeerName.HUMAN, PeerName.SYSTEM, ""));
        return targets;
    }

    /** Returns the only other peer, or empty (all peers) if there are more. */
    String partner() {
        return others.size() == 1 ? others.getFirst() : "";
    }
}
