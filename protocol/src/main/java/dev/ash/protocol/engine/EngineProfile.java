package dev.ash.protocol.engine;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Static properties of an engine, for all code except the engine's driver in the bridge.
 *
 * @param publicName the name that devices and pairs use; accepted wherever {@code name} is
 * @param aliases further accepted names
 * @param product the name of the product, for messages to people
 * @param program the command-line program that the engine needs; empty for a built-in engine
 * @param provider the provider whose API the engine calls; for a built-in engine, the one whose
 *     credentials its sessions may name
 * @param launch how the driver starts the program; {@link Launch#NONE} if the driver is specific to
 *     the engine
 * @param environment variables that are set in every sandbox
 */
public record EngineProfile(
        EngineName name,
        String publicName,
        List<String> aliases,
        String product,
        EngineDriver driver,
        Optional<Program> program,
        ModelProvider provider,
        Launch launch,
        Set<EngineCapability> capabilities,
        Map<String, String> environment) {

    public EngineProfile {
        aliases = List.copyOf(aliases);
        capabilities = Set.copyOf(capabilities);
        environment = Map.copyOf(environment);
    }

    public boolean isNamed(String text) {
        return name.value().equals(text) || publicName.equals(text) || aliases.contains(text);
    }

    public boolean can(EngineCapability capability) {
        return capabilities.contains(capability);
    }

    /** Returns whether {@code ash engines install} can install the program. */
    public boolean isInstallable() {
        return program.isPresent() && program.get().isPinned();
    }

    /** Returns where Ash installs the program, relative to the data directory. */
    public String installDirectory() {
        return "engine-programs/" + name + "-" + program.map(Program::version).orElse("");
    }

    /** Returns the command that installs the program; empty if none is known. */
    public String installCommand() {
        if (program.isEmpty()) {
            return "";
        }
        return isInstallable() ? "ash engines install " + name : program.get().installCommand();
    }

    /**
     * The command-line program of an engine.
     *
     * @param command its file name on the {@code PATH}, or an absolute path
     * @param variable the setting for its path, in the server and in bridges
     * @param installCommand a command that installs it without Ash; empty if none is known
     * @param npmPackage the package that contains it; empty if it is not in one
     * @param version the version of the package that Ash was tested with; empty if untested
     * @param sandboxDirectory its directory in sandboxes, unless it is below {@code /usr}
     * @param launcher the native program that a script of the package starts
     */
    public record Program(
            String command,
            String variable,
            String installCommand,
            String npmPackage,
            String version,
            String sandboxDirectory,
            Optional<Launcher> launcher) {

        /** Returns a program in an npm package. */
        public static Program npm(
                String command,
                String variable,
                String npmPackage,
                String version,
                String sandboxDirectory,
                Optional<Launcher> launcher) {
            return new Program(
                    command,
                    variable,
                    // Not +, which generates code at the start of every bridge.
                    "npm install -g ".concat(npmPackage),
                    npmPackage,
                    version,
                    sandboxDirectory,
                    launcher);
        }

        /** Returns whether Ash installs one tested version of the package. */
        public boolean isPinned() {
            return !npmPackage.isEmpty() && !version.isEmpty();
        }
    }

    /**
     * Another package in which npm installs a native program, next to the package with the script
     * that starts it, or inside it. Sandboxes run the native program directly, because they may
     * have no Node.
     *
     * @param packages a pattern of the package's name, with its scope; the first match is used
     * @param program a pattern of the path of the program in the package
     */
    public record Launcher(String packages, String program) {}

    /**
     * How a driver that is not specific to one engine starts its process. {@link LaunchValues}
     * replaces the placeholders in arguments and values of variables.
     *
     * @param model the model of sessions that request none; empty if the engine chooses
     * @param promptInput how a {@link EngineDriver#COMMAND} gets its prompt
     */
    public record Launch(
            List<String> arguments,
            Map<String, String> environment,
            PromptInput promptInput,
            String model) {
        public static final Launch NONE = new Launch(List.of(), Map.of(), PromptInput.STDIN, "");

        public Launch {
            arguments = List.copyOf(arguments);
            environment = Map.copyOf(environment);
        }
    }

    /** How a command gets its prompt. */
    public enum PromptInput {
        STDIN,
        /** As the last argument. */
        ARGUMENT
    }
}
