package dev.ash.sandbox.launch;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SystemDirectories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The programs of the host that launches use, as far as they are installed. */
public record HostTools(Optional<Path> bubblewrap, Optional<Path> setpriv, Optional<Path> setsid) {
    public static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

    /** Finds the programs in this PATH and in the default directories. */
    public static HostTools find(String path) {
        return new HostTools(
                program("bwrap", path), program("setpriv", path), program("setsid", path));
    }

    public HostTools withoutBubblewrap() {
        return new HostTools(Optional.empty(), setpriv, setsid);
    }

    /**
     * Returns the arguments that run a program in a new session, detached from the terminal's
     * Ctrl-C, and as the given user.
     */
    List<String> prefix(Optional<HostUser> user) {
        var arguments = new ArrayList<String>();
        setsid.ifPresent(program -> arguments.add(program.toString()));
        if (user.isPresent()) {
            arguments.add(setpriv.orElseThrow(HostTools::noSetpriv).toString());
            arguments.add("--reuid=" + user.get().uid());
            arguments.add("--regid=" + user.get().gid());
            arguments.addAll(List.of("--clear-groups", "--no-new-privs", "--"));
        }
        return arguments;
    }

    private static ApiException noSetpriv() {
        return new ApiException(
                ErrorCode.SANDBOX_FAILED,
                "The sandbox cannot run as a user other than root, because setpriv is missing on this"
                        + " host. Install util-linux, or run the server as an ordinary user.");
    }

    /** Finds an executable file in this PATH or in the default directories. */
    public static Optional<Path> program(String name, String path) {
        return Stream.concat(SystemDirectories.fromPath(path), SystemDirectories.DEFAULT.stream())
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .filter(Files::isRegularFile)
                .findFirst();
    }
}
