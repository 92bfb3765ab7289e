package dev.ash.cli.hooks;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** Updates the token of the user's installed hook program. */
public final class InstalledHook {
    private static final String OTHER_MACHINES =
            " For hooks of this server on other machines or of other users, run `ash hooks install` again"
                    + " with ASH_HOOK_TOKEN set to the content of hook-token in the server's data"
                    + " directory.";

    private InstalledHook() {}

    /**
     * Writes the server's current token to the hook program's settings; open terminals use it from
     * their next hook. Returns a message with the result and the remaining steps.
     *
     * @param tokenId the first 16 hexadecimal digits of the token's SHA-256
     */
    public static String update(Host host, String url, String tokenId) {
        var program = new HookProgram(host.home().resolve(".ash"));
        if (!program.isInstalled()) {
            return "The hook token was replaced; this user has no hooks installed."
                    + OTHER_MACHINES;
        }
        var token = token(host, url).filter(found -> id(found).equals(tokenId));
        try {
            if (token.isPresent() && program.replaceToken(url, token.get())) {
                return "The hook token was replaced, and %s updated.".formatted(program.settings())
                        + OTHER_MACHINES;
            }
        } catch (IOException e) {
            // reported below
        }
        return "The hook token was replaced, but %s could not be updated: run `ash hooks install` again if it is for this server."
                        .formatted(program.settings())
                + OTHER_MACHINES;
    }

    /** Reads the token of a local server, if its data directory is readable. */
    private static Optional<String> token(Host host, String url) {
        if (!Connection.isLoopback(url)) {
            return Optional.empty();
        }
        var data = DataDirectory.lastUsed(host, UserConfig.load(host)).path();
        try {
            return Optional.of(Files.readString(data.resolve("hook-token")).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String id(String token) {
        try {
            var hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
