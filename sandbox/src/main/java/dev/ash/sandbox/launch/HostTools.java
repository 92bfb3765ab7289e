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

/** The programs of the host that a launch is made of, where the host has them. */
public record HostTools(Optional<Path> bubblewrap, Optional<Path> setpriv, Optional<Path> setsid) {
    public static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

    /** Looks in the folders of this PATH, and in the usual ones. */
    public static HostTools find(String path) {
        return new HostTools(
                program("bwrap", path), program("setpriv", path), program("setsid", path));
    }

    public HostTools withoutBubblewrap() {
        return new HostTools(Optional.empty(), setpriv, setsid);
    }

    /**
     * What stands in front of a program: a session of its own, out of reach of a terminal's Ctrl-C,
     * and a user of its own, where the server may choose one.
     */
    List<String> prefix(Optional<HostUser> user) {
        var words = new ArrayList<String>();
        setsid.ifPresent(program -> words.add(program.toString()));
        if (user.isPresent()) {
            words.add(setpriv.orElseThrow(HostTools::noSetpriv).toString());
            words.add("--reuid=" + user.get().uid());
            words.add("--regid=" + user.get().gid());
            words.addAll(List.of("--clear-groups", "--no-new-privs", "--"));
        }
        return words;
    }

    private static ApiException noSetpriv() {
        return new ApiException(
                ErrorCode.SANDBOX_FAILED,
                "The sandbox cannot run as another user than root, for setpriv is missing on this"
                        + " host. Install util-linux, or run the server as an ordinary user.");
    }

    /** An executable file of this name in the folders of this PATH, or in the usual ones. */
    public static Optional<Path> program(String name, String path) {
        return Stream.concat(SystemDirectories.fromPath(path), SystemDirectories.DEFAULT.stream())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .filter(Files::isRegularFile)
                .findFirst();
    }
}
