package dev.ash.bridge.rpc;

/** A call that was not answered with a result; the message is what the other side said, or why. */
public final class RpcException extends Exception {
    private static final long serialVersionUID = 1L;

    public enum Kind {
        /** The other side answered with an error. */
        REFUSED,
        /** The other side has ended. */
        GONE,
        /** There was no answer in time. */
        LATE
    }

    private final Kind kind;

    RpcException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public String sentence() {
        var message = getMessage();
        return message == null ? kind.name() : message;
    }
}
