package dev.ash.pair.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The git repository that contains a directory, found by reading {@code .git} without running git.
 * Worktrees of a repository share its common git directory and therefore its id. A directory
 * outside of any repository is treated as its own repository.
 *
 * @param top the root of the working tree
 */
public record Repository(Path directory, Path top, Path commonGitDirectory) {
    private static final int MAX_NAME = 64;
    private static final int MAX_POINTER = 8192; // a path with a short prefix

    public static Repository of(Path path) throws IOException {
        var directory = path.toRealPath();
        for (var at = directory; at != null; at = at.getParent()) {
            var git = at.resolve(".git");
            if (Files.isDirectory(git)) {
                return new Repository(directory, at, common(git));
            }
            if (Files.isRegularFile(git)) {
                var target = pointer(at, read(git), "gitdir:");
                return new Repository(directory, at, common(target));
            }
            if (isBare(at)) {
                return new Repository(directory, at, at);
            }
        }
        return new Repository(directory, directory, directory);
    }

    /** Returns {@code name-0123456789ab}: the name, and a hash that distinguishes equal names. */
    public String id() {
        return name() + "-" + sha256(commonGitDirectory.toString()).substring(0, 12);
    }

    /** Returns the id that the public tool gives a directory; it ignores repositories. */
    static String legacyId(Path directory) {
        return sha256(directory.toString()).substring(0, 16);
    }

    private String name() {
        var last = String.valueOf(commonGitDirectory.getFileName());
        var parent = commonGitDirectory.getParent();
        if (last.equals(".git") && parent != null) {
            last = String.valueOf(parent.getFileName());
        }
        var plain = last.replaceAll("\\.git$", "").replaceAll("[^A-Za-z0-9._-]+", "-");
        plain = plain.replaceAll("^[.-]+", "").replaceAll("-+$", "");
        plain = plain.substring(0, Math.min(MAX_NAME, plain.length()));
        return plain.isEmpty() ? "repository" : plain;
    }

    private static Path common(Path git) throws IOException {
        var file = git.resolve("commondir");
        return (Files.isRegularFile(file) ? pointer(git, read(file), "") : git).toRealPath();
    }

    private static String read(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MAX_POINTER), StandardCharsets.UTF_8);
        }
    }

    private static Path pointer(Path base, String text, String prefix) throws IOException {
        var line = text.strip();
        if (!line.startsWith(prefix)) {
            throw new IOException(
                    "Invalid " + base + "/.git; expected 'gitdir: <directory>' in it");
        }
        try {
            return base.resolve(line.substring(prefix.length()).strip());
        } catch (InvalidPathException e) {
            throw new IOException("Invalid path in " + base + "/.git", e);
        }
    }

    private static boolean isBare(Path directory) {
        return Files.isRegularFile(directory.resolve("HEAD"))
                && Files.isDirectory(directory.resolve("objects"))
                && Files.isDirectory(directory.resolve("refs"));
    }

    private static String sha256(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
