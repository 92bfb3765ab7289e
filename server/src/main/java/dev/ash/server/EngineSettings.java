package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.server.session.engine.EngineStart;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of engines and of the bridges that drive them.
 *
 * @param table the built-in engines and those of {@code ASH_ENGINES}
 * @param configured the text of {@code ASH_ENGINES}, which bridges read too; empty if not set
 * @param engine the default engine of sessions, or {@link EngineProfiles#AUTO}
 * @param programs configured paths of engine programs; other programs are searched in PATH
 * @param bridgeCommand the command that starts a bridge; empty for the bridge of this build
 * @param start when engines start
 * @param bridgeGrace how long a bridge without a server waits for the next one
 */
record EngineSettings(
        EngineTable table,
        String configured,
        String engine,
        Map<EngineName, String> programs,
        List<String> bridgeCommand,
        EngineStart start,
        Duration bridgeGrace) {

    static EngineSettings read(Settings settings) {
        var configured = settings.text(ConfiguredKeys.SETTING).orElse("");
        var table = EngineTable.of(configured);
        ConfiguredKeys.reject(table, settings);
        return new EngineSettings(
                table,
                configured,
                engine(settings.text("ASH_ENGINE").orElse(EngineProfiles.AUTO), table),
                programs(settings, table),
                settings.text("ASH_BRIDGE_COMMAND").map(EngineSettings::words).orElse(List.of()),
                start(settings.text("ASH_ENGINE_START").orElse("session")),
                settings.millis("ASH_BRIDGE_GRACE_MS", 60_000, 0));
    }

    private static String engine(String name, EngineTable table) {
        if (!name.equals(EngineProfiles.AUTO) && table.find(name).isEmpty()) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "ASH_ENGINE is \"%s\"; it must be %s"
                            .formatted(name, table.choices("or")));
        }
        return name;
    }

    private static EngineStart start(String value) {
        return switch (value) {
            case "session" -> EngineStart.WITH_SESSION;
            case "prompt" -> EngineStart.WITH_PROMPT;
            default ->
                    throw new ApiException(
                            ErrorCode.VALIDATION_FAILED,
                            "ASH_ENGINE_START is \"%s\"; it must be session or prompt"
                                    .formatted(value));
        };
    }

    private static Map<EngineName, String> programs(Settings settings, EngineTable table) {
        var programs = new HashMap<EngineName, String>();
        for (var profile : table.all()) {
            profile.program()
                    .flatMap(program -> settings.text(program.variable()))
                    .ifPresent(path -> programs.put(profile.name(), path));
        }
        return Map.copyOf(programs);
    }

    private static List<String> words(String command) {
        return List.of(command.strip().split("\\s+"));
    }
}
