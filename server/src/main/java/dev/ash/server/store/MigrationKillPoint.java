package dev.ash.server.store;

import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/** Reports each statement of a migration as {@link KillPoint#MIGRATION_STATEMENT}. */
final class MigrationKillPoint extends BaseCallback {
    @Override
    public boolean supports(Event event, Context context) {
        return event == Event.AFTER_EACH_MIGRATE_STATEMENT;
    }

    @Override
    public void handle(Event event, Context context) {
        KillPoint.MIGRATION_STATEMENT.reached();
    }
}
