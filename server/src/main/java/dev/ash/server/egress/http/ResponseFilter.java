package dev.ash.server.egress.http;

/** Decides about the head of a response before any part of it is forwarded. */
@FunctionalInterface
public interface ResponseFilter {
    ResponseFilter NONE = _ -> false;

    /** Returns whether the response is withheld, because the caller repeats the request. */
    boolean withholds(ResponseHead response);
}
