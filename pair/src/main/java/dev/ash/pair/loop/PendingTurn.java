package dev.ash.pair.loop;

/** A turn that a peer was asked for, kept before it is: asked again it must be the same. */
public record PendingTurn(String key, String prompt, long mailboxSeq) {}
