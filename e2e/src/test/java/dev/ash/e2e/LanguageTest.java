package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rejects the worst private metaphors and idioms in code, scripts and documents. AGENTS.md has the
 * rules on language; this list is short on purpose.
 */
class LanguageTest {
    /** Each pattern and its replacement. Names in camel case are split into words first. */
    private static final Map<String, String> REPLACEMENTS =
            Map.ofEntries(
                    Map.entry("whoever|who ever", "the noun: the caller, the client, the owner"),
                    Map.entry("(?:look|looks|looked|looking) after", "manage"),
                    Map.entry("(?:lay|lays|laid|laying) aside", "defer"),
                    Map.entry("any ?more", "no longer"),
                    Map.entry("of its own accord|by itself", "automatically"),
                    Map.entry("for want of", "for lack of"),
                    Map.entry("how manieth", "its number"),
                    Map.entry("(?:go|goes|went) on with", "continue, resume"),
                    Map.entry("(?:let|lets) (?:phones|devices|peers|clients) in", "admit"),
                    Map.entry("farewells?", "shutdown"),
                    Map.entry("narrators?|roster|errands?", "the standard term"),
                    Map.entry("wish|wishes", "request"),
                    Map.entry("told", "sent, notified, reported"),
                    Map.entry("desks?", "channel, handler"),
                    Map.entry("doors?", "entry point, API"),
                    Map.entry("patience", "timeout"),
                    Map.entry(
                            "(?:behavi|col|hon|fav|neighb)our(?:s|ed|ing|ite)?|"
                                    + "(?:organ|recogn|serial|normal|initial)is(?:e|es|ed|ing|ation)",
                            "American spelling"));

    /** Quotations of the published documents, and texts that define or list the patterns. */
    private static final Set<String> EXCLUDED =
            Set.of(
                    "docs/conformance.md",
                    "docs/pair-example.md",
                    "e2e/src/test/java/dev/ash/e2e/LanguageTest.java");

    private static final Set<String> SKIPPED_DIRECTORIES =
            Set.of(".git", "target", "dist", "node_modules", "conformance");

    private static final Pattern TEXT_FILE =
            Pattern.compile(".*\\.(java|md|sh|py|txt|xml|json|service)|ash|check");

    private static final Pattern CAMEL_CASE = Pattern.compile("(?<=[a-z])(?=[A-Z])");

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern PATTERN =
            Pattern.compile(
                    "(?i)(?<![\\w-])(?:%s)(?![\\w-])"
                            .formatted(String.join("|", REPLACEMENTS.keySet())));

    @Test
    void usesStandardTerms() throws IOException {
        var found = new ArrayList<String>();
        var files = files();
        assertThat(files).contains(ROOT.resolve("README.md"), ROOT.resolve("ash"));
        for (var file : files) {
            int number = 0;
            for (var line : Files.readAllLines(file)) {
                number++;
                var words = words(line);
                var match = PATTERN.matcher(words);
                if (match.find()) {
                    found.add(
                            "%s:%d: \"%s\"; use: %s"
                                    .formatted(
                                            ROOT.relativize(file),
                                            number,
                                            match.group(),
                                            replacement(match.group())));
                }
            }
        }
        assertThat(found).as("words with a standard replacement; see AGENTS.md").isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "the client was told to wait, told",
        "void toldAgain() {, told",
        "class ReviewerDesk {, Desk",
        "It looks after sessions., looks after",
        "not any more, any more",
        "the behaviour of it, behaviour"
    })
    void findsWords(String line, String expected) {
        var match = PATTERN.matcher(words(line));

        assertThat(match.find()).isTrue();
        assertThat(match.group()).isEqualTo(expected);
        assertThat(replacement(match.group())).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "var threshold = household;",
        "\"laidAside\": null",
        "wishlist outdoors",
        "the stored answer",
        "no longer"
    })
    void ignoresOtherWords(String line) {
        assertThat(PATTERN.matcher(words(line)).find()).isFalse();
    }

    /** Splits names; wire names such as {@code "laidAside"} and columns stay whole. */
    private static String words(String line) {
        return CAMEL_CASE.matcher(line.replaceAll("[\"`]\\w+\\??[\"`]", "")).replaceAll(" ");
    }

    private static String replacement(String word) {
        return REPLACEMENTS.entrySet().stream()
                .filter(entry -> Pattern.matches("(?i)(?:" + entry.getKey() + ")", word))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();
    }

    private static List<Path> files() throws IOException {
        var files = new ArrayList<Path>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) {
                        return SKIPPED_DIRECTORIES.contains(directory.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        var name = ROOT.relativize(file).toString();
                        if (attributes.isRegularFile()
                                && !EXCLUDED.contains(name)
                                && TEXT_FILE.matcher(file.getFileName().toString()).matches()) {
                            files.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return files;
    }
}
