package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares the table of the server's packages in docs/ARCHITECTURE.md with the code. */
class ServerPackagesTest {
    private static final String ROOT = "dev.ash.server";

    /** Layers from top to bottom. */
    private static final List<String> LAYERS =
            List.of(
                    "assembly",
                    "clients",
                    "sessions",
                    "features",
                    "resources",
                    "transport",
                    "foundation");

    private static final Pattern ROW =
            Pattern.compile("^\\| (\\w+) \\| `([a-z.]+)` \\| .+ \\|$", Pattern.MULTILINE);

    private static final Map<String, String> LAYER_OF_PACKAGE = new LinkedHashMap<>();
    private static JavaClasses server;

    @BeforeAll
    static void read() throws IOException {
        var page = Files.readString(Path.of("../docs/ARCHITECTURE.md"));
        var section = page.substring(page.indexOf("\n## The packages of the server\n"));
        var rows = ROW.matcher(section);
        while (rows.find()) {
            var name = rows.group(2).equals("server") ? ROOT : ROOT + "." + rows.group(2);
            assertThat(LAYERS).as("layer of " + name).contains(rows.group(1));
            assertThat(LAYER_OF_PACKAGE.put(name, rows.group(1))).as("second row").isNull();
        }
        server =
                new ClassFileImporter()
                        .withImportOption(location -> location.contains("/dev/ash/server/"))
                        .importPackages(ROOT);
    }

    @Test
    void listsEveryPackageOnce() {
        var packages = new TreeSet<String>();
        server.forEach(type -> packages.add(type.getPackageName()));

        assertThat(LAYER_OF_PACKAGE.keySet()).containsExactlyInAnyOrderElementsOf(packages);
    }

    @Test
    void usesNoPackageOfHigherLayer() {
        var upward = new TreeSet<String>();
        for (var type : server) {
            for (var dependency : type.getDirectDependenciesFromSelf()) {
                if (isUpward(dependency)) {
                    upward.add(
                            "%s uses %s"
                                    .formatted(
                                            dependency.getOriginClass().getName(),
                                            dependency.getTargetClass().getName()));
                }
            }
        }

        assertThat(upward).isEmpty();
    }

    private static boolean isUpward(Dependency dependency) {
        var from = LAYER_OF_PACKAGE.get(dependency.getOriginClass().getPackageName());
        var to = LAYER_OF_PACKAGE.get(dependency.getTargetClass().getPackageName());
        return to != null && LAYERS.indexOf(to) < LAYERS.indexOf(from);
    }
}
