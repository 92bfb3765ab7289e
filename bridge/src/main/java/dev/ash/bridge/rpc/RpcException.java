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
    private final long code;

    RpcException(Kind kind, String message) {
        this(kind, 0, message);
    }

    RpcException(Kind kind, long code, String message) {
        super(message);
        this.kind = kind;
        this.code = code;
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the code of an error of the peer; 0 if there is none. */
    public long code() {
        return code;
    }

    public String message() {
        var message = getMessage();
        return message == null ? kind.name() : message;
    }
}
