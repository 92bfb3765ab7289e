package dev.ash.bridge.acp;

import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.rpc.RpcException;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Messages for users about failures of an agent. */
final class AcpFailure {
    /** The address of the relay is different in every process and useless to users. */
    private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+");

    private static final int MAX_CHARS = 2000;

    /** Returns the message about the exit of the process. */
    static String of(String product, LineProcess.Exit exit, boolean opened) {
        var stderr = exit.stderr().isEmpty() ? "" : ". Stderr: " + exit.stderr();
        return opened
                ? product
                        + " "
                        + exit.description()
                        + " before the turn completed. The next message restarts it"
                        + stderr
                : product + " did not start: it " + exit.description() + stderr;
    }

    /** Returns the message about an error response to a prompt. */
    static String of(RpcException failure) {
        var text = ADDRESS.matcher(plainText(failure.message())).replaceAll("the model's API");
        return "The turn failed: "
                + (text.length() <= MAX_CHARS ? text : text.substring(0, MAX_CHARS) + "…");
    }

    /** Extracts the message from the JSON error of a model's API, which some agents pass on. */
    private static String plainText(String text) {
        int start = text.indexOf('{');
        try {
            if (start >= 0) {
                var error = JsonObject.parse(text.substring(start)).object("error");
                if (error.isPresent()) {
                    return error.get().string("message").orElse(text);
                }
            }
        } catch (MalformedJsonException e) {
            // Not JSON: already plain text.
        }
        return text;
    }

    /** Returns the message about a turn that the agent stopped; null if it completed the turn. */
    static @Nullable String ofStop(String product, String reason) {
        return switch (reason) {
            case "end_turn", "max_tokens", "refusal" -> null;
            case "max_turn_requests" -> product + " reached its limit of model calls per turn";
            case "cancelled" -> product + " cancelled the turn";
            default -> product + " stopped the turn: '" + reason + "'";
        };
    }

    private AcpFailure() {}
}
