package dev.ash.e2e.conformance;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Checks the statements, and that {@code docs/conformance.md} matches them. */
class ConformanceTableTest {
    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/conformance.md");
    private static final String PACKAGE = "dev.ash.e2e.conformance";

    @Test
    void hasOneTestForEachStatement() throws Exception {
        var tests = new HashMap<String, String>();
        for (var method : tests()) {
            var statement = method.getAnnotation(Statement.class);
            assertThat(statement).as("statement of " + name(method)).isNotNull();
            assertThat(statement.id()).as(name(method)).matches("00[0-4]-[0-9]{2,3}[a-z]?");
            assertThat(statement.says()).as(name(method)).isNotBlank().doesNotContain("\n");
            var other = tests.put(statement.id(), name(method));
            assertThat(other).as("second test of statement " + statement.id()).isNull();
        }
    }

    /** An audit of the same documents found 343 statements. */
    @Test
    void coversTheDocuments() throws Exception {
        assertThat(rows()).hasSizeGreaterThanOrEqualTo(330);
    }

    @Test
    void explainsEveryDeviationInADocument() throws Exception {
        for (var row : rows()) {
            var statement = row.statement();
            if (statement.verdict() == Verdict.HOLDS) {
                assertThat(statement.instead() + statement.see()).as(row.id()).isEmpty();
                continue;
            }
            assertThat(statement.instead()).as("behavior of Ash for " + row.id()).isNotBlank();
            assertThat(statement.see()).as(row.id()).startsWith("docs/");
            var target = statement.see().split("#", 2);
            var page = ROOT.resolve(target[0]);
            assertThat(page).as("page that explains " + row.id()).isRegularFile();
            if (target.length == 2) {
                assertThat(anchors(page)).as("headings of " + page).contains(target[1]);
            }
        }
    }

    @Test
    void matchesThePage() throws Exception {
        var expected = new ConformanceTable(rows()).markdown();
        if (Boolean.getBoolean("ash.conformance.write")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(Files.readString(PAGE))
                .as("run this test with -Dash.conformance.write=true to update " + PAGE)
                .isEqualTo(expected);
    }

    /** Clients that used our codec would repeat its mistakes. */
    @Test
    void usesNoProductCode() {
        var suite = new ClassFileImporter().importPackages(PACKAGE);
        noClasses()
                .that()
                .resideInAPackage(PACKAGE + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.ash.protocol..",
                        "dev.ash.bridge..",
                        "dev.ash.sandbox..",
                        "dev.ash.pair..",
                        "dev.ash.server..",
                        "dev.ash.sdk..",
                        "dev.ash.cli..")
                .check(suite);
    }

    private static List<ConformanceTable.Row> rows() throws Exception {
        var rows = new ArrayList<ConformanceTable.Row>();
        for (var method : tests()) {
            rows.add(new ConformanceTable.Row(method.getAnnotation(Statement.class), name(method)));
        }
        return rows;
    }

    /** Returns all tests of the package except those of this class. */
    private static List<Method> tests() throws IOException, ReflectiveOperationException {
        var directory = Path.of("target/test-classes", PACKAGE.split("\\."));
        var tests = new ArrayList<Method>();
        try (var files = Files.list(directory)) {
            for (var file : files.sorted().toList()) {
                var name = file.getFileName().toString();
                if (!name.endsWith("Test.class") || name.startsWith("ConformanceTableTest")) {
                    continue;
                }
                var type = Class.forName(PACKAGE + "." + name.replace(".class", ""));
                Arrays.stream(type.getDeclaredMethods())
                        .filter(method -> method.isAnnotationPresent(Test.class))
                        .forEach(tests::add);
            }
        }
        return tests;
    }

    private static String name(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    /** Returns the anchors that a Markdown viewer generates for headings. */
    private static List<String> anchors(Path page) throws IOException {
        return Files.readAllLines(page).stream()
                .filter(line -> line.matches("#{1,6} .*"))
                .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
                .map(title -> title.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
                .toList();
    }
}
