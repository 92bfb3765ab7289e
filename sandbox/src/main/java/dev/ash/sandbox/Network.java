package dev.ash.sandbox;

import dev.ash.sandbox.launch.Launch.Reach;

/** What a sandbox may reach of the network. */
public enum Network {
    /** Nothing but the folder where the server's egress proxy listens. */
    CLOSED(Reach.NOTHING),

    /** All that the host reaches. */
    OPEN(Reach.HOST);

    final Reach reach;

    Network(Reach reach) {
        this.reach = reach;
    }
}
