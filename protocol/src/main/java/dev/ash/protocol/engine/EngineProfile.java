package dev.ash.protocol.engine;

import java.util.Map;
import java.util.Optional;

/**
 * Static properties of an engine, for all code except the engine's driver in the bridge.
 *
 * @param publicName the name that devices and pairs use; accepted wherever {@code name} is
 * @param product the name of the product, for messages to people
 * @param program the command-line program that the engine needs; empty for a built-in engine
 * @param provider the provider whose API the engine calls; for a built-in engine, the one whose
 *     credentials its sessions may name
 * @param environment variables that are set in every sandbox of this engine
 */
public record EngineProfile(
        EngineName name,
        String publicName,
        String product,
        Optional<Program> program,
        ModelProvider provider,
        Map<String, String> environment) {

    public EngineProfile {
        environment = Map.copyOf(environment);
    }

    public boolean isNamed(String text) {
        return name.value().equals(text) || publicName.equals(text);
    }

    /**
     * The command-line program of an engine.
     *
     * @param command its file name on the {@code PATH}
     * @param variable the setting for its path, in the server and in bridges
     * @param npmPackage the package that installs it
     * @param sandboxDirectory its directory in sandboxes, unless it is below {@code /usr}
     * @param launcher the script that npm installs instead of a native program
     */
    public record Program(
            String command,
            String variable,
            String npmPackage,
            String sandboxDirectory,
            Optional<Launcher> launcher) {

        public String installCommand() {
            return "npm install -g " + npmPackage;
        }

        /** Returns the npm scope of the package, such as {@code @openai}. */
        public String npmScope() {
            int slash = npmPackage.indexOf('/');
            return slash < 0 ? "" : npmPackage.substring(0, slash);
        }
    }

    /**
     * A Node script that starts a native program from another package of the same scope. Sandboxes
     * run the native program directly, because they may have no Node.
     *
     * @param script the file name of the script
     * @param packagePrefix the name prefix of the packages with native programs
     * @param program the path of the native program, below a directory of the package's {@code
     *     vendor}
     */
    public record Launcher(String script, String packagePrefix, String program) {}
}
