package dev.ash.sandbox.limits;

/** How often a sandbox hit its memory and process limits since its start. */
public record Pressure(long oomKills, long refusedForks) {
    static final Pressure NONE = new Pressure(0, 0);

    Pressure plus(Pressure other) {
        return new Pressure(oomKills + other.oomKills, refusedForks + other.refusedForks);
    }
}
