package dev.ash.e2e;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Lists every kind of process that the server or the sandbox module starts outside a sandbox, each
 * with its reason. {@link LaunchPathTest} checks the classes that start processes against this
 * list, and the isolation inventory checks every process that it sees.
 *
 * <p>All other processes must run inside: with bubblewrap, the system call filter, and their own
 * control group.
 */
public enum HostProcess {
    SPAWN_HELPER(
            "java.lang.ProcessBuilder",
            ".*/jspawnhelper .*",
            "the JDK's helper between fork and exec of every child; it reads nothing"),
    SERVER_FORK(
            "java.lang.ProcessBuilder",
            ".* dev\\.ash\\.server\\.ServerMain",
            "the copy of the server between fork and exec of the helper"),
    LAUNCH_SCRIPT(
            "dev.ash.sandbox.launch.LaunchScript",
            "/bin/sh -c (ulimit -c 0 .*|while \\[ .*|exec <\"\\$1\" .*)",
            "lines of the server that set limits, join the control group and open files; exec"
                    + " replaces them before any content is touched"),
    CLEAN_ENVIRONMENT(
            "dev.ash.sandbox.launch.LaunchScript",
            "/usr/bin/env -u PWD .*",
            "a step of the launch line, replaced by exec"),
    SESSION_AND_USER(
            "dev.ash.sandbox.launch.HostTools",
            "(/\\S*/setsid|/\\S*/setpriv) .*",
            "steps of the launch line that leave the server's session and user, replaced by exec"),
    BUBBLEWRAP(
            "dev.ash.sandbox.launch.Bubblewrap",
            "/\\S*/bwrap --args .*",
            "waits outside for the first process inside; it runs no content, has no new privileges"
                    + " and is in the launch's control group"),
    DELETE(
            "dev.ash.sandbox.files.DirectoryTrees",
            "(rm -rf|chmod -R u\\+rwX) -- .*",
            "removes a tree too deep or unreadable for the JVM; runs no content, follows no link, and"
                    + " no process of the sandbox remains that could change the tree concurrently"),
    COPY(
            "dev.ash.sandbox.files.DirectoryTrees",
            "(cp -a --reflink=auto --|find|chown -R -h -P) .*",
            "copies a tree for a fork and sets its owner; runs no content, follows no link, and"
                    + " no process of the sandbox remains that could change the tree concurrently"),
    DISK_IMAGE(
            "dev.ash.sandbox.disk.MountTools",
            "/\\S*/(mkfs\\.ext4|e2fsck) .*",
            "formats the image of a sandbox, or repairs it after a disk failure; all arguments"
                    + " come from the server, and agents write to the image only through the kernel"),
    TRAINING(
            "dev.ash.sandbox.files.AotTraining",
            ".*/bin/java .* --train",
            "records class data of Ash's own bridge once per version; no content of an agent"),
    PROBE(
            "dev.ash.sandbox.IsolationProbe",
            "(?!)", // its processes are those of a launch
            "tests the launch line at startup with a program that does nothing"),
    GROUP_TRIAL(
            "dev.ash.sandbox.HostSetup",
            "(?!)", // its process is a launch script
            "tests at startup which control groups a process can join"),
    KEYTOOL(
            "dev.ash.server.tls.SelfSignedCertificate",
            ".*/bin/keytool -genkeypair .*",
            "creates the gateway's certificate once; all arguments come from the server");

    private final String starter;
    private final Pattern command;
    private final String reason;

    HostProcess(String starter, String command, String reason) {
        this.starter = starter;
        this.command = Pattern.compile(command, Pattern.DOTALL);
        this.reason = reason;
    }

    /**
     * Returns the kind of a process outside sandboxes by its command line, with arguments separated
     * by spaces.
     */
    public static Optional<HostProcess> of(String command) {
        return Arrays.stream(values())
                .filter(kind -> kind.command.matcher(command).matches())
                .findFirst();
    }

    /** Returns whether a class may start processes without the launch path. */
    static boolean isStartedBy(String type) {
        return Arrays.stream(values()).anyMatch(kind -> kind.starter.equals(type));
    }

    public String reason() {
        return reason;
    }
}
