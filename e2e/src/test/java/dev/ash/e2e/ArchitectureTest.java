package dev.ash.e2e;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.ash.server.store.Handle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks allowed dependencies between modules and packages, and size limits of the sources. A rule
 * changes only together with its documented reason.
 */
class ArchitectureTest {
    private static final List<String> MODULES =
            List.of("protocol", "bridge", "sandbox", "pair", "server", "sdk", "cli");

    private static final String[] WIRE_TYPES = {
        "dev.ash.protocol.rest..", "dev.ash.protocol.bridge.."
    };
    private static final int MAX_LINES = 350;
    private static final int MAX_COMPONENTS = 12;

    private static JavaClasses code;

    @BeforeAll
    static void read() {
        code =
                new ClassFileImporter()
                        .withImportOption(location -> !location.contains("/dev/ash/e2e/"))
                        .importPackages("dev.ash");
        for (var module : MODULES) {
            assertThat(code.that(resideInAPackage("dev.ash." + module + "..")))
                    .as("classes of " + module)
                    .isNotEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "protocol, ''",
        "bridge, protocol",
        "sandbox, protocol",
        "pair, protocol",
        "server, protocol sandbox pair",
        "sdk, protocol",
        "cli, protocol sdk pair"
    })
    void modulesDependOnlyOnLowerModules(String module, String below) {
        var allowed =
                Stream.concat(
                                Stream.of(module),
                                Arrays.stream(below.split(" ")).filter(s -> !s.isEmpty()))
                        .map(name -> "dev.ash." + name + "..")
                        .toArray(String[]::new);

        noClasses()
                .that()
                .resideInAPackage("dev.ash." + module + "..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.ash..").and(not(resideInAnyPackage(allowed))))
                .check(code);
    }

    @Test
    void protocolDependsOnlyOnStreamingJsonLibrary() {
        classes()
                .that()
                .resideInAPackage("dev.ash.protocol..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(
                                "dev.ash.protocol..",
                                "java..",
                                "tools.jackson.core..",
                                "org.jspecify.annotations.."))
                .check(code);
    }

    @Test
    void bridgeDoesNotDependOnJsonDatabind() throws IOException {
        noClasses()
                .that()
                .resideInAnyPackage("dev.ash.bridge..", "dev.ash.protocol..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("tools.jackson.databind..", "com.fasterxml..")
                .check(code);
        try (var jars = Files.list(ServerLaunch.dist().resolve("bridge"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString()))
                    .allMatch(name -> name.startsWith("ash-") || name.startsWith("jackson-core"));
        }
    }

    @Test
    void onlyHttpPackageDependsOnJetty() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.ash.server.http..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.eclipse.jetty..")
                .check(code);
    }

    @Test
    void onlyStoresDependOnSql() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.ash.server.store..")
                .and()
                .haveSimpleNameNotEndingWith("Store")
                .and(not(nestedInStore()))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "org.flywaydb..")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Handle.class)
                .check(code);
    }

    @Test
    void clientsDoNotDependOnJdkHttpClient() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.ash.sdk..", "dev.ash.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.net.http..")
                .check(code);
    }

    /** Treats every package, at all levels, as a separate slice. */
    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.ash.(**)").should().beFreeOfCycles().check(code);
    }

    @Test
    void commandsDoNotDependOnTheirAssembly() {
        noClasses()
                .that()
                .resideInAPackage("dev.ash.cli.*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.ash.cli")
                .check(code);
    }

    @Test
    void everyPackageIsDocumentedAndNullMarked() throws IOException {
        for (var directory : sourceDirectories()) {
            var info = directory.resolve("package-info.java");
            assertThat(info).exists();
            assertThat(Files.readString(info)).contains("@NullMarked").contains("/**");
        }
    }

    @Test
    void sourceFilesDoNotExceedMaximumLength() throws IOException {
        var longFiles = new TreeSet<String>();
        for (var file : sources()) {
            if (Files.readAllLines(file).size() > MAX_LINES) {
                longFiles.add(file.getFileName().toString());
            }
        }
        assertThat(longFiles).as("files of over %d lines", MAX_LINES).isEmpty();
    }

    /** Exempts wire types: their documents define their fields. */
    @Test
    void recordsDoNotExceedMaximumComponents() {
        var large =
                code.stream()
                        .filter(JavaClass::isRecord)
                        .filter(not(resideInAnyPackage(WIRE_TYPES)))
                        .filter(type -> components(type) > MAX_COMPONENTS)
                        .map(JavaClass::getName)
                        .toList();
        assertThat(large).as("records of over %d components", MAX_COMPONENTS).isEmpty();
    }

    private static long components(JavaClass type) {
        return type.getFields().stream()
                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                .count();
    }

    private static DescribedPredicate<JavaClass> nestedInStore() {
        return DescribedPredicate.describe(
                "nested in a store", type -> type.getName().matches(".*Store\\$.*"));
    }

    private static List<Path> sourceDirectories() throws IOException {
        return sources().stream().map(Path::getParent).distinct().toList();
    }

    private static List<Path> sources() throws IOException {
        var files = new ArrayList<Path>();
        for (var module : MODULES) {
            try (var found = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                found.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
            }
        }
        assertThat(files).isNotEmpty();
        return files;
    }
}
