package dev.ash.server.store;

import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.TemplateEngine;
import org.jdbi.v3.core.statement.UnableToCreateStatementException;

/**
 * Replaces {@code <name>} in a statement by the attribute of that name. A comparison is no
 * attribute if a space follows its operator. Replaces the engine of JDBI for the same reason as
 * {@link NamedParameters}.
 */
final class SqlTemplates implements TemplateEngine {
    @Override
    public String render(String template, StatementContext context) {
        int open = template.indexOf('<');
        if (open < 0) {
            return template;
        }
        var sql = new StringBuilder();
        int copied = 0;
        for (; open >= 0; open = template.indexOf('<', open + 1)) {
            int end = NamedParameters.endOfName(template, open + 1);
            if (end > open + 1 && end < template.length() && template.charAt(end) == '>') {
                var name = template.substring(open + 1, end);
                sql.append(template, copied, open).append(attribute(name, context));
                copied = end + 1;
            }
        }
        return sql.append(template, copied, template.length()).toString();
    }

    private static Object attribute(String name, StatementContext context) {
        var value = context.getAttribute(name);
        if (value == null) {
            throw new UnableToCreateStatementException("Undefined attribute <" + name + ">");
        }
        return value;
    }
}
