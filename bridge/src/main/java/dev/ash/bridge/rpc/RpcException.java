package dev.ash.bridge.rpc;

/** Thrown when a JSON-RPC call does not return a result; the message states the reason. */
public final class RpcException extends Exception {
    private static final long serialVersionUID = 1L;

    public enum Kind {
        /** The peer returned an error. */
        ERROR_RESPONSE,
        /** The connection to the peer is closed. */
        DISCONNECTED,
        /** The peer did not respond in time. */
        TIMEOUT
    }

    private final Kind kind;

    RpcException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public String message() {
        var message = getMessage();
        return message == null ? kind.name() : message;
    }
}
