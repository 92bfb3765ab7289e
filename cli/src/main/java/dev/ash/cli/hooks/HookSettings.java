package dev.ash.cli.hooks;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Edits the hooks in a settings file of Claude Code: {@code hooks} contains, for each event, groups
 * with a matcher and a list of hooks. Hooks of Ash are those that run a program named {@code
 * ash-hook}.
 */
final class HookSettings {
    static final String PROGRAM = "ash-hook";

    private JsonDocument document;

    private HookSettings(JsonDocument document) {
        this.document = document;
    }

    /** Throws {@link IllegalArgumentException} if the text cannot be changed safely. */
    static HookSettings parse(String text) {
        var document = JsonDocument.parse(text.isBlank() ? "{}\n" : text);
        if (!document.root().isObject()) {
            throw new IllegalArgumentException("not a JSON object");
        }
        var settings = new HookSettings(document);
        var hooks = settings.hooks();
        if (hooks.isPresent() && !hooks.get().isObject()) {
            throw new IllegalArgumentException("\"hooks\" is not an object");
        }
        for (var event : hooks.map(JsonDocument.Node::children).orElse(List.of())) {
            if (!event.isArray()) {
                throw new IllegalArgumentException(
                        "\"" + event.name() + "\" in \"hooks\" is not an array");
            }
        }
        return settings;
    }

    String text() {
        return document.text();
    }

    /** A hook of Ash: event, matcher for tools, command, and timeout in seconds. */
    record Entry(String event, @Nullable String matcher, String command, int timeout) {
        private String group() {
            return JsonWriter.object()
                    .put("matcher", matcher)
                    .name("hooks")
                    .open('[')
                    .open('{')
                    .put("type", "command")
                    .put("command", command)
                    .put("timeout", timeout)
                    .close('}')
                    .close(']')
                    .end()
                    .toString();
        }
    }

    void add(Entry entry) {
        if (hooks().isEmpty()) {
            document = document.append(document.root(), "\"hooks\": {}");
        }
        var event = hooks().flatMap(hooks -> hooks.member(entry.event()));
        if (event.isEmpty()) {
            var name = RawJson.string(entry.event());
            document = document.append(hooks().orElseThrow(), name + ": [" + entry.group() + "]");
        } else {
            document = document.append(event.get(), entry.group());
        }
    }

    /** Removes all hooks of Ash, and groups and events that become empty. */
    void removeAshHooks() {
        for (var found = ashHooks(); !found.isEmpty(); found = ashHooks()) {
            remove(found.getFirst());
        }
    }

    private void remove(Found found) {
        if (found.list().children().size() > 1) {
            document = document.remove(found.list(), found.hook());
        } else if (found.event().children().size() > 1) {
            document = document.remove(found.event(), found.group());
        } else {
            var hooks = hooks().orElseThrow();
            document =
                    hooks.children().size() > 1
                            ? document.remove(hooks, found.event())
                            : document.remove(document.root(), hooks);
        }
    }

    /** Returns the installed hooks of Ash. */
    Set<Entry> installed() {
        var entries = new LinkedHashSet<Entry>();
        for (var found : ashHooks()) {
            var hook = object(found.hook());
            try {
                entries.add(
                        new Entry(
                                found.event().name(),
                                object(found.group()).string("matcher").orElse(null),
                                hook.string("command").orElse(""),
                                hook.integer("timeout").orElse(0)));
            } catch (MalformedJsonException e) {
                entries.add(new Entry(found.event().name(), null, "", 0)); // edited manually
            }
        }
        return entries;
    }

    boolean hooksAreDisabled() {
        return document.root()
                .member("disableAllHooks")
                .map(document::text)
                .filter("true"::equals)
                .isPresent();
    }

    private Optional<JsonDocument.Node> hooks() {
        return document.root().member("hooks");
    }

    private record Found(
            JsonDocument.Node event,
            JsonDocument.Node group,
            JsonDocument.Node list,
            JsonDocument.Node hook) {}

    private List<Found> ashHooks() {
        var found = new ArrayList<Found>();
        for (var event : hooks().map(JsonDocument.Node::children).orElse(List.of())) {
            for (var group : event.children()) {
                var list = group.member("hooks");
                for (var hook : list.map(JsonDocument.Node::children).orElse(List.of())) {
                    if (command(hook).filter(HookSettings::isAshHook).isPresent()) {
                        found.add(new Found(event, group, list.get(), hook));
                    }
                }
            }
        }
        return found;
    }

    private Optional<String> command(JsonDocument.Node hook) {
        try {
            return hook.isObject() ? object(hook).string("command") : Optional.empty();
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private JsonObject object(JsonDocument.Node node) {
        try {
            return JsonObject.parse(document.text(node));
        } catch (MalformedJsonException e) {
            throw new IllegalStateException(e); // already parsed as part of the document
        }
    }

    /** Matches the program name, quoted or not, but not commands that only mention it. */
    private static boolean isAshHook(String command) {
        return command.matches("('([^']|'\\\\'')*/ash-hook'|[^\\s']*/ash-hook)( .*)?");
    }
}
