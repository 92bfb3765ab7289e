package dev.ash.server.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Wraps data sources with a callback before each call on their connections. */
final class ConnectionInterceptor {
    /** Runs before a call on a connection or one of its plain statements. */
    interface Before {
        void call(String method, @Nullable Object argument) throws SQLException;
    }

    static UnaryOperator<DataSource> before(Before before) {
        return source -> wrap(DataSource.class, source, before);
    }

    private static <T> T wrap(Class<T> type, T target, Before before) {
        return type.cast(
                Proxy.newProxyInstance(
                        ConnectionInterceptor.class.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> call(target, method, arguments, before)));
    }

    private static Object call(
            Object target, Method method, Object @Nullable [] arguments, Before before)
            throws Throwable {
        before.call(method.getName(), arguments == null ? null : arguments[0]);
        try {
            return switch (method.invoke(target, arguments)) {
                case Connection connection -> wrap(Connection.class, connection, before);
                case Statement statement when method.getReturnType() == Statement.class ->
                        wrap(Statement.class, statement, before);
                case null -> null;
                case Object other -> other;
            };
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private ConnectionInterceptor() {}
}
