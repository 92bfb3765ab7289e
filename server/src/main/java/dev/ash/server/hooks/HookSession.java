package dev.ash.server.hooks;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.util.Optional;

/** A session in a user's own terminal. {@code directory} is empty until a hook reports it. */
public record HookSession(
        SessionId id,
        TenantId tenant,
        String directory,
        String title,
        boolean isActive,
        long createdAt,
        long seenAt) {

    private static final int MAX_TITLE = 80;
    private static final String UNTITLED = "Terminal session";

    static HookSession of(HookEvent event, TenantId tenant, long now) {
        var directory = event.directory().orElse("");
        return new HookSession(
                        event.session(),
                        tenant,
                        directory,
                        directoryName(directory),
                        true,
                        now,
                        now)
                .apply(event, now);
    }

    /** Applies an event. The title is the first prompt, or before it the directory's name. */
    HookSession apply(HookEvent event, long now) {
        var newDirectory = event.directory().orElse(directory);
        boolean isUntitled = title.equals(directoryName(directory));
        var prompt = event.is("UserPromptSubmit") ? event.text("prompt") : Optional.<String>empty();
        var newTitle = isUntitled ? prompt.map(HookSession::shortened).orElse("") : title;
        return new HookSession(
                id,
                tenant,
                newDirectory,
                newTitle.isEmpty() ? directoryName(newDirectory) : newTitle,
                !event.is("SessionEnd"),
                createdAt,
                now);
    }

    HookSession ended() {
        return new HookSession(id, tenant, directory, title, false, createdAt, seenAt);
    }

    private static String directoryName(String directory) {
        var path = directory.replaceAll("/+$", "");
        var name = shortened(path.substring(path.lastIndexOf('/') + 1));
        return name.isEmpty() ? UNTITLED : name;
    }

    private static String shortened(String text) {
        var line = text.strip().lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
        return Excerpt.prefix(line, MAX_TITLE).strip();
    }
}
