package dev.ash.server.hooks;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.util.Optional;

/** A session in somebody's terminal. {@code directory} is empty where no hook has told it. */
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
                        event.session(), tenant, directory, folder(directory), true, now, now)
                .after(event, now);
    }

    /** Named by its first prompt; until then by its folder. */
    HookSession after(HookEvent event, long now) {
        var where = event.directory().orElse(directory);
        var unnamed = title.equals(folder(directory));
        var prompt = event.is("UserPromptSubmit") ? event.text("prompt") : Optional.<String>empty();
        var name = unnamed ? prompt.map(HookSession::shortened).orElse("") : title;
        return new HookSession(
                id,
                tenant,
                where,
                name.isEmpty() ? folder(where) : name,
                !event.is("SessionEnd"),
                createdAt,
                now);
    }

    HookSession ended() {
        return new HookSession(id, tenant, directory, title, false, createdAt, seenAt);
    }

    private static String folder(String directory) {
        var path = directory.replaceAll("/+$", "");
        var name = shortened(path.substring(path.lastIndexOf('/') + 1));
        return name.isEmpty() ? UNTITLED : name;
    }

    private static String shortened(String text) {
        var line = text.strip().lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
        return Excerpt.prefix(line, MAX_TITLE).strip();
    }
}
